// A bit that a thread has when its work-group ends is a finding, with where it was taken; the groups behind it find it free.
// launch: --grid 40 --block 64 --set shared.lock_bits=32768 --set core.count=2 --set lesser.cores=0 --arg buf:out:s32:40 --dump out
#include <lockstep_lock_bits.h>

kernel void left(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[64];
	if (get_local_id(0) == 3)
		out[get_group_id(0)] = lockstep_bit_lock(&words[7]);
	if (get_local_id(0) == 5) { /* as often taken as freed */
		lockstep_bit_wait(&words[9]);
		lockstep_bit_unlock(&words[9], 0);
	}
}
