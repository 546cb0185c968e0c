// A warp leaves out one of its turns, and is one ahead of the other from then on: its last arrival comes in the last phase but one.  As it has
// ended then, it looks as if it had ended a turn too early.
// launch right: --block 64 --arg buf:out:u32:8:zero --arg u32:8 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch skip: --block 64 --arg buf:out:u32:8:zero --arg u32:8 --define FAULT=skip --gpu h200 --divergence independent
#include "mbarriers.h"
enum { none, skip };

extern "C" __global__ void turns(unsigned *out, unsigned rounds)
{
	__shared__ unsigned long long node, go;
	__shared__ unsigned from;
	unsigned lane = threadIdx.x % 32;

	if (threadIdx.x == 0) {
		init(&node, 2);
		init(&go, 1);
	}
	__syncthreads();
	for (unsigned r = 0; r < rounds; r++) {
		if (seeded(skip) && threadIdx.x >= 32 && r == 2)
			continue;
		if (threadIdx.x >= 32 && lane == 0)
			from = r;
		if (lane == 0)
			arrive(&node);
		if (threadIdx.x < 32) {
			wait(&node, r & 1);
			if (lane == 0) {
				out[r] = from;
				arrive(&go);
			}
		}
		wait(&go, r & 1);
	}
}
