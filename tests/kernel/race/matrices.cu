// Matrix loads and stores, surfaces and textures with the barriers that they need, in which there is no race.
// launch rows: --kernel rows --grid 2 --block 64 --check races --arg buf:out:u32:512:zero --arg buf:half:u16:1024:iota
// launch wmma: --kernel tiles --grid 2 --block 64 --check races --arg buf:out:u32:512:zero --arg buf:half:u16:1024:iota
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

// Each thread brings a row's part by cp.async; behind wait and barrier warps load them as matrices, store them elsewhere, and behind a
// __syncwarp() lanes read what others have stored.
extern "C" __global__ void rows(unsigned *out, const unsigned short *half)
{
	__shared__ __attribute__((aligned(16))) unsigned short from[64][8], to[64][8];
	unsigned t = threadIdx.x, w = t / 32 * 32, a, b, c, d;

	copy_part(from[t], &half[8 * t], 16);
	commit();
	wait_group(0);
	__syncthreads();
	load_rows(a, b, c, d, from[63 - t]);
	store_rows(to[t], a, b, c, d);
	asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
	out[blockIdx.x * 64 + t] = to[w + (t + 1) % 32][0];
	__syncthreads();
	from[t][0] = 0;
}

#define load_a(r, from, stride)                                                                                        \
	asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"   \
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])  \
		     : "r"(in_shared(from)), "r"(stride)                                                               \
		     : "memory")
#define store_d(to, r, stride)                                                                                         \
	asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%0], {%1, %2, %3, %4}, %5;" ::"r"(           \
			     in_shared(to)),                                                                           \
		     "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(stride)                                           \
		     : "memory")

// Tiles for wmma, stored by all, loaded by both warps; each warp stores a tile of its own, which threads of the other read.
extern "C" __global__ void tiles(unsigned *out, const unsigned short *half)
{
	__shared__ __attribute__((aligned(32))) unsigned short from[256], to[2][256];
	unsigned t = threadIdx.x, r[8];

	for (unsigned k = 0; k < 3; k++) {
		for (unsigned n = t; n < 256; n += 64)
			from[n] = half[n + k];
		__syncthreads();
		load_a(r, from, 16);
		store_d(to[t / 32], r, 16);
		__syncthreads();
		out[blockIdx.x * 64 + t] += to[1 - t / 32][t];
	}
}
