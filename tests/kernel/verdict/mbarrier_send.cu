// A ring: each work-group of a cluster sends to the next one by st.async, which gives the slot back.
// launch right_two: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 2 --define RANKS=2 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch right_four: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch skipped: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=skipped --gpu h200 --divergence independent
// launch half_lanes: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=half_lanes --gpu h200 --divergence independent
// launch sends_fewer: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=sends_fewer --gpu h200 --divergence independent
// launch gives_self: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=gives_self --gpu h200 --divergence independent
// launch gives_none: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=gives_none --gpu h200 --divergence independent
// launch count_two: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 2 --define RANKS=2 --define FAULT=count_two --gpu h200 --divergence independent
// launch expects_more: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=expects_more --gpu h200 --divergence independent
// launch receives_fewer: --block 64 --arg buf:data:u32:192:iota --arg buf:to:u32:128:zero --arg u32:6 --grid 4 --cluster 4 --define RANKS=4 --define FAULT=receives_fewer --gpu h200 --divergence independent
#include "mbarrier_cluster.h"
enum { none, skipped, half_lanes, sends_fewer, gives_self, gives_none, count_two, expects_more, receives_fewer };

extern "C" __global__ void send(const unsigned *from, unsigned *to, unsigned tiles)
{
	__shared__ unsigned slot[2][32];
	__shared__ unsigned long long full[2], empty[2];
	unsigned rank = own_rank(), lane = threadIdx.x % 32, sum = 0, bytes = seeded(expects_more) ? 256 : 128;
	bool sends = threadIdx.x < 32;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < 2; s++) {
			init(&full[s], 1);
			init(&empty[s], seeded(count_two) ? 2 : 1);
		}
	sync_cluster();
	if (seeded(sends_fewer) && rank == RANKS - 1 && sends)
		tiles -= 1;
	if (seeded(receives_fewer) && rank == 1 && !sends)
		tiles -= 3;
	for (unsigned k = 0; k < tiles && sends; k++) {
		wait_cluster(&empty[k & 1], k >> 1 & 1 ^ 1);
		if (!(seeded(skipped) && rank == 0 && k == 3) && !(seeded(half_lanes) && rank == 1 && k == 2 && lane > 15))
			store_async(&slot[k & 1][lane], (rank + 1) % RANKS, from[k * 32 + lane], &full[k & 1]);
	}
	if (threadIdx.x == 32)
		arrive_expect(&full[0], bytes);
	for (unsigned k = 0; k < tiles && !sends; k++) {
		unsigned giver = (rank + RANKS - 1) % RANKS;

		if (lane == 0 && k + 1 < tiles)
			arrive_expect(&full[(k & 1) ^ 1], bytes);
		__syncwarp();
		wait_cluster(&full[k & 1], k >> 1 & 1);
		sum += slot[k & 1][lane];
		__syncwarp();
		if (seeded(gives_none) && rank == 1 && k == 1)
			continue;
		if (lane == 0)
			arrive_in(&empty[k & 1], seeded(gives_self) && rank == 1 && k == 1 ? rank : giver);
	}
	if (!sends)
		to[blockIdx.x * 32 + lane] = sum;
	sync_cluster();
}
