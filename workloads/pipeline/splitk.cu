/* Split-K with a fix-up: several work-groups share a product, and add their partial sums in turn.
 *
 * Work-group p * splits + s multiplies its part of the `depth` tiles of product p.  Then it waits until the product's
 * flag is s, adds the sum that its predecessor left in `room`, leaves the new sum there, and sets the flag to s + 1.
 * The last work-group stores the product, and sets the flag to 0 for the next launch.  The tiles come through one slot:
 * thread 0 starts two bulk copies, all threads wait for their mbarrier, and __syncthreads frees the slot.
 *
 *     lockstep kernel workloads/pipeline/splitk.cu --gpu h200 --grid 6 --block 64 [--define FAULT=NAME]
 *         --arg buf:a:u32:3584:iota --arg buf:b:u32:1792:iota --arg buf:c:u32:512:zero --arg buf:room:u32:512
 *         --arg buf:flag:u32:2:zero --arg u32:7 --arg u32:3 --dump c */
#include "pipeline.h"

#define THREADS 64
#define EACH (WORDS / THREADS) /* words of a tile for each thread, one in each ROWS rows */
#define ROWS (THREADS / SIDE)

enum fault {
	none,
	flag_never_set,   /* the second work-group of each product does not set the flag */
	flag_short,       /* the flag is set to s, not to s + 1 */
	flag_other,       /* the flag of the next product is set */
	flag_reset_early, /* the flag is set to 0 again at once: the next work-group may not have seen it */
	empty_part,       /* a work-group without tiles returns at once (more splits than tiles) */
	reversed,         /* turns begin at the highest work-group, which may not be resident */
	flag_unordered,   /* no __syncthreads between the stores of all threads and the flag */
	flag_relaxed,     /* the flag is set by a relaxed store */
	poll_relaxed,     /* the flag is read by relaxed loads */
	poll_plain,       /* the flag is read by plain loads, which an L1 may serve */
	room_shared,      /* all products use one room */
	expect_many,      /* the first of each product expects more bytes than are copied */
	expect_once,      /* bytes are expected for the first tile only */
	no_flip,          /* the parity of the slot does not flip */
	slot_not_free,    /* no __syncthreads before the slot is filled again */
};

extern "C" __global__ void __launch_bounds__(64) splitk(const unsigned *a, const unsigned *b, unsigned *c,
	unsigned *room, unsigned *flag, unsigned depth, unsigned splits)
{
	__shared__ __attribute__((aligned(128))) unsigned tile_a[WORDS], tile_b[WORDS];
	__shared__ mbarrier full;
	unsigned p = blockIdx.x / splits, s = blockIdx.x % splits, t = threadIdx.x, column = t % SIDE, row = t / SIDE;
	unsigned begin = s * depth / splits, end = (s + 1) * depth / splits, parity = 0, sum[EACH] = {0}, now;

	if (seeded(reversed))
		s = splits - 1 - s;
	if (t == 0) {
		init(&full, 1);
		fence_init();
	}
	__syncthreads();

	if (seeded(empty_part) && begin == end)
		return;
	for (unsigned k = begin; k < end; k++) {
		if (t == 0) {
			if (seeded(expect_once) && k > begin)
				arrive(&full);
			else
				arrive_expect(&full, (seeded(expect_many) && s == 0 ? 3 : 2) * BYTES);
			bulk_load(tile_a, a + (p * depth + k) * WORDS, BYTES, &full);
			bulk_load(tile_b, b + k * WORDS, BYTES, &full);
		}
		wait(&full, parity);
		parity ^= !seeded(no_flip);
		for (unsigned i = 0; i < EACH; i++)
			for (unsigned x = 0; x < SIDE; x++)
				sum[i] += tile_a[(row + ROWS * i) * SIDE + x] * tile_b[x * SIDE + column];
		if (!seeded(slot_not_free))
			__syncthreads();
	}

	unsigned *own_room = room + (seeded(room_shared) ? 0 : p * WORDS);

	if (s > 0) {
		if (t == 0)
			do
				if (seeded(poll_plain))
					asm volatile("ld.global.u32 %0, [%1];" : "=r"(now) : "l"(&flag[p]) : "memory");
				else if (seeded(poll_relaxed))
					load_relaxed(now, &flag[p]);
				else
					load_acquire(now, &flag[p]);
			while (now != s);
		__syncthreads();
		for (unsigned i = 0; i < EACH; i++)
			sum[i] += own_room[(row + ROWS * i) * SIDE + column];
	}
	if (s + 1 < splits) {
		for (unsigned i = 0; i < EACH; i++)
			own_room[(row + ROWS * i) * SIDE + column] = sum[i];
		if (!seeded(flag_unordered))
			__syncthreads();
		if (t == 0 && !(seeded(flag_never_set) && s == 1)) {
			if (seeded(flag_relaxed))
				store_relaxed(&flag[p], s + 1);
			else
				store_release(&flag[p + seeded(flag_other)], s + !seeded(flag_short));
			if (seeded(flag_reset_early))
				store_relaxed(&flag[p], 0);
		}
	} else {
		for (unsigned i = 0; i < EACH; i++)
			c[p * WORDS + (row + ROWS * i) * SIDE + column] = sum[i];
		if (t == 0)
			store_relaxed(&flag[p], 0);
	}
}
