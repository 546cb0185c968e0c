// Two work-groups of a cluster: each has a producer, which copies into both, and a consumer, which releases the slot in both.
// launch right: --block 64 --grid 2 --cluster 2 --arg buf:tiles_in:u32:512:iota --arg buf:out:u32:64:zero --arg u32:6 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch count_large: --block 64 --grid 2 --cluster 2 --arg buf:tiles_in:u32:512:iota --arg buf:out:u32:64:zero --arg u32:6 --define FAULT=count_large --gpu h200 --divergence independent
// launch few_bytes: --block 64 --grid 2 --cluster 2 --arg buf:tiles_in:u32:512:iota --arg buf:out:u32:64:zero --arg u32:6 --define FAULT=few_bytes --gpu h200 --divergence independent
// launch many_bytes: --block 64 --grid 2 --cluster 2 --arg buf:tiles_in:u32:512:iota --arg buf:out:u32:64:zero --arg u32:6 --define FAULT=many_bytes --gpu h200 --divergence independent
// launch left_out: --block 64 --grid 2 --cluster 2 --arg buf:tiles_in:u32:512:iota --arg buf:out:u32:64:zero --arg u32:6 --define FAULT=left_out --gpu h200 --divergence independent
// launch own_alone: --block 64 --grid 2 --cluster 2 --arg buf:tiles_in:u32:512:iota --arg buf:out:u32:64:zero --arg u32:6 --define FAULT=own_alone --gpu h200 --divergence independent
#include "mbarriers.h"
enum { none, count_large, few_bytes, many_bytes, left_out, own_alone };
#define STAGES 2

__device__ inline void arrive_in(unsigned long long *bar, unsigned rank)
{
	asm volatile("{\n\t.reg .b32 a;\n\tmapa.shared::cluster.u32 a, %0, %1;\n\tmbarrier.arrive.release.cluster.shared::cluster.b64 _, [a];\n\t}" ::"r"(in_shared(bar)),
		     "r"(rank)
		     : "memory");
}

__device__ inline void wait_cluster(unsigned long long *bar, unsigned parity)
{
	unsigned done;

	do
		asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
			     : "=r"(done)
			     : "r"(in_shared(bar)), "r"(parity)
			     : "memory");
	while (!done);
}

extern "C" __global__ void ranks(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ __align__(128) unsigned tile[STAGES][2][32];
	__shared__ unsigned long long full[STAGES], empty[STAGES];
	unsigned rank, lane = threadIdx.x % 32, sum = 0, bytes = seeded(few_bytes) ? 128 : seeded(many_bytes) ? 512 : 256;

	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(&full[s])) : "memory");
			asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(in_shared(&empty[s])), "r"(seeded(count_large) ? 3 : 2) : "memory");
		}
	asm volatile("fence.mbarrier_init.release.cluster;\n\tbarrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
	if (threadIdx.x == 0)
		for (unsigned k = 0; k < tiles; k++) {
			unsigned s = k % STAGES;

			wait_cluster(&empty[s], k / STAGES & 1 ^ 1);
			asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(&full[s])), "r"(bytes) : "memory");
			asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, [%2], %3;" ::"r"(
					     in_shared(tile[s][rank])),
				     "l"(in + (k * 2 + rank) * 32), "r"(in_shared(&full[s])), "h"((short)3)
				     : "memory");
		}
	for (unsigned k = 0; k < tiles && threadIdx.x >= 32; k++) {
		unsigned s = k % STAGES;

		wait_cluster(&full[s], k / STAGES & 1);
		sum += tile[s][0][lane] + tile[s][1][lane];
		__syncwarp();
		if (seeded(left_out) && rank == 1 && k == 2)
			continue;
		if (lane < 2 && !(seeded(own_alone) && lane != rank))
			arrive_in(&empty[s], lane);
	}
	if (threadIdx.x >= 32)
		out[32 * rank + lane] = sum;
	asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
