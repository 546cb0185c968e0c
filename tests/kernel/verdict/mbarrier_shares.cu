// Each rank of a cluster copies its share of each tile to all ranks, and the consumers of all release it everywhere: what a rank leaves out.
// launch right: --block 96 --grid 4 --cluster 4 --arg buf:data:u32:1152:iota --arg buf:to:u32:256:zero --arg u32:9 --define FAULT=none --dump to --gpu h200
// launch own_alone: --block 96 --grid 4 --cluster 4 --arg buf:data:u32:1152:iota --arg buf:to:u32:256:zero --arg u32:9 --define FAULT=own_alone --gpu h200
// launch never_expects: --block 96 --grid 4 --cluster 4 --arg buf:data:u32:1152:iota --arg buf:to:u32:256:zero --arg u32:9 --define FAULT=never_expects --gpu h200
// launch fewer_shares: --block 96 --grid 4 --cluster 4 --arg buf:data:u32:1152:iota --arg buf:to:u32:256:zero --arg u32:9 --define FAULT=fewer_shares --gpu h200
#include "mbarrier_cluster.h"
#define STAGES 2
#define SHARE 32
#define MOST 4
enum { none, own_alone, never_expects, fewer_shares };

__shared__ __align__(128) unsigned tile[STAGES][MOST][SHARE];
__shared__ unsigned long long full[STAGES], empty[STAGES];

__device__ inline void produce(const unsigned *data, unsigned n, unsigned rank, unsigned size)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait_cluster(&empty[s], k / STAGES & 1 ^ 1);
		if (!(seeded(never_expects) && rank == 2))
			arrive_expect(&full[s], size * SHARE * 4);
		copy_to_all(tile[s][rank], data + (k * size + rank) * SHARE, SHARE * 4, &full[s], (1u << size) - 1);
	}
}

__device__ inline unsigned consume(unsigned n, unsigned rank, unsigned size)
{
	unsigned lane = threadIdx.x % 32, sum = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait_cluster(&full[s], k / STAGES & 1);
		for (unsigned r = threadIdx.x / 32 - 1; r < size; r += 2)
			sum += tile[s][r][lane];
		__syncwarp();
		if (seeded(own_alone)) {
			if (lane == 0)
				arrive_in(&empty[s], rank);
		} else if (lane < size)
			arrive_in(&empty[s], lane);
	}
	return sum;
}

extern "C" __global__ void shares(const unsigned *data, unsigned *to, unsigned n)
{
	unsigned rank = own_rank(), size = gridDim.x, warp = threadIdx.x / 32;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], 2 * size);
		}
	sync_cluster();
	if (threadIdx.x == 0)
		produce(data, seeded(fewer_shares) && rank == 3 ? n - 1 : n, rank, size);
	if (warp > 0)
		to[rank * 64 + threadIdx.x - 32] = consume(n, rank, size);
	sync_cluster();
}
