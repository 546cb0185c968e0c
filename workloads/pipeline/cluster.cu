/* A cluster that shares tiles: the producer of the first work-group brings the tiles of b into all of them.
 *
 * Each work-group of the cluster has a ring of STAGES slots, a producer warp and CONSUMERS warps, as in stages.cu.  Its
 * own producer copies the tiles of a.  Those of b come from the leader, the work-group of rank 0:
 *
 *     (without a macro)     32 lanes store into each work-group's shared memory; then one arrives at its full barrier
 *     --define UNICAST      a bulk copy for each work-group
 *     --define MULTICAST    one bulk copy for all
 *
 * A full barrier counts its own producer's arrival and the bytes of a, and the leader's arrival or the bytes of b.  A
 * slot has two empty barriers: `empty` for the own producer, and `shared_empty` of the leader, which counts the
 * consumers of the whole cluster.  No work-group ends before all are done: others may still store, copy or arrive here.
 *
 * Work-group g computes c[g] = a[g] * b over `tiles` tiles of 16 x 16 words.
 *
 *     lockstep kernel workloads/pipeline/cluster.cu --gpu h200 --grid 4 --cluster 2 --block 96 [--define FAULT=NAME]
 *         --arg buf:a:u32:8192:iota --arg buf:b:u32:2048:iota --arg buf:c:u32:1024:zero --arg u32:8 --dump c */
#include "pipeline.h"

#ifndef STAGES
#define STAGES 3
#endif
#ifndef RANKS
#define RANKS 2
#endif
#define CONSUMERS 2
#if defined UNICAST || defined MULTICAST /* b comes by bulk copies */
#define BULK 1
#else
#define BULK 0
#endif
#define THREADS (32 * CONSUMERS)
#define EACH (WORDS / THREADS) /* words of a tile for each thread, one in each ROWS rows */
#define ROWS (THREADS / SIDE)

enum fault {
	none,
	no_cluster_sync,   /* a work-group waits only for its own initialisation */
	leader_leaves,     /* the leader ends while others still arrive at its barriers */
	rank_leaves,       /* a work-group that has nothing to compute returns at once */
	count_own,         /* the leader's shared_empty counts its own consumers only */
	count_large,       /* it counts a warp that does not exist */
	release_own,       /* consumers release their own work-group's shared_empty, not the leader's */
	double_release,    /* a consumer warp of rank 1 releases the leader's slot of tile 1 twice */
	missing_release,   /* a consumer warp of rank 1 does not release the leader's slot of tile 1 */
	released_early,    /* a slot is released before it is read */
	no_shared_wait,    /* the leader waits for its own slot only */
	missing_copy,      /* the last work-group gets no tile of b */
	leaders_barrier,   /* the leader arrives at its own full barrier for all work-groups */
	early_arrival,     /* the leader arrives before it has stored */
	shared_parity,     /* the leader waits for the first phase of shared_empty, not for the one before */
	tail_rank,         /* rank 1 takes half of the tiles */
	initialised_again, /* rank 1 initialises its full barriers again, when the leader may have arrived there */
	expect_all,        /* the leader expects the bytes that all work-groups get */
	expect_own,        /* UNICAST or MULTICAST: full expects the bytes of a only */
};

extern "C" __global__ void __launch_bounds__(96)
	cluster(const unsigned *a, const unsigned *b, unsigned *c, unsigned tiles)
{
	__shared__ __attribute__((aligned(128))) unsigned tile_a[STAGES][WORDS], tile_b[STAGES][WORDS];
	__shared__ mbarrier full[STAGES], empty[STAGES], shared_empty[STAGES];
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = cluster_rank(), stage = 0;

	a += blockIdx.x * tiles * WORDS;
	if (threadIdx.x == 0) {
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1 + !BULK);
			init(&empty[s], CONSUMERS);
			init(&shared_empty[s], (seeded(count_own) ? 1 : RANKS) * CONSUMERS + seeded(count_large));
		}
		fence_init();
	}
	if (seeded(no_cluster_sync)) {
		__syncthreads();
	} else {
		cluster_arrive();
		cluster_wait();
	}
	if (seeded(rank_leaves) && rank == 1)
		return;
	if (seeded(tail_rank) && rank == 1)
		tiles /= 2;

	if (warp == 0) {
		unsigned parity = 1;

		if (seeded(initialised_again) && rank == 1 && lane == 0)
			for (unsigned s = 0; s < STAGES; s++)
				init(&full[s], 1 + !BULK);
		for (unsigned k = 0; k < tiles; k++) {
			if (lane == 0) {
				unsigned copies = 1 + BULK;

				if (seeded(expect_own))
					copies = 1;
				if (seeded(expect_all) && rank == 0)
					copies = 1 + RANKS;
				wait(&empty[stage], parity);
				arrive_expect(&full[stage], copies * BYTES);
				bulk_load(tile_a[stage], a + k * WORDS, BYTES, &full[stage]);
			}
			if (rank == 0) {
				if (!seeded(no_shared_wait))
					wait_cluster(&shared_empty[stage], seeded(shared_parity) ? parity ^ 1 : parity);
				for (unsigned r = 0; r < RANKS - seeded(missing_copy); r++) {
					unsigned told = seeded(leaders_barrier) ? 0 : r;

#if defined MULTICAST
					if (lane == 0 && r == 0)
						bulk_load_all(tile_b[stage], b + k * WORDS, BYTES, &full[stage],
							(1u << (RANKS - seeded(missing_copy))) - 1);
#elif defined UNICAST
					if (lane == 0)
						bulk_load_in(
							tile_b[stage], r, b + k * WORDS, BYTES, &full[stage], told);
#else
					if (lane == 0 && seeded(early_arrival))
						arrive_in(&full[stage], told);
					for (unsigned w = lane; w < WORDS; w += 32)
						store_in(&tile_b[stage][w], r, b[k * WORDS + w]);
					sync_warp();
					if (lane == 0 && !seeded(early_arrival))
						arrive_in(&full[stage], told);
#endif
				}
			}
			if (++stage == STAGES)
				stage = 0, parity ^= 1;
		}
	} else {
		unsigned sum[EACH] = {0}, parity = 0, t = threadIdx.x - 32, column = t % SIDE, row = t / SIDE;
		bool odd_one = rank == 1 && warp == CONSUMERS;

		for (unsigned k = 0; k < tiles; k++) {
			wait_cluster(&full[stage], parity);
			if (seeded(released_early) && lane == 0)
				arrive_in(&shared_empty[stage], 0);
			for (unsigned i = 0; i < EACH; i++)
				for (unsigned x = 0; x < SIDE; x++)
					sum[i] += tile_a[stage][(row + ROWS * i) * SIDE + x] *
						  tile_b[stage][x * SIDE + column];
			sync_warp();
			if (lane == 0) {
				arrive(&empty[stage]);
				if (!seeded(released_early) && !(seeded(missing_release) && odd_one && k == 1))
					arrive_in(&shared_empty[stage], seeded(release_own) ? rank : 0);
				if (seeded(double_release) && odd_one && k == 1)
					arrive_in(&shared_empty[stage], 0);
			}
			if (++stage == STAGES)
				stage = 0, parity ^= 1;
		}
		for (unsigned i = 0; i < EACH; i++)
			c[blockIdx.x * WORDS + (row + ROWS * i) * SIDE + column] = sum[i];
	}
	if (seeded(leader_leaves) && rank == 0)
		return;
	sync_warp();
	cluster_arrive();
	cluster_wait();
}
