// Double precision: error-free sums and products, directed rounding, remainders, conversions with every rounding and saturation, NaN and infinities.
typedef unsigned long long u64;
extern "C" __global__ void double_soup(const double *in, u64 *out)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	double a = in[2 * t], b = in[2 * t + 1];
	u64 *o = out + 12 * t;
	double s = a + b, bb = s - a, e = (a - (s - bb)) + (b - bb);
	double p = a * b, pe = __fma_rn(a, b, -p);
	o[0] = __double_as_longlong(e);
	o[1] = __double_as_longlong(pe);
	o[2] = __double_as_longlong(__ddiv_ru(a, b)) - __double_as_longlong(__ddiv_rd(a, b));
	o[3] = __double_as_longlong(__dsqrt_rn(a * a + b * b));
	o[4] = (u64)__double2ll_rn(a * 1e15) + (u64)__double2ll_rz(b * 1e15);
	o[5] = (u64)(long long)__double2int_rn(a * 1e7) ^ (u64)__double2uint_rz(b * 1e7) << 32;
	o[6] = __float_as_uint(__double2float_rz(a)) + ((u64)__float_as_uint(__double2float_ru(b)) << 32);
	double x = a;
	int n = 0;
	while (fabs(x) > 1e-300 && n < 2000) {
		x *= t % 3 ? 0.37 : 0.5;
		n++;
	}
	o[7] = __double_as_longlong(x * 1e-15) ^ (u64)n;
	double z = (t % 5 == 0 ? 0.0 : a) / (t % 3 == 0 ? 0.0 : b);
	o[8] = z != z ? 1 : (u64)__double_as_longlong(z);
	o[9] = (z < 1) | (z > 1) << 1 | (z == z) << 2 | (z <= a) << 3 | !(z >= b) << 4;
	double f = 1;
	for (int i = 1; i < 20; i++)
		f = f * (a / 700) / i + 1;
	o[10] = __double_as_longlong(f);
	o[11] = (u64)(long long)(floor(a / 7) * 7 + trunc(b)) ^ (u64)(long long)rint(a * b) << 20;
}
