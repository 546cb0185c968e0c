// Warpgroups of 128 threads in turns, by a barrier for each, written as FlashAttention-3 writes its warp scheduler barriers; a producer
// warpgroup ends at once.  The first warpgroup gives itself the first turn.  PTX ISA 9.7.13.1 (bar) for what each instruction does.
// launch right: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch no_first: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=no_first --gpu h200 --divergence independent
// launch next_own: --block 512 --arg buf:in:u32:4096:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=next_own --define GROUPS=3 --gpu h200 --divergence independent
// launch next_own_one: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=next_own_one --gpu h200 --divergence independent
// launch waits_at_next: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=waits_at_next --gpu h200 --divergence independent
// launch left_out: --block 512 --arg buf:in:u32:4096:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=left_out --define GROUPS=3 --gpu h200 --divergence independent
// launch last_left_out: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=last_left_out --gpu h200 --divergence independent
// launch ends_early: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=ends_early --gpu h200 --divergence independent
// launch leaves_early: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=leaves_early --gpu h200 --divergence independent
// launch by_one_warp: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=by_one_warp --gpu h200 --divergence independent
// launch twice: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=twice --gpu h200 --divergence independent
// launch other_count: --block 384 --arg buf:in:u32:2048:iota --arg buf:out:u32:512:zero --arg u32:5 --define FAULT=other_count --gpu h200 --divergence independent
#include "barriers.h"
#ifndef GROUPS
#define GROUPS 2
#endif
enum { none, no_first, next_own, next_own_one, waits_at_next, left_out, last_left_out, ends_early, leaves_early, by_one_warp, twice,
	other_count };
enum { TURN = 1, OWN = 6 };

static __device__ __forceinline__ unsigned group_index(void)
{
	return __shfl_sync(0xffffffff, threadIdx.x / 128, 0) - 1;
}

static __device__ __forceinline__ void take_turn(void)
{
	unsigned me = group_index();

	named_sync(seeded(other_count) ? 128 : 256, TURN + (seeded(waits_at_next) ? (me + 1) % GROUPS : me));
}

static __device__ __forceinline__ void give_turn(void)
{
	unsigned me = group_index(), next = me + 1 < GROUPS ? me + 1 : 0;

	if (seeded(next_own) || (seeded(next_own_one) && me == 1))
		next = me;
	named_arrive(256, TURN + next);
}

extern "C" __global__ void __launch_bounds__(128 * (GROUPS + 1)) turns(const unsigned *in, unsigned *out, unsigned rounds)
{
	unsigned me = group_index(), t = threadIdx.x % 128, sum = 0;

	if (threadIdx.x < 128)
		return;
	if (me == 0 && !seeded(no_first))
		named_arrive(256, TURN);
	for (unsigned k = 0; k < rounds; k++) {
		take_turn();
		sum += in[(k * GROUPS + me) * 128 + t];
		if (seeded(ends_early) && me == 1 && k == 1)
			return;
		if (seeded(leaves_early) && me == 1 && k == 2)
			break;
		if (seeded(left_out) && me == 1 && k == 1)
			continue;
		if (seeded(by_one_warp) ? t < 32 : !(seeded(last_left_out) && k + 1 == rounds))
			give_turn();
		if (seeded(twice) && me == 0 && k == 1)
			give_turn();
		named_sync(128, OWN + me);
	}
	out[me * 128 + t] = sum;
	if (seeded(leaves_early))
		named_sync(256, 15);
}
