// A producer warp, two consumer warps and a ring of three slots, written with inlined functions as CUTLASS writes them: what each warp does
// at the stages, one after the other, tells which of them is wrong.  PTX ISA 9.7.13.15 (mbarrier) for what each instruction does.
// launch right: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch release_skipped: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=release_skipped --gpu h200 --divergence independent
// launch release_by_one: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=release_by_one --gpu h200 --divergence independent
// launch release_other: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=release_other --gpu h200 --divergence independent
// launch release_first: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=release_first --gpu h200 --divergence independent
// launch waits_ahead: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=waits_ahead --gpu h200 --divergence independent
// launch stage_skipped: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=stage_skipped --gpu h200 --divergence independent
// launch never_releases: --block 128 --arg buf:out:u32:96:zero --arg u32:10 --define FAULT=never_releases --define CONSUMERS=3 --gpu h200 --divergence independent
// launch ends_early: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=ends_early --gpu h200 --divergence independent
// launch expects_alone: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=expects_alone --gpu h200 --divergence independent
// launch init_again: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=init_again --gpu h200 --divergence independent
#include "mbarriers.h"
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#define STAGES 3
enum { none, release_skipped, release_by_one, release_other, release_first, waits_ahead, stage_skipped, never_releases, ends_early, expects_alone,
	init_again };

__device__ inline void expect(unsigned long long *bar)
{
	asm volatile("mbarrier.expect_tx.shared::cta.b64 [%0], 4;\n\tmbarrier.complete_tx.shared::cta.b64 [%0], 4;" ::"r"(in_shared(bar)) : "memory");
}

__device__ unsigned slot[STAGES];
__shared__ unsigned long long full[STAGES], empty[STAGES];

__device__ inline void produce(unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], k / STAGES & 1 ^ 1);
		slot[s] = k + 1;
		if (seeded(expects_alone) && k & 1)
			expect(&full[s]);
		else
			arrive(&full[s]);
		if (seeded(init_again) && k == 4)
			init(&full[2], 1);
	}
}

// Where the consumer releases tile k.
__device__ inline unsigned released(unsigned warp, unsigned k)
{
	if (seeded(release_other) && warp == 2 && k == 4)
		return (k + 1) % STAGES;
	if (seeded(release_first))
		return 0;
	return k % STAGES;
}

__device__ inline unsigned consume(unsigned warp, unsigned n)
{
	unsigned sum = 0, last = seeded(ends_early) && warp == 2 ? n - 4 : n;

	for (unsigned k = 0; k < last; k++) {
		unsigned at = seeded(waits_ahead) ? k + 1 : seeded(stage_skipped) && k > 4 ? k + 1 : k, s = at % STAGES;

		wait(&full[s], at / STAGES & 1);
		sum += ((volatile unsigned *)slot)[s];
		__syncwarp();
		if (seeded(release_skipped) && k % 4 == 3)
			continue;
		if (seeded(release_by_one) && warp == 1 && k == 4)
			continue;
		if (seeded(never_releases) && warp == 2)
			continue;
		if (threadIdx.x % 32 == 0)
			arrive(&empty[seeded(stage_skipped) ? s : released(warp, k)]);
	}
	return sum;
}

extern "C" __global__ void ring(unsigned *out, unsigned n)
{
	unsigned warp = threadIdx.x / 32;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], CONSUMERS);
		}
	__syncthreads();
	if (threadIdx.x == 0)
		produce(n);
	if (warp)
		out[threadIdx.x - 32] = consume(warp, n);
}
