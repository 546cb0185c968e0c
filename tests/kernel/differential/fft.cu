// Fast Fourier transform of 128 points in double precision, structures of two doubles in shared memory; every rounding as in C.
extern "C" __global__ void fft(const double2 *in, const double2 *turn, double2 *out)
{
	__shared__ double2 x[128];
	unsigned t = threadIdx.x;
	for (unsigned i = t; i < 128; i += 64)
		x[__brev(i) >> 25] = in[blockIdx.x * 128 + i];
	__syncthreads();
	for (unsigned half = 1; half < 128; half *= 2) {
		unsigned j = t % half, a = t / half * half * 2 + j, b = a + half;
		double2 w = turn[j * (64 / half)], u = x[a], v = x[b];
		double2 p = make_double2(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);
		x[a] = make_double2(u.x + p.x, u.y + p.y);
		x[b] = make_double2(u.x - p.x, u.y - p.y);
		__syncthreads();
	}
	for (unsigned i = t; i < 128; i += 64)
		out[blockIdx.x * 128 + i] = x[i];
}
