// Two consumers take tiles of four parts each, in rows of three tiles.  What could be changed elsewhere, so that the kernel completes, is not what is wrong.
// launch right: --block 96 --arg buf:data:u32:2048:iota --arg buf:to:u32:64:zero --arg u32:12 --grid 1 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch skipped: --block 96 --arg buf:data:u32:2048:iota --arg buf:to:u32:64:zero --arg u32:12 --grid 1 --define FAULT=skipped --gpu h200 --divergence independent
// launch fewer_copies: --block 96 --arg buf:data:u32:2048:iota --arg buf:to:u32:64:zero --arg u32:12 --grid 1 --define FAULT=fewer_copies --gpu h200 --divergence independent
#include "mbarrier_cluster.h"
enum { none, skipped, fewer_copies };
#define STAGES 4
#define PARTS 4
#define ROW 3

__device__ inline void bring(unsigned *to, const unsigned *from, unsigned parts, unsigned long long *bar)
{
	for (unsigned k = 0; k < parts; k++)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(in_shared(to + 32 * k)),
			     "l"(from + 32 * k), "r"(in_shared(bar))
			     : "memory");
}

extern "C" __global__ void evidence(const unsigned *from, unsigned *to, unsigned tiles)
{
	__shared__ __align__(128) unsigned tile[STAGES][32 * PARTS];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], 2);
		}
	__syncthreads();
	for (unsigned k = 0; k < tiles && threadIdx.x == 64; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], k / STAGES & 1 ^ 1);
		arrive_expect(&full[s], 128 * PARTS);
		bring(tile[s], from + 32 * PARTS * k, seeded(fewer_copies) && k % ROW == ROW - 1 ? PARTS - 1 : PARTS, &full[s]);
	}
	for (unsigned k = 0; k < tiles && warp < 2; k++) {
		unsigned s = k % STAGES;

		if (seeded(skipped) && warp == 1 && k % ROW == ROW - 1)
			continue;
		wait(&full[s], k / STAGES & 1);
		for (unsigned p = 0; p < PARTS; p++)
			sum += tile[s][32 * p + lane];
		__syncwarp();
		if (lane == 0)
			arrive(&empty[s]);
	}
	if (warp < 2)
		to[threadIdx.x] = sum;
}
