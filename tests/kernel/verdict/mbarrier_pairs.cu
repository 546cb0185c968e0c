// Two rings of two stages each, one for each operand: consumers free the second one at the mbarriers of the first.
// launch right: --block 96 --arg buf:data:u32:768:iota --arg buf:to:u32:64:zero --arg u32:12 --grid 1 --define FAULT=none --dump to --gpu h200 --divergence independent
// launch other_ring: --block 96 --arg buf:data:u32:768:iota --arg buf:to:u32:64:zero --arg u32:12 --grid 1 --define FAULT=other_ring --gpu h200 --divergence independent
#include "mbarrier_cluster.h"
enum { none, other_ring };
#define STAGES 2

__device__ inline void bring(unsigned *to, const unsigned *from, unsigned long long *bar)
{
	arrive_expect(bar, 128);
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(in_shared(to)), "l"(from), "r"(in_shared(bar))
		     : "memory");
}

extern "C" __global__ void pairs(const unsigned *from, unsigned *to, unsigned tiles)
{
	__shared__ __align__(128) unsigned first[STAGES][32], second[STAGES][32];
	__shared__ unsigned long long first_full[STAGES], first_empty[STAGES], second_full[STAGES], second_empty[STAGES];
	unsigned lane = threadIdx.x % 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&first_full[s], 1);
			init(&first_empty[s], 2);
			init(&second_full[s], 1);
			init(&second_empty[s], 2);
		}
	__syncthreads();
	for (unsigned k = 0; k < tiles && threadIdx.x == 64; k++) {
		unsigned s = k % STAGES, odd = k / STAGES & 1 ^ 1;

		wait(&first_empty[s], odd);
		bring(first[s], from + 64 * k, &first_full[s]);
		wait(&second_empty[s], odd);
		bring(second[s], from + 64 * k + 32, &second_full[s]);
	}
	for (unsigned k = 0; k < tiles && threadIdx.x < 64; k++) {
		unsigned s = k % STAGES;

		wait(&first_full[s], k / STAGES & 1);
		sum += first[s][lane];
		__syncwarp();
		if (lane == 0)
			arrive(&first_empty[s]);
		wait(&second_full[s], k / STAGES & 1);
		sum += 3 * second[s][lane];
		__syncwarp();
		if (lane == 0)
			arrive(seeded(other_ring) ? &first_empty[s] : &second_empty[s]);
	}
	if (threadIdx.x < 64)
		to[threadIdx.x] = sum;
}
