// A thread waits for the bit that it has, of the very word.
// launch: --block 32 --set shared.lock_bits=1024 --arg buf:out:s32:32 --dump out
#include <lockstep_lock_bits.h>

kernel void own_bit(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[64];
	if (get_local_id(0) == 0) {
		lockstep_bit_lock(&words[8]);
		lockstep_bit_wait(&words[8]);
		lockstep_bit_unlock(&words[8], 0);
	}
	out[get_local_id(0)] = 1;
}
