// mbarriers and copies of clusters, for kernels of this folder: PTX ISA 9.7.9.25, 9.7.13.15.
#ifndef MBARRIER_CLUSTER_H
#define MBARRIER_CLUSTER_H
#include "mbarriers.h"

__device__ inline unsigned in_rank(const void *p, unsigned rank)
{
	unsigned at;

	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(in_shared(p)), "r"(rank));
	return at;
}

__device__ inline unsigned own_rank(void)
{
	unsigned rank;

	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

__device__ inline void sync_cluster(void)
{
	asm volatile("fence.mbarrier_init.release.cluster;\n\tbarrier.cluster.arrive.release.aligned;\n\t"
		     "barrier.cluster.wait.acquire.aligned;" ::
			     : "memory");
}

__device__ inline void arrive_expect(unsigned long long *bar, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(bar)), "r"(bytes)
		     : "memory");
}

__device__ inline void arrive_in(unsigned long long *bar, unsigned rank)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_rank(bar, rank))
		     : "memory");
}

__device__ inline void wait_cluster(unsigned long long *bar, unsigned parity)
{
	unsigned done;

	do
		asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], "
			     "%2;\n\t"
			     "selp.u32 %0, 1, 0, p;\n\t}"
			     : "=r"(done)
			     : "r"(in_shared(bar)), "r"(parity)
			     : "memory");
	while (!done);
}

__device__ inline void copy_to(void *to, unsigned rank, const void *from, unsigned bytes, unsigned long long *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
			     in_rank(to, rank)),
		     "l"(from), "r"(bytes), "r"(in_rank(bar, rank))
		     : "memory");
}

__device__ inline void copy_to_all(void *to, const void *from, unsigned bytes, unsigned long long *bar, unsigned mask)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
		     "%2, [%3], %4;" ::"r"(in_shared(to)),
		     "l"(from), "r"(bytes), "r"(in_shared(bar)), "h"((unsigned short)mask)
		     : "memory");
}

__device__ inline void store_async(void *to, unsigned rank, unsigned value, unsigned long long *bar)
{
	asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
			     in_rank(to, rank)),
		     "r"(value), "r"(in_rank(bar, rank))
		     : "memory");
}

#endif
