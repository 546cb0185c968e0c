/* A multi-stage pipeline: a producer warp copies tiles into a ring of STAGES slots, CONSUMERS warps multiply them.
 *
 * Work-group g computes the 16 x 16 product c[g] = a[g] * b, over `tiles` tiles of 16 x 16 words (SIDE).  Each tile of
 * a and of b is contiguous.  A slot has two mbarriers.  `full` completes with the producer's arrival and the bytes of
 * two copies, `empty` with one arrival of each consumer warp.  Parities begin at 0, and flip when the ring wraps
 * around. The producer begins with 1: the phase before the first counts as complete, so all slots are empty.  The
 * product leaves through shared memory, by a bulk store.
 *
 *     lockstep kernel workloads/pipeline/stages.cu --gpu h200 --block 96 [--define STAGES=4] [--define FAULT=NAME]
 *         --arg buf:a:u32:2048:iota --arg buf:b:u32:2048:iota --arg buf:c:u32:256:zero --arg u32:8 --dump c
 *
 * --define ASYNC: the producer's 32 lanes copy by cp.async, for GPUs before sm_90 (--gpu a100). */
#include "pipeline.h"

#ifndef STAGES
#define STAGES 3
#endif
#define CONSUMERS 2
#define THREADS (32 * CONSUMERS)
#define EACH (WORDS / THREADS) /* words of a tile for each thread, one in each ROWS rows */
#define ROWS (THREADS / SIDE)

enum fault {
	none,
	full_count_large,  /* full counts an arrival that nobody makes */
	empty_count_large, /* empty counts an arrival that nobody makes */
	empty_count_small, /* one consumer's release frees the slot for both */
	missing_release,   /* consumer warp 2 does not release the slot of tile 1 */
	double_release,    /* consumer warp 2 releases the slot of tile 1 twice */
	expect_few,        /* the bytes of one copy are expected, but two copies are made */
	expect_many,       /* more bytes are expected than are copied */
	expect_only,       /* bytes are expected by an instruction that does not arrive */
	producer_parity,   /* the producer waits for the first phase of empty, not for the one before */
	producer_no_flip,  /* the producer's parity does not flip at wrap-around */
	consumer_no_flip,  /* the consumers' parity does not flip at wrap-around */
	tail_consumer,     /* the consumers count one tile more than the producer */
	tail_producer,     /* the producer copies one tile more than the consumers take */
	early_end,         /* consumer warp 2 ends STAGES + 1 tiles early, without its releases */
	other_barrier,     /* the second copy names the barrier of the next stage */
	other_stage,       /* the consumers wait at the barrier of the next stage */
	lapped,            /* consumer warp 2, which empty does not count, comes late: its phase has completed twice */
	initialised_again, /* the producer initialises the barriers again after the first round */
	invalidated,       /* the producer invalidates full after its last copy, while consumers wait there */
	not_synchronised,  /* no __syncthreads after the initialisation */
	released_early,    /* the slot is released before it is read */
	no_proxy_fence,    /* no fence.proxy.async between stores to shared memory and a bulk store from there */
	group_barrier_count, /* the consumers' named barrier counts the producer */
};

