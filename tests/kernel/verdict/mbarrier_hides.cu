// Changes with which a kernel completes, but has races or reads what nothing has written: they hide what is wrong, and confirm nothing.
// launch right: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:8 --dump out --define FAULT=none --gpu h200 --divergence independent
// launch guard: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:8 --dump out --define FAULT=guard --gpu h200 --divergence independent
// launch one_copy: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:8 --dump out --define FAULT=one_copy --gpu h200 --divergence independent
// launch count: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:8 --dump out --define FAULT=count --gpu h200 --divergence independent
// launch count_and_race: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:8 --dump out --define FAULT=count_and_race --gpu h200 --divergence independent
#include "mbarriers.h"
enum { none, guard, one_copy, count, count_and_race };
#define STAGES 2
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

extern "C" __global__ void hides(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ __align__(128) unsigned tile[STAGES][WORDS];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	__shared__ unsigned last;
	unsigned reader = threadIdx.x - 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], READERS + (seeded(count) || seeded(count_and_race)));
		}
	__syncthreads();
	for (unsigned k = 0; k < tiles && threadIdx.x == 0; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], k / STAGES % 2 ^ 1);
		expect(&full[s], sizeof tile[s]);
		copy(tile[s], in + k * WORDS, sizeof tile[s] / 2, &full[s]);
		if (!seeded(one_copy))
			copy(tile[s] + WORDS / 2, in + k * WORDS + WORDS / 2, sizeof tile[s] / 2, &full[s]);
	}
	for (unsigned k = 0; k < tiles && threadIdx.x >= 32; k++) {
		unsigned s = k % STAGES;

		wait(&full[s], k / STAGES % 2);
		sum += tile[s][reader] + tile[s][reader + READERS];
		if (seeded(count_and_race))
			asm volatile("st.shared.u32 [%0], %1;" ::"r"(in_shared(&last)), "r"(reader) : "memory");
		if (!seeded(guard) || reader < 40)
			arrive(&empty[s]);
	}
	if (threadIdx.x >= 32)
		out[reader] = sum;
}
