// A thread that has the bit of a word waits for that of its alias (paper 3, section 4.4.2, the first condition): P3-08.
// launch: --block 32 --set shared.lock_bits=1024 --arg buf:out:s32:32 --dump out
#include <lockstep_lock_bits.h>

kernel void own_alias(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[2048];
	if (get_local_id(0) == 1) {
		lockstep_bit_lock(&words[3]);
		lockstep_bit_wait(&words[3 + 1024]);
		lockstep_bit_unlock(&words[3], 0);
		lockstep_bit_unlock(&words[3 + 1024], 0);
	}
	out[get_local_id(0)] = 1;
}
