// The producer of a cluster's first work-group brings tiles into all; two consumer warps of each release the slot there.
// launch right_two: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 2 --define RANKS=2 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch right_four: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch right_unicast: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=none --define UNICAST --dump to --gpu h200 --divergence independent
// launch mask_short: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=mask_short --gpu h200 --divergence independent
// launch unicast_short: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=mask_short --define UNICAST --gpu h200 --divergence independent
// launch mask_once: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 2 --define RANKS=2 --define FAULT=mask_once --gpu h200 --divergence independent
// launch own_alone: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=own_alone --gpu h200 --divergence independent
// launch count_own: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 2 --define RANKS=2 --mode timing --define FAULT=count_own --gpu h200 --divergence independent
// launch count_large: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 2 --define RANKS=2 --define FAULT=count_large --gpu h200 --divergence independent
// launch release_own: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=release_own --gpu h200 --divergence independent
// launch release_once: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=release_once --gpu h200 --divergence independent
// launch tail_rank: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=tail_rank --gpu h200 --divergence independent
// launch leader_fewer: --block 96 --arg buf:data:u32:512:iota --arg buf:to:u32:256:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=leader_fewer --gpu h200 --divergence independent
#include "mbarrier_cluster.h"
enum { none, mask_short, mask_once, own_alone, count_own, count_large, release_own, release_once, tail_rank, leader_fewer };
#define STAGES 3

extern "C" __global__ void leader(const unsigned *from, unsigned *to, unsigned tiles)
{
	__shared__ __align__(128) unsigned tile[STAGES][64];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	unsigned rank = own_rank(), warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], (seeded(count_own) ? 1 : RANKS) * 2 + seeded(count_large));
		}
	sync_cluster();
	if (seeded(tail_rank) && rank == RANKS - 1)
		tiles -= 5;
	if (seeded(leader_fewer) && rank == 0 && warp == 0)
		tiles -= 1;
	if (threadIdx.x == 0)
		for (unsigned k = 0; k < tiles; k++) {
			unsigned s = k % STAGES, parity = k / STAGES & 1 ^ 1, mask = (1 << RANKS) - 1;

			if (seeded(mask_short) || (seeded(mask_once) && k == 2))
				mask = (1 << (RANKS - 1)) - 1;
			if (seeded(own_alone))
				mask = 1;
			if (rank == 0)
				wait_cluster(&empty[s], parity);
			else
				wait_cluster(&full[s], parity);
			arrive_expect(&full[s], 256);
			if (rank)
				continue;
#ifdef UNICAST
			for (unsigned r = 0; r < RANKS; r++)
				if (mask >> r & 1)
					copy_to(tile[s], r, from + k * 64, 256, &full[s]);
#else
			copy_to_all(tile[s], from + k * 64, 256, &full[s], mask);
#endif
		}
	for (unsigned k = 0; k < tiles && warp; k++) {
		unsigned s = k % STAGES;
		bool is_other = seeded(release_own) || (seeded(release_once) && rank == 1 && k == 1 && warp == 1);

		wait_cluster(&full[s], k / STAGES & 1);
		sum += tile[s][lane + 32 * (warp - 1)];
		__syncwarp();
		if (lane == 0)
			arrive_in(&empty[s], is_other ? rank : 0);
	}
	if (warp)
		to[blockIdx.x * 64 + lane + 32 * (warp - 1)] = sum;
	sync_cluster();
}
