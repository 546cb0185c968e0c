// Matrix loads and stores with a barrier missing: before a load, behind a store, and before what is loaded is stored to again.
// launch groups: --kernel groups --block 128 --check races --arg buf:out:u32:512:zero --arg buf:half:u16:1024:iota
// launch lanes: --kernel lanes --block 32 --check races=strict --arg buf:out:u32:512:zero --arg buf:half:u16:1024:iota
#include "async.h"

#define load_rows(a, b, c, d, from)                                                                                    \
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"                                \
		     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                                              \
		     : "r"(in_shared(from))                                                                            \
		     : "memory")
#define store_rows(to, a, b, c, d)                                                                                     \
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(in_shared(to)), "r"(a),  \
		     "r"(b), "r"(c), "r"(d)                                                                            \
		     : "memory")

static __device__ void load(unsigned *out, const unsigned short *half)
{
	__shared__ __attribute__((aligned(16))) unsigned short from[128][8];
	unsigned t = threadIdx.x, a, b, c, d;

	from[t][0] = half[t];
	load_rows(a, b, c, d, from[127 - t]);
	out[t] = a + b + c + d;
}

static __device__ void store(unsigned *out, const unsigned short *half)
{
	__shared__ __attribute__((aligned(16))) unsigned short to[128][8];
	unsigned t = threadIdx.x;

	store_rows(to[t], t, t, t, t);
	out[t] = to[127 - t][0];
}

extern "C" __global__ void lanes(unsigned *out, const unsigned short *half)
{
	__shared__ __attribute__((aligned(16))) unsigned short to[128][8];
	unsigned t = threadIdx.x;

	store_rows(to[t], t, t, t, t);
	out[t] = to[31 - t][0];
}

static __device__ void again(unsigned *out, const unsigned short *half)
{
	__shared__ __attribute__((aligned(16))) unsigned short from[128][8];
	unsigned t = threadIdx.x, a, b, c, d;

	from[t][0] = half[t];
	__syncthreads();
	load_rows(a, b, c, d, from[127 - t]);
	from[t][0] = (unsigned short)(a + b + c + d);
}

extern "C" __global__ void groups(unsigned *out, const unsigned short *half)
{
	load(out, half);
	__syncthreads();
	store(out + 128, half);
	__syncthreads();
	again(out + 256, half);
}
