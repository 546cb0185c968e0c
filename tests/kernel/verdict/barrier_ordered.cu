// Two consumer warps in turns, for the products and for the epilogue, as CUTLASS's ordered sequence barrier has it for ping-pong kernels, by
// named barriers; a producer warp fills tiles, by mbarriers.  PTX ISA 9.7.13.1 (barrier) for what each instruction does.
// launch right: --block 96 --arg buf:out:u32:1024:zero --arg u32:9 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch no_first: --block 96 --arg buf:out:u32:1024:zero --arg u32:9 --define FAULT=no_first --gpu h200 --divergence independent
// launch no_first_of_both: --block 96 --arg buf:out:u32:1024:zero --arg u32:9 --define FAULT=no_first_of_both --gpu h200 --divergence independent
// launch next_own: --block 96 --arg buf:out:u32:1024:zero --arg u32:9 --define FAULT=next_own --gpu h200 --divergence independent
// launch epilogue_to_products: --block 96 --arg buf:out:u32:1024:zero --arg u32:9 --define FAULT=epilogue_to_products --gpu h200 --divergence independent
// launch epilogue_left_out: --block 96 --arg buf:out:u32:1024:zero --arg u32:9 --define FAULT=epilogue_left_out --gpu h200 --divergence independent
#include "mbarriers.h"
enum { none, no_first, no_first_of_both, next_own, epilogue_to_products, epilogue_left_out };
enum { TILES = 4 };

struct ordered {
	unsigned me, stage;

	__device__ unsigned number(unsigned s, unsigned group) const { return 1 + 2 * s + group; }
	__device__ void give(unsigned s, unsigned group) { asm volatile("barrier.arrive %0, 64;" ::"r"(number(s, group)) : "memory"); }
	__device__ void wait() { asm volatile("barrier.sync %0, 64;" ::"r"(number(stage, me)) : "memory"); }
	__device__ void arrive()
	{
		give(seeded(epilogue_to_products) ? 0 : stage, seeded(next_own) ? me : 1 - me);
		stage ^= 1;
	}
};

extern "C" __global__ void consume(unsigned *out, unsigned tiles)
{
	__shared__ unsigned tile[TILES][32];
	__shared__ unsigned long long full[TILES], empty[TILES];
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < TILES; s++) {
			init(&full[s], 32);
			init(&empty[s], 32);
		}
	__syncthreads();
	if (warp == 2) {
		for (unsigned k = 0; k < tiles; k++) {
			wait(&empty[k % TILES], k / TILES & 1 ^ 1);
			tile[k % TILES][lane] = k + lane;
			arrive(&full[k % TILES]);
		}
		return;
	}
	struct ordered order = {warp, 0};

	if (warp == 1 && !seeded(no_first_of_both)) {
		if (!seeded(no_first))
			order.give(0, 0);
		order.give(1, 0);
	}
	for (unsigned k = warp; k < tiles; k += 2) {
		order.wait();
		wait(&full[k % TILES], k / TILES & 1);
		unsigned x = tile[k % TILES][lane] * 5;
		arrive(&empty[k % TILES]);
		order.arrive();
		order.wait();
		out[k * 32 + lane] = x;
		if (seeded(epilogue_left_out) && k == 3)
			order.stage ^= 1;
		else
			order.arrive();
	}
}
