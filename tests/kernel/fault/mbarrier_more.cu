// A producer warp of one elected lane and a consumer warp over two slots: more arrive than the count means while bytes are awaited.
// PTX ISA 9.7.13.15 (mbarrier): the pending count must not be less than the arrivals.
// launch lanes: --block 64 --arg buf:in:u32:256:iota --arg buf:out:u32:32:zero --arg u32:8 --define FAULT=lanes --gpu h200
// launch again: --block 64 --arg buf:in:u32:256:iota --arg buf:out:u32:32:zero --arg u32:8 --define FAULT=again --gpu h200
// launch beside: --block 64 --arg buf:in:u32:256:iota --arg buf:out:u32:32:zero --arg u32:8 --define FAULT=beside --gpu h200
// launch warps: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:32:zero --arg u32:8 --define FAULT=warps --gpu h200
#include "../verdict/mbarriers.h"
#define STAGES 2
enum { lanes, again, beside, warps };

__shared__ __align__(16) unsigned slot[STAGES][32];
__shared__ unsigned long long full[STAGES], empty[STAGES];

__device__ inline void arrive_expect(unsigned long long *bar)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(in_shared(bar)) : "memory");
}

__device__ inline void copy(unsigned *to, const unsigned *from, unsigned long long *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(in_shared(to)), "l"(from),
		"r"(in_shared(bar))
		: "memory");
}

__device__ inline void produce(const unsigned *in, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], k / STAGES & 1 ^ 1);
		if (seeded(lanes) || threadIdx.x % 32 == 0)
			arrive_expect(&full[s]);
		if (seeded(again) && threadIdx.x % 32 == 0)
			for (unsigned j = 0; j < n - 7; j++)
				arrive(&full[s]);
		if (seeded(beside) && threadIdx.x == 0)
			arrive(&full[s]);
		if (threadIdx.x == 0)
			copy(slot[s], in + k * 32, &full[s]);
	}
}

extern "C" __global__ void more(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned warp = threadIdx.x / 32, sum = 0;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], 32);
		}
	__syncthreads();
	if (warp != 1) {
		produce(in, n);
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		wait(&full[k % STAGES], k / STAGES & 1);
		sum += slot[k % STAGES][threadIdx.x % 32];
		arrive(&empty[k % STAGES]);
	}
	out[threadIdx.x % 32] = sum;
}
