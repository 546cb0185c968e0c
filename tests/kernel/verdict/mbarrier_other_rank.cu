// Two work-groups of a cluster pass values to each other's stages, and release them in both.  An arrival that goes twice to one of them is not left out in the other.
// launch right: --block 64 --grid 2 --cluster 2 --arg buf:to:u32:64:zero --arg u32:6 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch twice: --block 64 --grid 2 --cluster 2 --arg buf:to:u32:64:zero --arg u32:6 --define FAULT=twice --gpu h200 --divergence independent
#include "mbarrier_cluster.h"
enum { none, twice };
#define STAGES 2

extern "C" __global__ void other_rank(unsigned *to, unsigned turns)
{
	__shared__ unsigned value[STAGES][2];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	unsigned rank = own_rank(), warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], 2);
		}
	sync_cluster();
	for (unsigned k = 0; k < turns && threadIdx.x == 0; k++) {
		unsigned s = k % STAGES;

		wait_cluster(&empty[s], k / STAGES & 1 ^ 1);
		arrive_expect(&full[s], 8);
		store_async(&value[s][rank], 0, k + rank, &full[s]);
		store_async(&value[s][rank], 1, k + rank, &full[s]);
	}
	for (unsigned k = 0; k < turns && warp == 1; k++) {
		unsigned s = k % STAGES;

		wait_cluster(&full[s], k / STAGES & 1);
		sum += value[s][0] + value[s][1];
		__syncwarp();
		if (seeded(twice) && rank == 1) {
			if (lane < 2)
				arrive_in(&empty[s], 0);
		} else if (lane < 2) {
			arrive_in(&empty[s], lane);
		}
	}
	if (warp == 1)
		to[32 * rank + lane] = sum;
	sync_cluster();
}
