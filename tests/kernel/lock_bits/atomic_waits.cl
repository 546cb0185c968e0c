// An atomic of shared memory on a word whose bit a program has, as its alias, waits for the bit; lanes on other bits do not, and what comes behind it in the
// program comes after it (paper 3, section 3.1: one lock unit for both).
// launch: --block 128 --set shared.lock_bits=64 --arg buf:out:s32:128 --dump out
#include <lockstep_lock_bits.h>

kernel void atomic_waits(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[192];
	volatile local int *held = &words[5], *alias = &words[5 + 64], *other = &words[6 + 64];
	uint t = get_local_id(0);
	if (t == 0) {
		lockstep_bit_lock(held);
		*alias = *other = 0;
		words[100] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	int seen = 0;
	if (t < 32) {
		seen = atomic_add(t % 2 ? alias : other, 1);
		if (t % 2)
			seen += words[100];
	} else if (t == 64) {
		while (*other < 16) /* the lanes that need not wait have been there */
			;
		words[100] = *alias == 0 ? 1000 : 2000;
		mem_fence(CLK_LOCAL_MEM_FENCE);
		lockstep_bit_unlock(held, 0);
	}
	out[t] = seen;
}
