// A multicast reads the L2 once for all work-groups that get it: rank 0 copies 4 KB to the four of a cluster, by a bulk copy (BULK) or as a box of a
// tensor (TENSOR); or each work-group copies them for itself (EACH), and then requests that meet are joined.  TIMES writes how many cycles it takes.
// The last one has the GPU's own number of lines under way, also where others are set (the hostile build): its cycles are of these.
// launch bulk: --gpu h200 --mode timing --dispatch in-order --coherence none --grid 4 --cluster 4 --block 64 --arg buf:in:u32:1024:iota --arg buf:out:u32:4096:zero --dump out --define BULK
// launch tensor: --gpu h200 --mode timing --dispatch in-order --coherence none --grid 4 --cluster 4 --block 64 --arg tensor:in:u32:32x32:128:32x32:128:new=iota --arg buf:out:u32:4096:zero --dump out --define TENSOR
// launch edge: --gpu h200 --mode timing --dispatch in-order --coherence none --grid 4 --cluster 4 --block 64 --arg tensor:in:u32:32x24:128:32x32:128:new=iota --arg buf:out:u32:4096:zero --dump out --define TENSOR
// launch each: --gpu h200 --mode timing --dispatch in-order --coherence none --grid 4 --cluster 4 --block 64 --arg buf:in:u32:1024:iota --arg buf:out:u32:4096:zero --dump out --define EACH
// launch apart: --gpu h200 --mode timing --dispatch in-order --coherence none --set bulk.coalesce=0 --grid 4 --cluster 4 --block 64 --arg buf:in:u32:1024:iota --arg buf:out:u32:4096:zero --dump out --define EACH
// launch times: --gpu h200 --set l1.mshrs=512 --mode timing --dispatch in-order --coherence none --grid 4 --cluster 4 --block 64 --arg buf:in:u32:8192:iota --arg buf:out:u32:4:zero --dump out --define BULK --define TIMES --define BYTES=32768
#include <cuda.h>

#ifndef BYTES
#define BYTES 4096
#endif

#ifdef TENSOR
__global__ void once(const __grid_constant__ CUtensorMap map, unsigned *out)
#else
__global__ void once(const unsigned *in, unsigned *out)
#endif
{
	__shared__ __align__(1024) unsigned data[BYTES / 4];
	__shared__ unsigned long long arrived;
	unsigned to = __cvta_generic_to_shared(data), full = __cvta_generic_to_shared(&arrived);
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full));
		asm volatile("fence.mbarrier_init.release.cluster;");
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full), "r"(BYTES) : "memory");
	}
	asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
	long long began = clock64();
#if defined(EACH)
	if (threadIdx.x == 0)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(in),
			"r"(BYTES), "r"(full) : "memory");
#elif defined(BULK)
	if (threadIdx.x == 0 && blockIdx.x == 0)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(to),
			"l"(in), "r"(BYTES), "r"(full), "h"((unsigned short)15) : "memory");
#else
	if (threadIdx.x == 0 && blockIdx.x == 0)
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
			     "[%0], [%1, {%2, %2}], [%3], %4;" ::"r"(to), "l"(&map), "r"(0), "r"(full), "h"((unsigned short)15) : "memory");
#endif
	asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" ::"r"(full) : "memory");
#ifdef TIMES
	if (threadIdx.x == 0)
		out[blockIdx.x] = (unsigned)(clock64() - began);
#else
	(void)began;
	for (unsigned k = threadIdx.x; k < BYTES / 4; k += 64) {
#ifdef TENSOR
		unsigned at = k ^ (k >> 5 & 7) << 2; // the swizzle of 128 bytes: pieces of 16 bytes change places
#else
		unsigned at = k;
#endif
		out[blockIdx.x * (BYTES / 4) + k] = data[at];
	}
#endif
	asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
