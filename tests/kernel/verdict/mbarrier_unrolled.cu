// The stages of a ring in loops that the compiler unrolls, so that each line is several instructions: what is wrong with a line is wrong with
// all of them.  PTX ISA 9.7.13.15 (mbarrier) for what each instruction does.
// launch right: --block 160 --arg buf:out:u32:128:zero --arg u32:4 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch ends_early: --block 160 --arg buf:out:u32:128:zero --arg u32:4 --define FAULT=ends_early --gpu h200 --divergence independent
// launch parity: --block 160 --arg buf:out:u32:128:zero --arg u32:4 --define FAULT=parity --gpu h200 --divergence independent
// launch count_small: --block 160 --arg buf:out:u32:128:zero --arg u32:4 --define FAULT=count_small --gpu h200 --divergence independent
// launch one_skips: --block 160 --arg buf:out:u32:128:zero --arg u32:4 --define FAULT=one_skips --gpu h200 --divergence independent
#include "mbarriers.h"
#define STAGES 3
#define UNROLLED 4
enum { none, ends_early, parity, count_small, one_skips };

__shared__ unsigned long long full[STAGES], empty[STAGES];
__shared__ unsigned slot[STAGES];

__device__ inline void write(unsigned rounds)
{
	for (unsigned r = 0; r < rounds - seeded(ends_early); r++)
#pragma unroll
		for (unsigned j = 0; j < UNROLLED; j++) {
			unsigned k = r * UNROLLED + j, s = k % STAGES;

			wait(&empty[s], (k / STAGES & 1) ^ !seeded(parity));
			((volatile unsigned *)slot)[s] = k + 1;
			arrive(&full[s]);
		}
}

__device__ inline unsigned read(unsigned rounds)
{
	unsigned sum = 0;

	for (unsigned r = 0; r < rounds; r++)
#pragma unroll
		for (unsigned j = 0; j < UNROLLED; j++) {
			unsigned k = r * UNROLLED + j, s = k % STAGES;

			wait(&full[s], k / STAGES & 1);
			sum += ((volatile unsigned *)slot)[s];
			__syncwarp();
			if (threadIdx.x % 32 == 0 && !(seeded(one_skips) && threadIdx.x / 32 == 2 && r == 2))
				arrive(&empty[s]);
		}
	return sum;
}

extern "C" __global__ void unrolled(unsigned *out, unsigned rounds)
{
	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], seeded(count_small) ? 1 : 4);
		}
	__syncthreads();
	if (threadIdx.x == 0)
		write(rounds);
	else if (threadIdx.x >= 32)
		out[threadIdx.x - 32] = read(rounds);
}
