// Two producers fill a ring of three stages.  An arrival that does not come to one stage has gone to another: it is not left out.
// launch right: --block 96 --arg buf:to:u32:64:zero --arg u32:12 --grid 1 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch next_stage: --block 96 --arg buf:to:u32:64:zero --arg u32:12 --grid 1 --define FAULT=next_stage --gpu h200 --divergence independent
#include "mbarrier_cluster.h"
enum { none, next_stage };
#define STAGES 3

extern "C" __global__ void astray(unsigned *to, unsigned tiles)
{
	__shared__ unsigned tile[STAGES][64];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	unsigned warp = threadIdx.x / 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 64);
			init(&empty[s], 1);
		}
	__syncthreads();
	for (unsigned k = 0; k < tiles; k++) {
		unsigned s = k % STAGES;

		if (warp < 2) {
			wait(&empty[s], k / STAGES & 1 ^ 1);
			tile[s][threadIdx.x] = k + threadIdx.x;
			arrive(&full[seeded(next_stage) && warp == 1 && k == 4 ? (s + 1) % STAGES : s]);
			continue;
		}
		wait(&full[s], k / STAGES & 1);
		sum += tile[s][threadIdx.x - 64] + tile[s][threadIdx.x - 32];
		__syncwarp();
		if (threadIdx.x == 64)
			arrive(&empty[s]);
	}
	if (warp == 2)
		to[threadIdx.x - 64] = sum;
}
