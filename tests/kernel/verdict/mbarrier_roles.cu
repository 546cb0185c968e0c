// Two threads that fill slots together, two warpgroups that read them, and warps that do nothing: whose arrival may be missing where a count
// is not met, and which of the waits at a mbarrier asks for the wrong parity.  PTX ISA 9.7.13.15 (mbarrier) for what each instruction does.
// launch right: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch count_one_more: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=count_one_more --gpu h200 --divergence independent
// launch count_threads: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=count_threads --gpu h200 --divergence independent
// launch count_block: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=count_block --gpu h200 --divergence independent
// launch count_of_full: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=count_of_full --gpu h200 --divergence independent
// launch one_releases: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=one_releases --gpu h200 --divergence independent
// launch warps_counted: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=warps_counted --gpu h200 --divergence independent
// launch parity_of_one: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=parity_of_one --gpu h200 --divergence independent
// launch parity_of_both: --block 384 --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=parity_of_both --gpu h200 --divergence independent
#include "mbarriers.h"
#define STAGES 2
enum { none, count_one_more, count_threads, count_block, count_of_full, one_releases, warps_counted, parity_of_one, parity_of_both };

__shared__ unsigned long long full[STAGES], empty[STAGES];
__shared__ unsigned slot[STAGES];

__device__ inline void expect(unsigned long long *bar)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4;" ::"r"(in_shared(bar)) : "memory");
}

__device__ inline void come(unsigned long long *bar)
{
	asm volatile("mbarrier.complete_tx.shared::cta.b64 [%0], 4;" ::"r"(in_shared(bar)) : "memory");
}

__device__ inline void write(unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], (k / STAGES & 1) ^ !seeded(parity_of_both));
		((volatile unsigned *)slot)[s] = k + 1;
		come(&full[s]);
	}
}

__device__ inline void announce(unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], (k / STAGES & 1) ^ !(seeded(parity_of_one) || seeded(parity_of_both)));
		expect(&full[s]);
	}
}

__device__ inline unsigned read(unsigned n)
{
	unsigned sum = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait(&full[s], k / STAGES & 1);
		sum += ((volatile unsigned *)slot)[s];
		asm volatile("bar.sync %0, 128;" ::"r"(threadIdx.x / 128) : "memory");
		if (threadIdx.x % 128 == 0 && !(seeded(one_releases) && threadIdx.x / 128 == 2))
			arrive(&empty[s]);
	}
	return sum;
}

__device__ inline unsigned count_of_empty()
{
	switch (FAULT) {
	case count_one_more: return 3;
	case count_threads: return 256;
	case count_block: return blockDim.x / 32;
	case warps_counted: return 8;
	default: return 2;
	}
}

extern "C" __global__ void roles(unsigned *out, unsigned n)
{
	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], seeded(count_of_full) ? 2 : 1);
			init(&empty[s], count_of_empty());
		}
	__syncthreads();
	if (threadIdx.x >= 128)
		out[threadIdx.x - 128] = read(n);
	else if (threadIdx.x == 0)
		write(n);
	else if (threadIdx.x == 32)
		announce(n);
}
