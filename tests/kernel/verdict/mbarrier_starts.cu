// Pipelines whose phases are not what a thread takes them for: an mbarrier is initialised again while it is used, readers begin with the parity of
// the phase before the first, or free the stage behind theirs.  More than one change may help; then none is confirmed.
// launch right: --block 96 --arg buf:in:u32:2048:iota --arg buf:out:u32:64:zero --arg u32:9 --dump out --define FAULT=none --define STAGES=4 --gpu h200 --divergence independent
// launch again: --block 96 --arg buf:in:u32:2048:iota --arg buf:out:u32:64:zero --arg u32:8 --dump out --define FAULT=again --define STAGES=2 --gpu h200 --divergence independent --mode functional
// launch readers_early: --block 96 --arg buf:in:u32:2048:iota --arg buf:out:u32:64:zero --arg u32:9 --dump out --define FAULT=readers_early --define STAGES=3 --gpu h200 --divergence independent
// launch frees_next: --block 96 --arg buf:in:u32:2048:iota --arg buf:out:u32:64:zero --arg u32:13 --dump out --define FAULT=frees_next --define STAGES=4 --gpu h200 --divergence independent --mode functional --scheduler lrr --seed 2
#include "mbarriers.h"
enum { none, again, readers_early, frees_next };
#define READERS 64
#define WORDS 128

__device__ inline void expect(unsigned long long *bar, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(bar)), "r"(bytes) : "memory");
}

__device__ inline void copy(unsigned *to, const unsigned *from, unsigned bytes, unsigned long long *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(in_shared(to)),
		     "l"(from), "r"(bytes), "r"(in_shared(bar))
		     : "memory");
}

extern "C" __global__ void starts(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ __align__(128) unsigned tile[STAGES][WORDS];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	unsigned reader = threadIdx.x - 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], READERS / 32);
		}
	__syncthreads();
	for (unsigned k = 0; k < tiles && threadIdx.x == 0; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], k / STAGES % 2 ^ 1);
		if (seeded(again) && s == 1)
			init(&full[s], 1);
		expect(&full[s], sizeof tile[s]);
		copy(tile[s], in + k * WORDS, sizeof tile[s], &full[s]);
	}
	for (unsigned k = 0; k < tiles && threadIdx.x >= 32; k++) {
		unsigned s = k % STAGES;

		if (seeded(readers_early) && k == STAGES + 1)
			__nanosleep(20000);
		wait(&full[s], k / STAGES % 2 ^ seeded(readers_early));
		sum += tile[s][reader] + tile[s][reader + READERS];
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			arrive(&empty[seeded(frees_next) ? (s + 1) % STAGES : s]);
	}
	if (threadIdx.x >= 32)
		out[reader] = sum;
}
