/* Two consumers in turns (ping-pong): while one multiplies, the other stores its result.
 *
 * A producer warp copies the tiles of all products, one after the other, into one ring of STAGES slots.  Consumer 0
 * takes products 0, 2, 4 ..., consumer 1 takes products 1, 3, 5 ...; each skips the slots of the other's products.  A
 * consumer stands for a warpgroup: it has WARPS warps.  Each consumer waits for its turn at an order barrier.  Consumer
 * 1 gives consumer 0 the first turn; then a consumer that has multiplied gives the next turn to the other.  Order
 * barriers are named barriers, as in FlashAttention; with --define ORDER_MBARRIER they are mbarriers, as in CUTLASS.
 *
 * Work-group g computes c[g][p] = scrambled(a[g][p] * b) for its `products`; a product is a sum over `depth` tiles of
 * 16 x 16 words.
 *
 *     lockstep kernel workloads/pipeline/pingpong.cu --gpu h200 --block 96 [--define FAULT=NAME]
 *         --arg buf:a:u32:3840:iota --arg buf:b:u32:768:iota --arg buf:c:u32:1280:zero --arg u32:5 --arg u32:3 --dump c
 */
#include "pipeline.h"

#ifndef STAGES
#define STAGES 3
#endif
#ifndef WARPS
#define WARPS 1
#endif
#ifndef EPILOGUE
#define EPILOGUE 1 /* rounds over a result.  With many, the next turn comes while a consumer still computes */
#endif
/* A tile's words are divided among the threads of a consumer, row by row: each thread has EACH of them, one in each
 * ROWS rows. */
#define THREADS (32 * WARPS)
#define EACH (WORDS / THREADS)
#define ROWS (THREADS / SIDE)

enum fault {
	none,
	no_first_turn,     /* consumer 1 does not give consumer 0 its first turn */
	double_turn,       /* consumer 0 gives the turn after product 0 twice */
	order_count_large, /* the order barriers count a warp that never arrives */
	same_number,       /* a consumer's own barrier has the number of its order barrier */
	shared_number,     /* both consumers use one number for their own barriers (WARPS=2) */
	tail_turn,         /* a consumer without a further product does not give the turn */
	early_end,         /* consumer 1 ends after its first product, without giving the turn */
	no_skip,           /* consumer 1 does not skip the slots of product 0 */
	skip_no_flip,      /* skipping forgets that the parity flips at wrap-around */
	skip_short,        /* skipping is one slot short */
	empty_count_large, /* empty counts both consumers, but only one of them releases the slot */
	release_carried,   /* a slot is released only when the next one is full, which may need the slot (STAGES=2) */
	released_early,    /* a slot is released before it is read */
	missing_release,   /* the last slot of a product is not released */
	expect_few,        /* the bytes of one copy are expected, but two copies are made */
	expect_many,       /* more bytes are expected than are copied */
	tail_producer,     /* the producer copies whole pairs of products only */
	result_reused,     /* a result is stored while the bulk store of the one before may still read */
	order_parity,      /* ORDER_MBARRIER: the consumers begin with the wrong parity */
	order_no_flip,     /* ORDER_MBARRIER: the parity of the order barrier does not flip */
};

struct cursor {
	unsigned stage, parity;
};

static __device__ inline void advance(struct cursor *at, unsigned by)
{
	for (at->stage += by; at->stage >= STAGES; at->stage -= STAGES)
		at->parity ^= 1;
}

static __device__ inline void skip(struct cursor *at, unsigned by)
{
	if (seeded(skip_no_flip))
		at->stage = (at->stage + by) % STAGES;
	else
		advance(at, by - seeded(skip_short));
}

static __device__ inline unsigned scrambled(unsigned v)
{
	for (unsigned k = 0; k < EPILOGUE; k++)
		v = (v ^ v >> 15) * 0x2c1b3c6d;
	return v;
}

#if defined ORDER_MBARRIER
#define take_turn(me)                                                                                                  \
	wait(&order[me], turn);                                                                                        \
	turn ^= !seeded(order_no_flip)
#define give_turn(other)                                                                                               \
	sync_warp();                                                                                                   \
	if (lane == 0)                                                                                                 \
	arrive(&order[other])
