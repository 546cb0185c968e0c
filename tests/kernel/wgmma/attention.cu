/* Attention for 64 queries of width 64, in the way of FlashAttention: a producer thread copies tiles of 64 keys and values, a warpgroup
 * multiplies, takes the softmax as it goes, and multiplies its weights, in registers, by the values.  attention.ptx is this by nvcc -O1 -arch=sm_90a -ptx. */
#include "hopper.h"

#define STAGES 2
#define TILE (64 * 64)

static __device__ inline void scores(float (&s)[32], uint64_t q, uint64_t k, int adds)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS ", %32, %33, p, 1, 1, 0, 0;\n}"
		     : ALL(s)
		     : "l"(q), "l"(k), "r"(adds));
}

/* The weights in registers, the values with their width as the inner dimension. */
static __device__ inline void outputs(float (&o)[32], const uint32_t (&p)[4], uint64_t v)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
		     : ALL(o)
		     : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

static __device__ inline float of_four(float x, bool is_sum)
{
	for (int far = 1; far < 4; far *= 2) {
		float other = __shfl_xor_sync(0xffffffff, x, far);

		x = is_sum ? x + other : fmaxf(x, other);
	}
	return x;
}

static __device__ inline uint32_t pair(float x, float y)
{
	__half2 both = __floats2half2_rn(x, y);

	return *(uint32_t *)&both;
}

extern "C" __global__ void __launch_bounds__(160) attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
	const __grid_constant__ CUtensorMap v, float *out, float *logarithms, int tiles)
{
	__shared__ alignas(1024) __half qs[TILE], ks[STAGES][TILE], vs[STAGES][TILE];
	__shared__ uint64_t q_full, k_full[STAGES], v_full[STAGES], empty[STAGES];

	if (threadIdx.x == 0) {
		init(&q_full, 1);
		for (int s = 0; s < STAGES; s++)
			init(&k_full[s], 1), init(&v_full[s], 1), init(&empty[s], 4);
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncthreads();
	if (threadIdx.x >= 128) {
		if (threadIdx.x > 128)
			return;
		expect(&q_full, TILE * 2);
		load(qs, &q, 0, 0, &q_full);
		for (int t = 0; t < tiles; t++) {
			int s = t % STAGES;

			wait_for(&empty[s], (t / STAGES & 1) ^ 1);
			expect(&k_full[s], TILE * 2);
			load(ks[s], &k, 0, t * 64, &k_full[s]);
			expect(&v_full[s], TILE * 2);
			load(vs[s], &v, 0, t * 64, &v_full[s]);
		}
		return;
	}
	float o[32], top[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
	const float scale = 0.125f * 1.44269504f;
	for (int i = 0; i < 32; i++)
		o[i] = 0;
	wait_for(&q_full, 0);
	for (int t = 0; t < tiles; t++) {
		int stage = t % STAGES, parity = t / STAGES & 1;
		float s[32];

		for (int i = 0; i < 32; i++)
			s[i] = 0;
		wait_for(&k_full[stage], parity);
		FENCE(s);
		BEGIN();
		for (int j = 0; j < 4; j++)
			scores(s, desc(qs + j * 16), desc(ks[stage] + j * 16), j != 0);
		END();
		FENCE(s);
		for (int row = 0; row < 2; row++) {
			float most = top[row], grows, all = 0;

			for (int i = 0; i < 32; i++)
				if (i / 2 % 2 == row)
					most = fmaxf(most, s[i]);
			most = of_four(most, false);
			grows = exp2f((top[row] - most) * scale);
			top[row] = most;
			for (int i = 0; i < 32; i++)
				if (i / 2 % 2 == row) {
					s[i] = exp2f((s[i] - most) * scale);
					all += s[i];
					o[i] *= grows;
				}
			sum[row] = sum[row] * grows + all;
		}
		uint32_t p[4][4];
		for (int j = 0; j < 16; j++)
			p[j / 4][j % 4] = pair(s[2 * j], s[2 * j + 1]);
		wait_for(&v_full[stage], parity);
		FENCE(o);
		BEGIN();
		for (int j = 0; j < 4; j++)
			outputs(o, p[j], desc(vs[stage] + j * 16 * 64));
		END();
		FENCE(o);
		if (threadIdx.x % 32 == 0)
			arrive_at(&empty[stage]);
	}
	for (int row = 0; row < 2; row++) {
		int line = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + row * 8;

		sum[row] = of_four(sum[row], true);
		for (int i = 0; i < 32; i++)
			if (i / 2 % 2 == row)
				out[line * 64 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = o[i] / sum[row];
		if (threadIdx.x % 4 == 0)
			logarithms[line] = top[row] * 0.125f + logf(sum[row]);
	}
}
