// Which words have the bit of the first: those 1,024 apart, and no other (paper 3, section 3.1): P3-09.
// launch: --block 1 --set shared.lock_bits=1024 --arg buf:out:s32:2304 --dump out
// launch twice: --block 1 --set shared.lock_bits=2048 --arg buf:out:s32:2304 --dump out
#include <lockstep_lock_bits.h>

kernel void stride(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[2304];
	lockstep_bit_lock(&words[0]);
	for (int k = 1; k < 2304; k++) {
		out[k] = lockstep_bit_lock(&words[k]);
		if (out[k])
			lockstep_bit_unlock(&words[k], 0);
	}
	out[0] = 1;
	lockstep_bit_unlock(&words[0], 0);
}
