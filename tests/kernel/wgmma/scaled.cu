/* A tile of 64 x 64 of FP8, in the way of DeepGEMM: scales for each row and 128 elements of K come with the tile of A, one for each 128 elements of K
 * is of B.  A warpgroup adds the sum of each step, scaled, in f32, and a tensor copy adds the tile to what is there.  Without `syncs`, as DeepGEMM
 * does it, a lane releases the scales that the others of its warp have read, and only the .sync of wgmma is between.  scaled.ptx is this by
 * nvcc -O1 -arch=sm_90a -ptx. */
#include "hopper.h"

#define STAGES 3
#define TILE (64 * 128)

static __device__ inline void multiply(float (&d)[32], uint64_t a, uint64_t b, int adds)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 " SUMS ", %32, %33, p, 1, 1;\n}"
		     : ALL(d)
		     : "l"(a), "l"(b), "r"(adds));
}

extern "C" __global__ void __launch_bounds__(160) scaled(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
	const __grid_constant__ CUtensorMap scales_a, const float *scales_b, const __grid_constant__ CUtensorMap d, int steps, int syncs)
{
	__shared__ alignas(1024) uint8_t as[STAGES][TILE], bs[STAGES][TILE];
	__shared__ alignas(128) float scales[STAGES][64], tile[64 * 64];
	__shared__ uint64_t full[STAGES], empty[STAGES];

	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++)
			init(&full[s], 1), init(&empty[s], 4);
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncthreads();
	if (threadIdx.x >= 128) {
		for (int k = 0; threadIdx.x == 128 && k < steps; k++) {
			int s = k % STAGES;

			wait_for(&empty[s], (k / STAGES & 1) ^ 1);
			load(as[s], &a, k * 128, 0, &full[s]);
			load(scales[s], &scales_a, 0, k, &full[s]);
			load(bs[s], &b, k * 128, 0, &full[s]);
			expect(&full[s], 2 * TILE + 64 * 4);
		}
		return;
	}
	int line = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
	float sum[32];
	for (int i = 0; i < 32; i++)
		sum[i] = 0;
	for (int k = 0; k < steps; k++) {
		int s = k % STAGES;
		float part[32], of_b = scales_b[k], of_a[2];

		for (int i = 0; i < 32; i++)
			part[i] = 0;
		wait_for(&full[s], k / STAGES & 1);
		of_a[0] = scales[s][line] * of_b;
		of_a[1] = scales[s][line + 8] * of_b;
		FENCE(part);
		BEGIN();
		for (int j = 0; j < 4; j++)
			multiply(part, desc(as[s] + j * 32), desc(bs[s] + j * 32), j != 0);
		END();
		FENCE(part);
		if (syncs)
			__syncwarp();
		if (threadIdx.x % 32 == 0)
			arrive_at(&empty[s]);
		for (int i = 0; i < 32; i++)
			sum[i] += of_a[i / 2 % 2] * part[i];
	}
	for (int i = 0; i < 32; i++)
		tile[(line + i / 2 % 2 * 8) * 64 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = sum[i];
	asm volatile("fence.proxy.async.shared::cta;\nbar.sync 1, 128;" ::: "memory");
	if (threadIdx.x == 0)
		add_to(&d, 0, 0, tile);
}
