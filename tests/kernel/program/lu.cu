// LU decomposition of a 24 x 24 matrix in double precision by one group: triangular loops, a barrier between steps, divisions; then a warp-shuffle trace.
// launch: --grid 1 --block 24,24 --arg buf:m:f64:576:random=15,1,2 --arg buf:trace:f64:1:zero --dump m --dump trace
extern "C" __global__ void lu(double *m, double *trace)
{
	const int n = 24;
	int x = threadIdx.x, y = threadIdx.y, t = y * n + x;
	if (x == y)
		m[t] += 40;
	__syncthreads();
	for (int k = 0; k < n - 1; k++) {
		if (x == k && y > k)
			m[t] = __ddiv_rn(m[t], m[k * n + k]);
		__syncthreads();
		if (x > k && y > k)
			m[t] = __dadd_rn(m[t], -__dmul_rn(m[y * n + k], m[k * n + x]));
		__syncthreads();
	}
	if (t < 32) {
		double d = t < n ? m[t * n + t] : 0;
		for (int step = 16; step; step /= 2)
			d = __dadd_rn(d, __shfl_xor_sync(0xffffffff, d, step));
		if (t == 0)
			*trace = d;
	}
}
