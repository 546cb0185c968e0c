// Consumers free a stage one tile later, and the last one of four tiles behind them.  Both lines may begin with the second stage.
// launch right: --block 96 --arg buf:data:u32:1280:iota --arg buf:to:u32:64:zero --arg u32:10 --grid 1 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch ahead: --block 96 --arg buf:data:u32:1280:iota --arg buf:to:u32:64:zero --arg u32:10 --grid 1 --define FAULT=ahead --gpu h200 --divergence independent
// launch ahead_alone: --block 96 --arg buf:data:u32:1280:iota --arg buf:to:u32:64:zero --arg u32:10 --grid 1 --define STAGES=3 --define FAULT=ahead --gpu h200 --divergence independent
// launch ahead_alone_late: --block 96 --arg buf:data:u32:1280:iota --arg buf:to:u32:64:zero --arg u32:10 --grid 1 --define STAGES=3 --define FAULT=ahead --gpu h200 --set pair.alu_guard=20 --divergence independent
// launch ahead_alone_at_once: --block 96 --arg buf:data:u32:1280:iota --arg buf:to:u32:64:zero --arg u32:10 --grid 1 --define STAGES=3 --define FAULT=ahead --gpu h200 --set pair.alu_guard=0 --divergence independent
// launch ahead_alone_rtx2070s: --block 96 --arg buf:data:u32:1280:iota --arg buf:to:u32:64:zero --arg u32:10 --grid 1 --define STAGES=3 --define FAULT=ahead --gpu rtx2070s --divergence independent
// launch ahead_alone_rtx4090: --block 96 --arg buf:data:u32:1280:iota --arg buf:to:u32:64:zero --arg u32:10 --grid 1 --define STAGES=3 --define FAULT=ahead --gpu rtx4090 --divergence independent
// launch ahead_alone_a100: --block 96 --arg buf:data:u32:1280:iota --arg buf:to:u32:64:zero --arg u32:10 --grid 1 --define STAGES=3 --define FAULT=ahead --gpu a100 --divergence independent
#include "mbarrier_cluster.h"
enum { none, ahead };
#ifndef STAGES
#define STAGES 6
#endif
#define TILES 4

extern "C" __global__ void lag(const unsigned *from, unsigned *to, unsigned rows)
{
	__shared__ __align__(128) unsigned tile[STAGES][32];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	unsigned lane = threadIdx.x % 32, sum = 0, freed = seeded(ahead);

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], 2);
		}
	__syncthreads();
	for (unsigned k = 0; k < rows * TILES && threadIdx.x == 64; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], k / STAGES & 1 ^ 1);
		arrive_expect(&full[s], 128);
		copy_to(tile[s], 0, from + 32 * k, 128, &full[s]);
	}
	for (unsigned row = 0; row < rows && threadIdx.x < 64; row++) {
		for (unsigned k = row * TILES; k < (row + 1) * TILES; k++) {
			unsigned s = k % STAGES;

			wait(&full[s], k / STAGES & 1);
			sum += tile[s][lane];
			__syncwarp();
			if (k % TILES && lane == 0)
				arrive(&empty[freed++ % STAGES]);
		}
		if (lane == 0)
			arrive(&empty[freed++ % STAGES]);
	}
	if (threadIdx.x < 64)
		to[threadIdx.x] = sum;
}
