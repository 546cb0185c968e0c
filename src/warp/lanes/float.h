/* The words that ops.def uses to state what float instructions mean, and what modifiers do to operands and results.
 *
 * Everything is made of IEEE basic operations on float and double, compiled without contraction, so every machine and
 * compiler gives the same bits; libm has no part in it, except that fma and sqrt, which IEEE defines exactly, may be
 * its functions where the processor has none.  Approximations are computed in double and rounded once: they are nearer
 * to the truth than the ISA's error bounds ask, but they are not the bits of any particular GPU. */
#ifndef LOCKSTEP_WARP_LANES_FLOAT_H
#define LOCKSTEP_WARP_LANES_FLOAT_H

#include "ptx/ops.h"
#include "warp/lanes/half.h"

/* ---- Modifiers ---- */

static ALWAYS_INLINE float canonical(float x)
{
	return x == x ? x : float_of(0x7fffffff);
}

/* .ftz: a subnormal is a zero of the same sign. */
static ALWAYS_INLINE float flush(float x)
{
	return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x;
}

static ALWAYS_INLINE float flush_input(float x, uint32_t flags)
{
	return flags & FLAG_FTZ ? flush(x) : x;
}

/* .sat: to [0, 1], NaN to 0. */
static ALWAYS_INLINE float saturate(float x)
{
	return choose(x > 0, choose(x < 1, x, 1), 0);
}

/* .relu: negative to 0, NaN stays; -0 becomes +0. */
static ALWAYS_INLINE float rectify(float x)
{
	return choose(x <= 0, 0, x);
}

static ALWAYS_INLINE float limit(float x, uint32_t flags)
{
	if (flags & FLAG_SAT)
		x = saturate(x);
	if (flags & FLAG_RELU)
		x = rectify(x);
	return x;
}

static ALWAYS_INLINE float finish(float x, uint32_t flags)
{
	x = canonical(x);
	if (flags & FLAG_FTZ)
		x = flush(x);
	return limit(x, flags);
}

static ALWAYS_INLINE double finish_double(double x)
{
	return x == x ? x : double_of(0x7ff8000000000000);
}

/* Of a half held in a float: its own smallest normal number.  (A NaN needs no care: narrowing makes the canonical
 * one.) */
static ALWAYS_INLINE float flush_half(float x, uint32_t flags)
{
	return flags & FLAG_FTZ ? choose(__builtin_fabsf(x) < 0x1p-14f, __builtin_copysignf(0, x), x) : x;
}

/* A result is flushed after rounding: 0x1.ffcp-15 and above round up to the smallest normal. */
static ALWAYS_INLINE float finish_half(float x, uint32_t flags)
{
	if (flags & FLAG_FTZ)
		x = choose(__builtin_fabsf(x) < 0x1.ffcp-15f, __builtin_copysignf(0, x), x);
	return limit(x, flags);
}

/* ---- Exact operations ---- */

#define fused(x, y, z) _Generic((x), float : __builtin_fmaf, double : __builtin_fma)(x, y, z)
#define square_root(x) _Generic((x), float : __builtin_sqrtf, double : __builtin_sqrt)(x)
#define magnitude(x) _Generic((x), float : __builtin_fabsf, double : __builtin_fabs)(x)

/* The sum of two doubles rounded to odd: when inexact, to the neighbour whose last bit is 1.  Rounding that to fewer
 * bits then gives what rounding the exact sum would. */
static ALWAYS_INLINE double add_to_odd(double x, double y)
{
	double sum = x + y;
	double y_part = sum - x;
	double error = (x - (sum - y_part)) + (y - y_part); /* exact (Knuth), where finite */
	uint64_t bits = bits_of_double(sum);
	uint64_t outward = bits + 1, inward = bits - 1;
	uint64_t odd = error * sum > 0 ? outward : inward;
	bool exact = error == 0 || error != error || (bits & 1);
	return exact ? sum : double_of(odd);
}

/* A double as a float, rounded to odd: where that was inexact, one step towards zero if it went outwards, then the last
 * bit. */
static ALWAYS_INLINE float narrow_to_odd(double x)
{
	float near = (float)x;
	double back = near;
	uint32_t bits = bits_of(near);
	uint32_t toward_zero = bits - (__builtin_fabs(back) > __builtin_fabs(x));
	bool inexact = (back < x) | (back > x); /* false for NaN */
	return float_of(choose_bits(inexact, toward_zero | 1, bits));
}

/* a * b + c of 16-bit floats, as a float that rounds to 16 bits as the exact value would.  The product is exact in a
 * double. For .f16 so is the sum, unless the smaller part is below anything that rounding to 11 bits could notice; the
 * exponents of .bf16 range farther, and a product half-way between two results may meet a tiny c. */
static ALWAYS_INLINE float fused_f16(float a, float b, float c)
{
	return narrow_to_odd((double)a * b + c);
}

static ALWAYS_INLINE float fused_bf16(float a, float b, float c)
{
	return narrow_to_odd(add_to_odd((double)a * b, c));
}

/* ---- Approximations ---- */

/* div.approx: 0 for a divisor above 2^126, NaN where that would be infinity over it: the ISA says so, since the
 * hardware multiplies by a reciprocal that is subnormal. */
static ALWAYS_INLINE float divide_approximately(float a, float b)
{
	float divisor = __builtin_fabsf(b);
	return choose((divisor > 0x1p126f) & (divisor < __builtin_inff()), a * 0 * b, a / b);
}

static ALWAYS_INLINE float reciprocal_root(float x)
{
	return (float)(1 / __builtin_sqrt(x));
}

