// A buffer is filled again by a copy while half of its readers may still read it.  They read by volatile loads, which does not make it
// a matter of atomic accesses: no copy is one.
// launch looks: --block 128 --check races --arg buf:in:u32:1024:iota --arg buf:out:u32:8192:zero
#include "async.h"

extern "C" __global__ void looks(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned tile[128];
	__shared__ unsigned long long full, empty;
	unsigned t = threadIdx.x;

	if (t == 0) {
		init(&full, 1);
		init(&empty, 64);
		fence_init();
		expect(&full, 512);
		bulk_load(tile, in, 512, &full);
	}
	__syncthreads();
	wait_phase(&full, 0);
	__syncthreads();
	out[t] = *(volatile unsigned *)&tile[t];
	if (t < 64)
		arrive(&empty);
	if (t == 0) {
		wait_phase(&empty, 0);
		expect(&full, 512);
		bulk_load(tile, in + 128, 512, &full);
		wait_phase(&full, 1);
	}
}
