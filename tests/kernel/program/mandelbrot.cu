// Mandelbrot set in double precision: a loop whose length differs by lane; without fused operations, so that the counts are exact.
// launch: --grid 8,4 --block 8,8 --arg buf:counts:u32:2048:zero --dump counts
extern "C" __global__ void mandelbrot(unsigned *counts)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	double a = -2.2 + x * 0.05, b = -1.2 + y * 0.075, u = 0, v = 0;
	unsigned k = 0;
	for (; k < 200 && __dadd_rn(__dmul_rn(u, u), __dmul_rn(v, v)) < 4; k++) {
		double w = __dadd_rn(__dadd_rn(__dmul_rn(u, u), -__dmul_rn(v, v)), a);
		v = __dadd_rn(__dmul_rn(2 * u, v), b);
		u = w;
	}
	counts[y * 64 + x] = k;
}
