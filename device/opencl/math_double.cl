/* Functions that libclc has wrong or too inexact; each says what was wrong. */

#define PIECES_2(name) name(x.x), name(x.y)
#define PIECES_3(name) name(x.x), name(x.y), name(x.z)
#define PIECES_4(name) name(x.lo), name(x.hi)
#define PIECES_8(name) name(x.lo), name(x.hi)
#define PIECES_16(name) name(x.lo), name(x.hi)
#define WIDTH(R, S, name, n)                                                                                           \
	OVERLOAD R##n name(S##n x)                                                                                     \
	{                                                                                                              \
		return (R##n)(PIECES_##n(name));                                                                       \
	}
#define WIDTHS_OF(R, S, name)                                                                                          \
	WIDTH(R, S, name, 2)                                                                                           \
	WIDTH(R, S, name, 3)                                                                                           \
	WIDTH(R, S, name, 4)                                                                                           \
	WIDTH(R, S, name, 8)                                                                                           \
	WIDTH(R, S, name, 16)

/* Results below the normal numbers became 0. */
OVERLOAD float exp2(float x)
{
	return x < -126.0f ? ex2(x + 32.0f) * 0x1p-32f : ex2(x);
}
WIDTHS_OF(float, float, exp2)

/* A code with the sign bit became an infinity. */
OVERLOAD double nan(ulong x)
{
	return as_double(x | 0x7ff8000000000000ul);
}
WIDTHS_OF(double, ulong, nan)

/* The exponent overflowed. */
OVERLOAD double ldexp(double x, int n)
{
	n = clamp(n, -4000, 4000);
	for (; n > 1023; n -= 1023)
		x *= 0x1p1023;
	/* Not into the subnormal numbers before the last step: that would round twice. */
	for (; n < -1022; n += 969)
		x *= 0x1p-969;
	return x * as_double((ulong)(n + 1023) << 52);
}

/* Subnormal numbers became 0. */
OVERLOAD float ldexp(float x, int n)
{
	n = clamp(n, -500, 500);
	for (; n > 127; n -= 127)
		x *= 0x1p127f;
	for (; n < -126; n += 102) /* as above */
		x *= 0x1p-102f;
	return x * as_float((uint)(n + 127) << 23);
}

#define LDEXP(k) ldexp(x[k], n[k])
#define LDEXP_ALL(k) ldexp(x[k], n)
#define LDEXP_VECTOR(T, w)                                                                                             \
	OVERLOAD T##w ldexp(T##w x, int##w n)                                                                          \
	{                                                                                                              \
		return (T##w)(EACH_##w(LDEXP));                                                                        \
	}                                                                                                              \
	OVERLOAD T##w ldexp(T##w x, int n)                                                                             \
	{                                                                                                              \
		return (T##w)(EACH_##w(LDEXP_ALL));                                                                    \
	}
#define LDEXP_VECTORS(T)                                                                                               \
	LDEXP_VECTOR(T, 2)                                                                                             \
	LDEXP_VECTOR(T, 3)                                                                                             \
	LDEXP_VECTOR(T, 4)                                                                                             \
	LDEXP_VECTOR(T, 8)                                                                                             \
	LDEXP_VECTOR(T, 16)
LDEXP_VECTORS(double)
LDEXP_VECTORS(float)

/* Of a NaN they read far outside of a table, which is a fault. */
OVERLOAD double sinh(double x)
{
	double a = fabs(x), half_ = copysign(0.5, x), t;
	if (a < 0x1p-26)
		return x;
	if (a < 709.0) {
		t = expm1(a);
		return a < 1 ? half_ * (2 * t - t * t / (t + 1)) : half_ * (t + t / (t + 1));
	}
	t = exp(a * 0.5);
	return half_ * t * t;
}
WIDTHS_OF(double, double, sinh)

OVERLOAD double cosh(double x)
{
	double a = fabs(x), t;
	if (a < 0.69) {
		t = expm1(a);
		return 1 + t * t / (2 * (1 + t));
	}
	t = exp(a < 709.0 ? a : a * 0.5);
	return a < 709.0 ? 0.5 * (t + 1 / t) : 0.5 * t * t;
}
WIDTHS_OF(double, double, cosh)

/* --- The gamma function: libclc's is hundreds of ulp off, and wrong for 0 and below --- */

/* Lanczos' approximation with g = 6.0247, n = 13 (Boost's coefficients, as in CPython and musl). */
__constant double gamma_above[13] = {23531376880.410759688572007674451636754734846804940,
	42919803642.649098768957899047001988850926355848959, 35711959237.355668049440185451547166705960488635843,
	17921034426.037209699919755754458931112671403265390, 6039542586.3520280050642916443072979210699388420708,
	1439720407.3117216736632230727949123939715485786772, 248874557.86205415651146038641322942321632125127801,
	31426415.585400194380614231628318205362874684987640, 2876370.6289353724412254090516208496135991145378768,
	186056.26539522349504029498971604569928220784236328, 8071.6720023658162106380029022722506138218516325024,
	210.82427775157934587250973392071336271166969580291, 2.5066282746310002701649081771338373386264310793408};
__constant double gamma_below[13] = {0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0,
	2637558.0, 357423.0, 32670.0, 1925.0, 66.0, 1.0};

INLINE double gamma_sum(double x)
{
	double above = 0, below = 0;
	if (x < 5.0)
		for (int k = 12; k >= 0; k--) {
			above = above * x + gamma_above[k];
			below = below * x + gamma_below[k];
		}
	else
		for (int k = 0; k < 13; k++) {
			above = above / x + gamma_above[k];
			below = below / x + gamma_below[k];
		}
	return above / below;
}

OVERLOAD double tgamma(double x)
{
	const double g = 6.024680040776729583740234375, g_less = 5.524680040776729583740234375;
	double a = fabs(x), y, z, q, r, root_;
	if (x != x || x == INFINITY)
		return x;
	if (x == 0)
		return copysign((double)INFINITY, x);
	if (x < 0 && floor(x) == x)
		return NAN;
	if (a < 1e-20)
		return 1 / x;
	if (a > 200)
		return x < 0 ? 0.0 / sinpi(x) : INFINITY;
	y = a + g_less;
	if (a > g_less) {
		q = y - a;
		z = q - g_less;
	} else {
		q = y - g_less;
		z = q - a;
	}
	z = z * g / y;
	root_ = a < 140 ? pow(y, a - 0.5) : pow(y, a / 2 - 0.25);
	if (x < 0) {
		r = -M_PI / sinpi(a) / a * exp(y) / gamma_sum(a);
		r -= z * r;
		return a < 140 ? r / root_ : r / root_ / root_;
	}
	r = gamma_sum(a) / exp(y);
	r += z * r;
	return a < 140 ? r * root_ : r * root_ * root_;
}
WIDTHS_OF(double, double, tgamma)

OVERLOAD float tgamma(float x)
{
	return (float)tgamma((double)x);
}
WIDTHS_OF(float, float, tgamma)

/* --- Those of float by way of double, which libclc has right --- */

/* Declared, since a definition hides clang's own declarations. */
__attribute__((overloadable)) double erfc(double x);
__attribute__((overloadable)) double rootn(double x, int n);

/* It was 48 ulp off, where 16 are allowed. */
OVERLOAD float erfc(float x)
{
	return (float)erfc((double)x);
}
WIDTHS_OF(float, float, erfc)

/* The first root of a subnormal number was 0. */
OVERLOAD float rootn(float x, int n)
{
	return (float)rootn((double)x, n);
}
#define ROOTN(k) rootn(x[k], n[k])
#define ROOTN_VECTOR(w)                                                                                                \
	OVERLOAD float##w rootn(float##w x, int##w n)                                                                  \
	{                                                                                                              \
		return (float##w)(EACH_##w(ROOTN));                                                                    \
	}
ROOTN_VECTOR(2)
ROOTN_VECTOR(3)
ROOTN_VECTOR(4)
ROOTN_VECTOR(8)
ROOTN_VECTOR(16)

/* 2 to the power of n + e, where e is less than 1: in two steps, of which the second may be subnormal or overflow. */
INLINE float power_of_two(float n, float e)
{
	int first = (int)n >> 1, second = (int)n - first;
	return ex2(e) * as_float((first + 127) << 23) * as_float((second + 127) << 23);
}

/* Results below the normal numbers became 0.  It comes last: clang declares no exp of double behind it, so that a call with one
 * would be a call of this.  The multiple of the logarithm is taken off in two parts, the first without an error. */
OVERLOAD float exp(float x)
{
	float a = clamp(x, -110.0f, 90.0f), n = rint(a * LOG2_E); /* limited to where the result is 0 or infinite */
	float left = __builtin_fmaf(n, 0x1.05c61p-29f, __builtin_fmaf(n, -LN_2, a));
	return x != x ? x : power_of_two(n, left * LOG2_E);
}
WIDTHS_OF(float, float, exp)
