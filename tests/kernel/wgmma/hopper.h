/* What kernels for Hopper need of PTX: mbarriers, tensor copies, wgmma.  For CUDA kernels of this folder, which nvcc
 * compiles. */
#include <cuda.h>
#include <cuda_fp16.h>
#include <stdint.h>

static __device__ inline uint32_t shared_of(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/* ---- mbarriers ---- */

static __device__ inline void init(uint64_t *b, int count)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_of(b)), "r"(count) : "memory");
}

static __device__ inline void wait_for(uint64_t *b, int parity)
{
	asm volatile(
		"{\n.reg .pred p;\nAGAIN_%=:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN_%=;\n}" ::
			"r"(shared_of(b)),
		"r"(parity)
		: "memory");
}

static __device__ inline void arrive_at(uint64_t *b)
{
	asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_of(b)) : "memory");
}

static __device__ inline void expect(uint64_t *b, int bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_of(b)), "r"(bytes) : "memory");
}

/* ---- Tensor copies ---- */

static __device__ inline void load(void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
		     "%3}], [%4];" ::"r"(shared_of(to)),
		     "l"(map), "r"(x), "r"(y), "r"(shared_of(b))
		     : "memory");
}

static __device__ inline void add_to(const CUtensorMap *map, int x, int y, const void *from)
{
	asm volatile(
		"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
			map),
		"r"(x), "r"(y), "r"(shared_of(from))
		: "memory");
	asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---- wgmma ---- */

/* Of rows of 128 bytes, swizzled; 8 rows are 1,024 bytes. */
static __device__ inline uint64_t desc(const void *p)
{
	return (uint64_t)((shared_of(p) & 0x3ffff) >> 4) | (uint64_t)64 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}

#define FENCE(d)                                                                                                       \
	for (int i_ = 0; i_ < 32; i_++)                                                                                \
	asm volatile("" : "+f"((d)[i_])::"memory")
#define BEGIN() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define END() asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory")
#define SUMS                                                                                                           \
	"{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, "   \
	"%23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define EIGHT(d, k)                                                                                                    \
	"+f"((d)[k]), "+f"((d)[k + 1]), "+f"((d)[k + 2]), "+f"((d)[k + 3]), "+f"((d)[k + 4]), "+f"((d)[k + 5]),        \
		"+f"((d)[k + 6]), "+f"((d)[k + 7])
#define ALL(d) EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24)
