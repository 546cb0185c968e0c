// A warp fills slots by cp.async, and cp.async.mbarrier.arrive.noinc tells the mbarrier of the next slot (PTX ISA 9.7.13.15.17).
// launch right: --block 64 --arg buf:in:u32:320:iota --arg buf:out:u32:32:zero --arg u32:10 --define FAULT=none --dump out --gpu h200
// launch next: --block 64 --arg buf:in:u32:320:iota --arg buf:out:u32:32:zero --arg u32:10 --define FAULT=next --gpu h200
#include "mbarriers.h"
#define STAGES 3
enum { none, next };

__shared__ unsigned slot[STAGES][32];
__shared__ unsigned long long full[STAGES], empty[STAGES];

extern "C" __global__ void tracked(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned lane = threadIdx.x % 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 32);
			init(&empty[s], 1);
		}
	__syncthreads();
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES, parity = k / STAGES & 1;

		if (threadIdx.x < 32) {
			wait(&empty[s], parity ^ 1);
			asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(in_shared(&slot[s][lane])), "l"(in + k * 32 + lane) : "memory");
			asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(in_shared(&full[seeded(next) ? (s + 1) % STAGES : s]))
				     : "memory");
		} else {
			wait(&full[s], parity);
			sum += slot[s][lane];
			__syncwarp();
			if (lane == 0)
				arrive(&empty[s]);
		}
	}
	if (threadIdx.x >= 32)
		out[lane] = sum;
}
