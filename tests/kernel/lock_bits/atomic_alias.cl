// A thread that has a bit does an atomic on an alias of its word: the atomic waits for its own thread.
// launch: --block 32 --set shared.lock_bits=512 --arg buf:out:s32:32 --dump out
#include <lockstep_lock_bits.h>

kernel void atomic_alias(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[1024];
	uint t = get_local_id(0);
	if (t == 2) {
		lockstep_bit_lock(&words[8]);
		out[0] = atomic_inc(&words[8 + 512]);
		lockstep_bit_unlock(&words[8], 0);
	}
}