extern "C" __global__ void __launch_bounds__(96)
	stages(const unsigned *a, const unsigned *b, unsigned *c, unsigned tiles)
{
	__shared__ __attribute__((aligned(128))) unsigned tile_a[STAGES][WORDS], tile_b[STAGES][WORDS], result[WORDS];
	__shared__ mbarrier full[STAGES], empty[STAGES];
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, stage = 0;

	a += blockIdx.x * tiles * WORDS;
	if (threadIdx.x == 0) {
		for (unsigned s = 0; s < STAGES; s++) {
#if defined ASYNC
			init(&full[s], 32 + seeded(full_count_large));
#else
			init(&full[s], 1 + seeded(full_count_large));
#endif
			init(&empty[s],
				CONSUMERS + seeded(empty_count_large) - (seeded(empty_count_small) || seeded(lapped)));
		}
		fence_init();
	}
	if (!seeded(not_synchronised))
		__syncthreads();

	if (warp == 0) {
		unsigned parity = seeded(producer_parity) ? 0 : 1;

#if defined ASYNC
		for (unsigned k = 0; k < tiles + seeded(tail_producer); k++) {
			wait(&empty[stage], parity);
			for (unsigned w = 4 * lane; w < WORDS; w += 128) {
				async_load(&tile_a[stage][w], a + k * WORDS + w);
				async_load(&tile_b[stage][w], b + k * WORDS + w);
			}
			arrive_copied(&full[stage]);
			if (++stage == STAGES) {
				stage = 0;
				parity ^= !seeded(producer_no_flip);
			}
		}
#else
		if (lane)
			return;
		for (unsigned k = 0; k < tiles + seeded(tail_producer); k++) {
			unsigned from = (k < tiles ? k : 0) * WORDS;

			wait(&empty[stage], parity);
			if (seeded(expect_only))
				expect(&full[stage], 2 * BYTES);
			else
				arrive_expect(&full[stage], (seeded(expect_few) ? 1
								    : seeded(expect_many) ? 3
											  : 2) *
								    BYTES);
			bulk_load(tile_a[stage], a + from, BYTES, &full[stage]);
			bulk_load(tile_b[stage], b + from, BYTES,
				&full[seeded(other_barrier) ? (stage + 1) % STAGES : stage]);
			if (++stage == STAGES) {
				stage = 0;
				parity ^= !seeded(producer_no_flip);
				if (seeded(initialised_again) && k == STAGES - 1)
					for (unsigned s = 0; s < STAGES; s++) {
						init(&full[s], 1);
						init(&empty[s], CONSUMERS);
					}
			}
		}
		if (seeded(invalidated))
			for (unsigned s = 0; s < STAGES; s++)
				inval(&full[s]);
#endif
		return;
	}

	unsigned sum[EACH] = {0}, parity = 0, t = threadIdx.x - 32, column = t % SIDE, row = t / SIDE;

	if (seeded(lapped) && warp == CONSUMERS) {
		unsigned late = 1;

		for (unsigned k = 0; k < 4000; k++)
			asm volatile("mad.lo.u32 %0, %0, 3, 1;" : "+r"(late));
	}
	for (unsigned k = 0; k < tiles + seeded(tail_consumer); k++) {
		bool last_warp = warp == CONSUMERS;

		if (seeded(early_end) && last_warp && k + 1 + STAGES >= tiles)
			return;
		wait(&full[seeded(other_stage) ? (stage + 1) % STAGES : stage], parity);
		if (seeded(released_early) && lane == 0)
			arrive(&empty[stage]);
		for (unsigned i = 0; i < EACH; i++)
			for (unsigned x = 0; x < SIDE; x++)
				sum[i] += tile_a[stage][(row + ROWS * i) * SIDE + x] * tile_b[stage][x * SIDE + column];
		sync_warp();
		if (lane == 0 && !seeded(released_early) && !(seeded(lapped) && last_warp) &&
			!(seeded(missing_release) && last_warp && k == 1))
			arrive(&empty[stage]);
		if (lane == 0 && seeded(double_release) && last_warp && k == 1)
			arrive(&empty[stage]);
		if (++stage == STAGES) {
			stage = 0;
			parity ^= !seeded(consumer_no_flip);
		}
	}

#if defined ASYNC
	for (unsigned i = 0; i < EACH; i++)
		c[blockIdx.x * WORDS + (row + ROWS * i) * SIDE + column] = sum[i];
#else
	for (unsigned i = 0; i < EACH; i++)
		result[(row + ROWS * i) * SIDE + column] = sum[i];
	if (!seeded(no_proxy_fence))
		proxy_fence();
	named_sync(1, 32 * (CONSUMERS + seeded(group_barrier_count)));
	if (t == 0) {
		bulk_store(c + blockIdx.x * WORDS, result, BYTES);
		bulk_commit();
		bulk_wait(0);
	}
#endif
}