/* The approximations of .ftz.f64 see only the high word of the operand and give only that of the result. */
static ALWAYS_INLINE double high_word(double x)
{
	double flushed = __builtin_fabs(x) < 0x1p-1022 ? __builtin_copysign(0, x) : x;
	uint64_t bits = bits_of_double(flushed);
	return x != x ? x : double_of(bits & 0xffffffff00000000);
}

static ALWAYS_INLINE double reciprocal_high_word(double x)
{
	return high_word(1 / high_word(x));
}

static ALWAYS_INLINE double reciprocal_root_high_word(double x)
{
	return high_word(1 / __builtin_sqrt(high_word(x)));
}

/* The nearest whole number of a double below 2^51: the sum's last place is 1. */
static ALWAYS_INLINE double nearest_whole(double x)
{
	return (x + 0x1.8p52) - 0x1.8p52;
}

/* sin(2 pi t) for |t| <= 1/4: the Taylor series to the 17th power, off by less than 2^-43. */
static ALWAYS_INLINE double sine_of_turn(double t)
{
	double y = t * 6.28318530717958647692, s = y * y;
	double p = 2.81145725434552076320e-15;
	p = p * s - 7.64716373181981647590e-13;
	p = p * s + 1.60590438368216145994e-10;
	p = p * s - 2.50521083854417187751e-8;
	p = p * s + 2.75573192239858906526e-6;
	p = p * s - 1.98412698412698412698e-4;
	p = p * s + 8.33333333333333333333e-3;
	p = p * s - 1.66666666666666666667e-1;
	return y + y * s * p;
}

/* sin of x radians plus a quarter of `quarters` turns.  The argument is reduced in turns: the error of that grows with
 * x, as on hardware, and arguments of 2^51 turns are whole ones. */
static ALWAYS_INLINE float sine_shifted(float x, double quarters)
{
	double turns = x * 0.159154943091895335769 + quarters * 0.25;
	turns = choose_double(__builtin_fabs(turns) < 0x1p51, turns, turns - turns + quarters * 0.25);
	double half_turns = nearest_whole(turns * 2);
	double sine = sine_of_turn(turns - half_turns * 0.5);
	double parity = half_turns - 2 * nearest_whole(half_turns * 0.5);
	return (float)choose_double(parity != 0, -sine, sine);
}

static ALWAYS_INLINE float sine(float x)
{
	float reduced = sine_shifted(x, 0);
	return choose(__builtin_fabsf(x) < 0x1p-20f, x, reduced); /* keeps -0 and subnormals */
}

static ALWAYS_INLINE float cosine(float x)
{
	return sine_shifted(x, 1);
}

/* 2^x for |x| <= 1000: the whole part into the exponent, the Taylor series to the 10th power for the rest, off by
 * 2^-44. */
static ALWAYS_INLINE double exponential(double x)
{
	double whole = nearest_whole(x);
	double y = (x - whole) * 0.693147180559945309417;
	double p = 2.75573192239858906526e-7;
	p = p * y + 2.75573192239858906526e-6;
	p = p * y + 2.48015873015873015873e-5;
	p = p * y + 1.98412698412698412698e-4;
	p = p * y + 1.38888888888888888889e-3;
	p = p * y + 8.33333333333333333333e-3;
	p = p * y + 4.16666666666666666667e-2;
	p = p * y + 1.66666666666666666667e-1;
	p = p * y + 0.5;
	p = p * y + 1;
	p = p * y + 1;
	/* whole + 1023 is in the low bits of this sum */
	uint64_t exponent = bits_of_double(whole + (0x1.8p52 + 1023)) << 52;
	return p * double_of(exponent);
}

static ALWAYS_INLINE float power_of_two(float x)
{
	float low = choose(x > -200, x, -200), clamped = choose(low < 200, low, 200);
	return choose(x == x, (float)exponential(clamped), x);
}

/* log2 of |x|: x = m 2^e with m near 1, then 2/ln 2 artanh((m-1)/(m+1)) by its series to the 17th power, off by
 * 2^-46. */
static ALWAYS_INLINE float logarithm(float x)
{
	uint64_t bits = bits_of_double(x);
	uint64_t above = bits - 0x3fe6a09e667f3bcd; /* the square root of a half: m lies in [that, twice that) */
	double exponent = double_of(0x4330000000000000 | ((above + (UINT64_C(1024) << 52)) >> 52)) - (0x1p52 + 1024);
	double m = double_of((above & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
	double s = (m - 1) / (m + 1), q = s * s;
	double p = 1.0 / 17;
	p = p * q + 1.0 / 15;
	p = p * q + 1.0 / 13;
	p = p * q + 1.0 / 11;
	p = p * q + 1.0 / 9;
	p = p * q + 1.0 / 7;
	p = p * q + 1.0 / 5;
	p = p * q + 1.0 / 3;
	p = p * q + 1;
	float result = (float)(exponent + s * p * 2.88539008177792681472);
	/* infinity and NaN themselves */
	float special = choose(x == 0, -__builtin_inff(), choose(x < 0, __builtin_nanf(""), x));
	return choose((x > 0) & (x < __builtin_inff()), result, special);
}

/* Small arguments by the series, others by 1 - 2 / (e^2x + 1). */
static ALWAYS_INLINE float hyperbolic_tangent(float x)
{
	double y = __builtin_fabsf(x), q = y * y;
	double small = y + y * q * (-1.0 / 3 + q * (2.0 / 15 + q * (-17.0 / 315 + q * (62.0 / 2835))));
	double clamped = choose_double(y < 40, y, 40);
	double large = 1 - 2 / (exponential(clamped * 2.88539008177792681472) + 1);
	float result = __builtin_copysignf((float)choose_double(y < 0.125, small, large), x);
	return choose(x == x, result, x);
}

#endif