#else
#define take_turn(me) named_sync(1 + (me), 2 * THREADS + (seeded(order_count_large) ? 32 : 0))
#define give_turn(other) named_arrive(1 + (other), 2 * THREADS + (seeded(order_count_large) ? 32 : 0))
#endif

extern "C" __global__ void __launch_bounds__(32 + 2 * THREADS)
	pingpong(const unsigned *a, const unsigned *b, unsigned *c, unsigned products, unsigned depth)
{
	__shared__ __attribute__((aligned(128))) unsigned tile_a[STAGES][WORDS], tile_b[STAGES][WORDS],
		result[2][WORDS];
	__shared__ mbarrier full[STAGES], empty[STAGES], order[2];
	unsigned lane = threadIdx.x % 32;
	struct cursor at = {0, 0};

	a += blockIdx.x * products * depth * WORDS;
	c += blockIdx.x * products * WORDS;
	if (threadIdx.x == 0) {
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], WARPS * (seeded(empty_count_large) ? 2 : 1));
		}
		for (unsigned w = 0; w < 2; w++)
			init(&order[w], WARPS);
		fence_init();
	}
	__syncthreads();

	if (threadIdx.x < 32) {
		unsigned tiles = (seeded(tail_producer) ? products & ~1u : products) * depth;

		if (lane)
			return;
		at.parity = 1;
		for (unsigned k = 0; k < tiles; k++) {
			wait(&empty[at.stage], at.parity);
			arrive_expect(&full[at.stage], (seeded(expect_few) ? 1 : seeded(expect_many) ? 3 : 2) * BYTES);
			bulk_load(tile_a[at.stage], a + k * WORDS, BYTES, &full[at.stage]);
			bulk_load(tile_b[at.stage], b + k % depth * WORDS, BYTES, &full[at.stage]);
			advance(&at, 1);
		}
		return;
	}

	unsigned t = (threadIdx.x - 32) % THREADS, me = (threadIdx.x - 32) / THREADS, column = t % SIDE, row = t / SIDE;
	unsigned own = seeded(same_number) ? 1 + me : seeded(shared_number) ? 3 : 3 + me, held = STAGES;
#if defined ORDER_MBARRIER
	unsigned turn = seeded(order_parity) ? 1 : 0;
#endif

	if (me == 1 && !seeded(no_first_turn)) {
		give_turn(0);
	}
	if (me == 1 && !seeded(no_skip))
		skip(&at, depth);
	for (unsigned p = me; p < products; p += 2) {
		unsigned sum[EACH];

		for (unsigned i = 0; i < EACH; i++)
			sum[i] = 0;
		take_turn(me);
		for (unsigned k = 0; k < depth; k++) {
			wait(&full[at.stage], at.parity);
			if (seeded(released_early) && lane == 0)
				arrive(&empty[at.stage]);
			if (seeded(release_carried) && held < STAGES && lane == 0)
				arrive(&empty[held]);
			for (unsigned i = 0; i < EACH; i++)
				for (unsigned x = 0; x < SIDE; x++)
					sum[i] += tile_a[at.stage][(row + ROWS * i) * SIDE + x] *
						  tile_b[at.stage][x * SIDE + column];
			sync_warp();
			held = at.stage;
			if (lane == 0 && !seeded(released_early) && !seeded(release_carried) &&
				!(seeded(missing_release) && k + 1 == depth))
				arrive(&empty[at.stage]);
			advance(&at, 1);
		}
		if (seeded(early_end) && me == 1)
			return;
		if (seeded(double_turn) && p == 0) {
			give_turn(1 - me);
		}
		if (p + (seeded(tail_turn) ? 2 : 1) < products) {
			give_turn(1 - me);
		}
		skip(&at, depth);

		if (t == 0 && !seeded(result_reused))
			bulk_wait_read(0);
		named_sync(own, THREADS);
		for (unsigned i = 0; i < EACH; i++)
			result[me][(row + ROWS * i) * SIDE + column] = scrambled(sum[i]);
		proxy_fence();
		named_sync(own, THREADS);
		if (t == 0) {
			bulk_store(c + p * WORDS, result[me], BYTES);
			bulk_commit();
		}
	}
	if (t == 0)
		bulk_wait(0);
}
