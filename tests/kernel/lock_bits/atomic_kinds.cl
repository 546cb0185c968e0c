// Atomics with results, without, on 64 bits and compare-and-swaps wait for bits, each lane until its own is free.
// launch: --block 128 --set shared.lock_bits=256 --arg buf:out:s32:8 --dump out
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include <lockstep_lock_bits.h>

kernel void kinds(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[256];
	volatile local long wide;
	uint t = get_local_id(0);
	if (t < 4) {
		lockstep_bit_lock(&words[t]);
		words[t] = 0;
	}
	if (t == 4)
		wide = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 32)
		atomic_inc(&words[t % 4]);
	else if (t < 64)
		atom_add(&wide, 1l << 33);
	else if (t == 64)
		for (uint k = 0; k < 4; k++) { /* one after another; a pause of 100 turns between */
			for (volatile int n = 0; n < 100; n++)
				;
			lockstep_bit_unlock(&words[3 - k], 10 * (3 - k));
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 4)
		out[t] = words[t];
	if (t == 4)
		out[4] = (int)(wide >> 33);
	if (t == 5)
		out[5] = atomic_cmpxchg(&words[0], 8, 77);
	if (t == 5)
		out[6] = words[0];
	if (t == 6)
		out[7] = 0;
}
