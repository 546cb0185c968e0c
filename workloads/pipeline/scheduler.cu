/* A persistent kernel with a tile scheduler: work-groups fetch the numbers of products from a counter in global memory.
 *
 * Warp 0, the scheduler, fetches a number, writes it into one of SLOTS slots, and arrives at the slot's mbarrier
 * `told`. Its readers are warp 1, the producer, and the CONSUMERS warps after it.  They arrive at `taken` when they
 * have read the slot.  A number that is no product's ends them all.  For each product the producer copies `depth` tiles
 * of 16 x 16 words through a ring of STAGES slots, as in stages.cu.
 *
 * The grid computes c[p] = a[p] * b for p below `products`.
 *
 *     lockstep kernel workloads/pipeline/scheduler.cu --gpu h200 --grid 2 --block 128 [--define FAULT=NAME]
 *         --arg buf:next:u32:1:zero --arg buf:a:u32:3840:iota --arg buf:b:u32:768:iota --arg buf:c:u32:1280:zero
 *         --arg u32:5 --arg u32:3 --dump c */
#include "pipeline.h"

#ifndef STAGES
#define STAGES 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#define CONSUMERS 2
#define READERS (1 + CONSUMERS)
#define THREADS (32 * CONSUMERS)
#define EACH (WORDS / THREADS) /* words of a tile for each thread, one in each ROWS rows */
#define ROWS (THREADS / SIDE)

enum fault {
	none,
	readers_many,      /* taken counts a reader that does not exist */
	readers_few,       /* taken does not count the producer: its slot may be overwritten */
	missing_taken,     /* the producer does not arrive at taken */
	double_taken,      /* consumer warp 3 arrives at taken twice */
	taken_early,       /* the consumers arrive at taken before they read the slot */
	double_told,       /* the scheduler arrives at told twice for its first number */
	end_not_told,      /* the scheduler ends without telling the end */
	end_decoded,       /* consumer warp 3 takes the last product's number for the end */
	end_equal,         /* readers end only at the number `products`: another work-group gets a larger one */
	slot_parity,       /* the scheduler waits for the first phase of taken, not for the one before */
	slot_no_flip,      /* the consumers' parity for slots does not flip at wrap-around */
	slot_reset,        /* the scheduler initialises a slot's barriers again for each further number */
	slot_invalidated,  /* the scheduler invalidates told after its last number, while readers wait there */
	lapped,            /* consumer warp 3, which taken does not count, comes late */
	fetched_apart,     /* the producer fetches its own numbers, the consumers use the scheduler's */
	tail_consumer,     /* the consumers take whole pairs of tiles only */
	empty_count_large, /* empty counts a warp that does not exist */
	expect_many,       /* more bytes are expected than are copied */
};

struct cursor {
	unsigned at, parity;
};

#define advance(cursor, size, flips)                                                                                   \
	if (++(cursor).at == (size)) {                                                                                 \
		(cursor).at = 0;                                                                                       \
		(cursor).parity ^= (flips);                                                                            \
	}

extern "C" __global__ void __launch_bounds__(32 + 32 * READERS)
	scheduler(unsigned *next, const unsigned *a, const unsigned *b, unsigned *c, unsigned products, unsigned depth)
{
	__shared__ __attribute__((aligned(128))) unsigned tile_a[STAGES][WORDS], tile_b[STAGES][WORDS];
	__shared__ mbarrier full[STAGES], empty[STAGES], told[SLOTS], taken[SLOTS];
	__shared__ unsigned number[SLOTS];
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, readers = READERS;
	struct cursor slot = {0, 0}, ring = {0, 0};

	if (seeded(readers_many))
		readers++;
	if (seeded(readers_few) || seeded(lapped))
		readers--;
	if (threadIdx.x == 0) {
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], CONSUMERS + seeded(empty_count_large));
		}
		for (unsigned s = 0; s < SLOTS; s++) {
			init(&told[s], 1);
			init(&taken[s], readers);
		}
		fence_init();
	}
	__syncthreads();

	if (warp == 0) {
		unsigned fetched = 0, count = 0;

		if (lane)
			return;
		slot.parity = seeded(slot_parity) ? 0 : 1;
		do {
			wait(&taken[slot.at], slot.parity);
			if (seeded(slot_reset) && count >= SLOTS) {
				init(&told[slot.at], 1);
				init(&taken[slot.at], readers);
			}
			fetched = atomicAdd(next, 1);
			if (seeded(end_not_told) && fetched >= products)
				return;
			number[slot.at] = fetched;
			arrive(&told[slot.at]);
			if (seeded(double_told) && count == 0)
				arrive(&told[slot.at]);
			advance(slot, SLOTS, 1);
			count++;
		} while (fetched < products);
		if (seeded(slot_invalidated))
			for (unsigned s = 0; s < SLOTS; s++)
				inval(&told[s]);
		return;
	}

	if (warp == 1) {
		if (lane)
			return;
		ring.parity = 1;
		for (;;) {
			unsigned p;

			wait(&told[slot.at], slot.parity);
			p = seeded(fetched_apart) ? atomicAdd(next, 1) : number[slot.at];
			if (!seeded(missing_taken) && !seeded(readers_few))
				arrive(&taken[slot.at]);
			advance(slot, SLOTS, 1);
			if (seeded(end_equal) ? p == products : p >= products)
				return;
			for (unsigned k = 0; k < depth; k++) {
				wait(&empty[ring.at], ring.parity);
				arrive_expect(&full[ring.at], (seeded(expect_many) ? 3 : 2) * BYTES);
				bulk_load(tile_a[ring.at], a + (p * depth + k) * WORDS, BYTES, &full[ring.at]);
				bulk_load(tile_b[ring.at], b + k * WORDS, BYTES, &full[ring.at]);
				advance(ring, STAGES, 1);
			}
		}
	}

	unsigned t = threadIdx.x - 64, column = t % SIDE, row = t / SIDE;
	bool last_warp = warp == READERS;

	if (seeded(lapped) && last_warp) {
		unsigned late = 1;

		for (unsigned k = 0; k < 4000; k++)
			asm volatile("mad.lo.u32 %0, %0, 3, 1;" : "+r"(late));
	}
	for (;;) {
		unsigned p, sum[EACH] = {0};

		wait(&told[slot.at], slot.parity);
		if (lane == 0 && seeded(taken_early))
			arrive(&taken[slot.at]);
		p = number[slot.at];
		sync_warp();
		if (lane == 0 && !seeded(taken_early) && !(seeded(lapped) && last_warp))
			arrive(&taken[slot.at]);
		if (lane == 0 && seeded(double_taken) && last_warp)
			arrive(&taken[slot.at]);
		advance(slot, SLOTS, !seeded(slot_no_flip));
		if (seeded(end_equal) ? p == products : p + (seeded(end_decoded) && last_warp) >= products)
			return;
		for (unsigned k = 0; k < (seeded(tail_consumer) ? depth & ~1u : depth); k++) {
			wait(&full[ring.at], ring.parity);
			for (unsigned i = 0; i < EACH; i++)
				for (unsigned x = 0; x < SIDE; x++)
					sum[i] += tile_a[ring.at][(row + ROWS * i) * SIDE + x] *
						  tile_b[ring.at][x * SIDE + column];
			sync_warp();
			if (lane == 0)
				arrive(&empty[ring.at]);
			advance(ring, STAGES, 1);
		}
		for (unsigned i = 0; i < EACH; i++)
			c[p * WORDS + (row + ROWS * i) * SIDE + column] = sum[i];
	}
}
