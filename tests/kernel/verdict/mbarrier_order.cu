// Ping-pong: two groups of threads take tiles by turns, and hand on two turns for each, of the main loop and of the end.
// launch right: --block 192 --arg buf:data:u32:1152:iota --arg buf:to:u32:384:zero --arg u32:6 --arg u32:3 --grid 1 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch own_turn: --block 192 --arg buf:data:u32:1152:iota --arg buf:to:u32:384:zero --arg u32:6 --arg u32:3 --grid 1 --define FAULT=own_turn --gpu h200 --divergence independent
#include "mbarrier_cluster.h"
enum { none, own_turn };
#define STAGES 4
#define WORDS 64

__device__ inline void bring(unsigned *to, const unsigned *from, unsigned long long *bar)
{
	arrive_expect(bar, 4 * WORDS);
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(in_shared(to)), "l"(from), "r"(in_shared(bar))
		     : "memory");
}

extern "C" __global__ void order(const unsigned *from, unsigned *to, unsigned tiles, unsigned depth)
{
	__shared__ __align__(128) unsigned tile[STAGES][WORDS];
	__shared__ unsigned long long full[STAGES], empty[STAGES], turn[2][2];
	unsigned group = threadIdx.x / WORDS, lane = threadIdx.x % WORDS;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], WORDS);
			init(&turn[s / 2][s % 2], WORDS);
		}
	__syncthreads();
	for (unsigned k = 0; k < tiles * depth && threadIdx.x == 2 * WORDS; k++) {
		wait(&empty[k % STAGES], k / STAGES & 1 ^ 1);
		bring(tile[k % STAGES], from + WORDS * k, &full[k % STAGES]);
	}
	for (unsigned i = group, odd = !group; i < tiles && group < 2; i += 2, odd ^= 1) {
		unsigned sum = 0;

		wait(&turn[0][group], odd);
		for (unsigned k = i * depth; k < (i + 1) * depth; k++) {
			wait(&full[k % STAGES], k / STAGES & 1);
			sum += tile[k % STAGES][lane];
			arrive(&empty[k % STAGES]);
		}
		arrive(&turn[0][!group]);
		wait(&turn[1][group], odd);
		to[WORDS * i + lane] = sum;
		arrive(&turn[1][seeded(own_turn) ? group : !group]);
	}
}
