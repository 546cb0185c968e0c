// The thread that has the bit has ended, and its work-group goes on.
// launch: --block 128 --set shared.lock_bits=1024 --arg buf:out:s32:128 --dump out
#include <lockstep_lock_bits.h>

kernel void ended_owner(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[64];
	uint t = get_local_id(0);
	if (t == 0)
		lockstep_bit_lock(&words[8]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 64)
		return;
	if (t == 64)
		lockstep_bit_wait(&words[8]);
	out[t] = 1;
}
