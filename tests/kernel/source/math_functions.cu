// Functions of the C library that the headers take from libclc, and those made of several of them.
// launch: --block 64 --arg buf:x:f64:64:random=5,0.1,3 --arg buf:out:f64:1024:zero --dump out
#include <cmath>
extern "C" __global__ void math_functions(const double *x, double *out)
{
	double a = x[threadIdx.x], *o = out + 16 * threadIdx.x, s, c, whole;
	float f = (float)a, t, u;
	int n, m;
	sincos(a, &s, &c);
	sincosf(f, &t, &u);
	o[0] = s;
	o[1] = c;
	o[2] = t + u;
	o[3] = exp10(a) + expm1(a) + log1p(a);
	o[4] = asinh(a) + acosh(a + 1) + atanh(a / 4);
	o[5] = erfc(a) + sinpi(a) + cospi(a);
	o[6] = lgamma(a) + tgamma(a);
	o[7] = ldexp(a, 70) + scalbn(a, -3) + ilogb(a) + ldexp(ldexp(a, -1070), 1070);
	o[8] = frexp(a, &n) + 10 * n;
	o[9] = frexpf(-f * 1e-40f, &m) + 10 * m; // subnormal
	o[10] = modf(-a, &whole) + 100 * whole;
	o[11] = lround(a * 10) + 100 * llrint(a) + 10000 * lroundf(f) + (long)nearbyint(a);
	o[12] = fdim(a, 1.0) + remainder(a, 0.7);
	o[13] = rcbrt(a) + rhypot(a, 2.0) + norm3d(a, 1.0, 2.0);
	o[14] = expm1f(f) + log1pf(f) + exp10f(f) + fdimf(f, 2.0f);
	o[15] = signbit(-a) + 2 * (abs(-3ll) == 3) + 4 * (min(3u, -1) == 3) + fdividef(f, 2.0f);
}
