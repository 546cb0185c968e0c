// All threads of a work-group arrive at one mbarrier in each step and wait for its phase; and warps that hand a turn on by mbarriers.
// PTX ISA 9.7.13.15.13 (mbarrier.arrive) and 9.7.13.15.20 (cp.async.mbarrier.arrive: without .noinc, the pending count is raised first).
// launch right: --block 96 --arg u32:6 --define FAULT=none --gpu h200 --divergence independent
// launch one_leaves_out: --block 96 --arg u32:6 --define FAULT=one_leaves_out --gpu h200 --divergence independent
// launch some_end: --block 96 --arg u32:6 --define FAULT=some_end --gpu h200 --divergence independent
// launch twice: --block 96 --arg u32:6 --define FAULT=twice --gpu h200 --divergence independent --mode functional
// launch not_noinc: --block 96 --arg u32:6 --define FAULT=not_noinc --gpu h200 --divergence independent
// launch no_first_turn: --block 96 --arg u32:6 --define FAULT=no_first_turn --gpu h200 --divergence independent
// launch turn_to_itself: --block 96 --arg u32:6 --define FAULT=turn_to_itself --gpu h200 --divergence independent
#include "mbarriers.h"
enum { none, one_leaves_out, some_end, twice, not_noinc, no_first_turn, turn_to_itself };
#define WARPS 3

__device__ inline unsigned long long arrive_state(unsigned long long *bar)
{
	unsigned long long state;

	asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(in_shared(bar)) : "memory");
	return state;
}

__device__ inline void wait_state(unsigned long long *bar, unsigned long long state)
{
	unsigned done;

	do
		asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
			     : "=r"(done)
			     : "r"(in_shared(bar)), "l"(state)
			     : "memory");
	while (!done);
}

__device__ inline void arrive_copied(unsigned long long *bar, bool noinc)
{
	if (noinc)
		asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(in_shared(bar)) : "memory");
	else
		asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(in_shared(bar)) : "memory");
}

extern "C" __global__ void lanes(unsigned steps)
{
	__shared__ unsigned long long all, turn[WARPS];
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	if (threadIdx.x == 0) {
		init(&all, 32 * WARPS);
		for (unsigned w = 0; w < WARPS; w++)
			init(&turn[w], 1);
	}
	__syncthreads();
	for (unsigned k = 0; k < steps && seeded(twice); k++) {
		unsigned long long state = arrive_state(&all);

		if (k == 2 && threadIdx.x == 70)
			state = arrive_state(&all);
		wait_state(&all, state);
	}
	for (unsigned k = 0; k < steps && !seeded(twice); k++) {
		if (seeded(some_end) && k == 4 && threadIdx.x > 83)
			return;
		if (!(seeded(one_leaves_out) && k == 3 && threadIdx.x == 50))
			arrive_copied(&all, !seeded(not_noinc));
		wait(&all, k & 1);
	}
	for (unsigned k = 0; k < steps; k++) {
		wait(&turn[warp], (k & 1) ^ (warp == 0 && !seeded(no_first_turn)));
		__syncwarp();
		if (lane == 0)
			arrive(&turn[seeded(turn_to_itself) && warp == 1 ? warp : (warp + 1) % WARPS]);
	}
}
