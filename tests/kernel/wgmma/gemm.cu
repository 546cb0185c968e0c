/* A tile of 64 x 64 and K = 64 * steps, as CUTLASS pipelines it: a producer warpgroup copies by cp.async.bulk, a consumer warpgroup
 * multiplies, with one group pending, and one of its threads releases the slot before.  gemm.ptx is this by nvcc -arch=sm_90a -ptx; with
 * -DFAULT it releases the slot whose multiplication is still under way. */
#include <stdint.h>
#include <cuda_fp16.h>
__device__ inline uint32_t shared_of(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline uint64_t desc(const void *p) { return (uint64_t)((shared_of(p) & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62; }
__device__ inline void arrive() { asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory"); }
template <int N> __device__ inline void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(N) : "memory"); }
__device__ inline void fence_operand(float &r) { asm volatile("" : "+f"(r)::"memory"); }
__device__ inline void mma(float (&d)[32], uint64_t a, uint64_t b, int scale)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
		"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
		"{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		"%32, %33, p, 1, 1, 0, 0;\n}\n"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
		  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
		: "l"(a), "l"(b), "r"(scale));
}
__device__ inline void init(uint64_t *b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_of(b)), "r"(n) : "memory"); }
__device__ inline void wait_for(uint64_t *b, int parity)
{
	asm volatile("{\n.reg .pred p;\nLAB_%=:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@p bra DONE_%=;\nbra LAB_%=;\nDONE_%=:\n}" ::"r"(shared_of(b)), "r"(parity) : "memory");
}
__device__ inline void arrive_at(uint64_t *b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_of(b)) : "memory"); }
__device__ inline void expect(uint64_t *b, int n) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_of(b)), "r"(n) : "memory"); }
__device__ inline void copy(void *to, const void *from, int n, uint64_t *b)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_of(to)), "l"(from), "r"(n), "r"(shared_of(b)) : "memory");
}
#define STAGES 3
extern "C" __global__ void __launch_bounds__(256) gemm(const __half *a, const __half *b, float *c, int steps)
{
	__shared__ alignas(1024) __half as[STAGES][64 * 64];
	__shared__ alignas(1024) __half bs[STAGES][64 * 64];
	__shared__ uint64_t full[STAGES], empty[STAGES];
	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) init(&full[s], 1), init(&empty[s], 1);
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncthreads();
	if (threadIdx.x >= 128) {
		if (threadIdx.x == 128)
			for (int k = 0; k < steps; k++) {
				int s = k % STAGES;
				wait_for(&empty[s], (k / STAGES & 1) ^ 1);
				expect(&full[s], 2 * 8192);
				copy(as[s], a + k * 4096, 8192, &full[s]);
				copy(bs[s], b + k * 4096, 8192, &full[s]);
			}
		return;
	}
	float d[32];
	int scale = 0, last = 0;
	for (int i = 0; i < 32; i++) d[i] = 0;
	for (int k = 0; k < steps; k++) {
		int s = k % STAGES;
		wait_for(&full[s], k / STAGES & 1);
		for (int i = 0; i < 32; i++) fence_operand(d[i]);
		arrive();
		for (int j = 0; j < 4; j++) {
			mma(d, desc(as[s] + j * 16), desc(bs[s] + j * 16), scale);
			scale = 1;
		}
		commit();
		for (int i = 0; i < 32; i++) fence_operand(d[i]);
		wait<1>();
#ifdef FAULT
		if (threadIdx.x == 0) arrive_at(&empty[s]);
#else
		if (k && threadIdx.x == 0) arrive_at(&empty[last]);
#endif
		last = s;
	}
	wait<0>();
	for (int i = 0; i < 32; i++) fence_operand(d[i]);
	for (int i = 0; i < 32; i++)
		c[(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8) * 64 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
}
