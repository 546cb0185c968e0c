// Four work-groups in two rows and two columns: each brings a slice into its row and one into its column, and releases to both.
// launch right: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch row_short: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=row_short --gpu h200 --divergence independent
// launch column_skipped: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=column_skipped --gpu h200 --divergence independent
// launch release_self: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=release_self --gpu h200 --divergence independent
// launch release_row_alone: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=release_row_alone --gpu h200 --divergence independent
// launch one_short: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=one_short --gpu h200 --divergence independent
// launch count_all: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=count_all --gpu h200 --divergence independent
// launch count_lanes: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=count_lanes --gpu h200 --divergence independent
// launch next_stage: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=next_stage --gpu h200 --divergence independent
// launch parity: --block 64 --arg buf:data:u32:2048:iota --arg buf:to:u32:128:zero --arg u32:8 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=parity --gpu h200 --divergence independent
#include "mbarrier_cluster.h"
enum { none, row_short, column_skipped, release_self, release_row_alone, one_short, count_all, count_lanes, next_stage, parity };
#define STAGES 3

extern "C" __global__ void rows(const unsigned *from, unsigned *to, unsigned tiles)
{
	__shared__ __align__(128) unsigned of_row[STAGES][2][32], of_column[STAGES][2][32];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	unsigned rank = own_rank(), lane = threadIdx.x % 32, row = rank / 2, column = rank % 2, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], seeded(count_all) || seeded(count_lanes) ? RANKS : 3);
		}
	sync_cluster();
	if (seeded(one_short) && rank == 3)
		tiles -= 1;
	if (threadIdx.x == 32)
		for (unsigned k = 0; k < tiles; k++) {
			unsigned s = k % STAGES, odd = k / STAGES & 1 ^ !(seeded(parity) && rank == 2);
			const unsigned *slice = from + (k * RANKS + rank) * 32;

			wait_cluster(&empty[s], odd);
			arrive_expect(&full[s], 512);
			copy_to_all(of_row[s][column], slice, 128, &full[s],
				seeded(row_short) && rank == 0 ? 1 : 3 << 2 * row);
			if (!(seeded(column_skipped) && rank == 3 && k == 2))
				copy_to_all(of_column[s][row], slice, 128, &full[seeded(next_stage) ? (s + 1) % STAGES : s], 5 << column);
		}
	for (unsigned k = 0; k < tiles && threadIdx.x < 32; k++) {
		unsigned s = k % STAGES;

		wait_cluster(&full[s], k / STAGES & 1);
		sum += of_row[s][0][lane] + of_row[s][1][lane] + of_column[s][0][lane] + of_column[s][1][lane];
		__syncwarp();
		if (seeded(count_lanes)) {
			if (lane < RANKS && (lane / 2 == row || lane % 2 == column))
				arrive_in(&empty[s], lane);
		} else if (lane == 0) {
			arrive_in(&empty[s], rank);
			arrive_in(&empty[s], seeded(release_self) && rank == 3 ? rank : rank ^ 1);
			if (!(seeded(release_row_alone) && rank == 0))
				arrive_in(&empty[s], rank ^ 2);
		}
	}
	if (threadIdx.x < 32)
		to[blockIdx.x * 32 + lane] = sum;
	sync_cluster();
}
