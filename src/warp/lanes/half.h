/* 16-bit floats as C floats and back, without branches so that loops over them vectorise.
 *
 * Widening is exact.  Narrowing rounds to nearest, ties to even, makes subnormals and infinities as IEEE says, and
 * gives the canonical NaN 0x7fff. */
#ifndef LOCKSTEP_WARP_LANES_HALF_H
#define LOCKSTEP_WARP_LANES_HALF_H

#include <stdbool.h>
#include <stdint.h>

/* A loop with a call in it does not become vector code, and compilers tire of inlining in files as long as these. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

union float_bits {
	float value;
	uint32_t bits;
};
union double_bits {
	double value;
	uint64_t bits;
};

static ALWAYS_INLINE float float_of(uint32_t bits)
{
	return (union float_bits){.bits = bits}.value;
}

static ALWAYS_INLINE uint32_t bits_of(float value)
{
	return (union float_bits){.value = value}.bits;
}

static ALWAYS_INLINE double double_of(uint64_t bits)
{
	return (union double_bits){.bits = bits}.value;
}

static ALWAYS_INLINE uint64_t bits_of_double(double value)
{
	return (union double_bits){.value = value}.bits;
}

/* condition ? yes : no by masks.  Where several conditions on one value meet, compilers make branches of ?: and then
 * give up on making vectors of the loop; these they cannot take apart. */
static ALWAYS_INLINE uint32_t choose_bits(bool condition, uint32_t yes, uint32_t no)
{
	uint32_t mask = 0 - (uint32_t)condition;
	return (yes & mask) | (no & ~mask);
}

static ALWAYS_INLINE float choose(bool condition, float yes, float no)
{
	return float_of(choose_bits(condition, bits_of(yes), bits_of(no)));
}

static ALWAYS_INLINE double choose_double(bool condition, double yes, double no)
{
	uint64_t mask = 0 - (uint64_t)condition;
	return double_of((bits_of_double(yes) & mask) | (bits_of_double(no) & ~mask));
}

/* The exponent is rebiased by a multiplication, which normalises subnormals as well. */
static ALWAYS_INLINE float half_to_float(uint32_t half)
{
	uint32_t magnitude = (half & 0x7fff) << 13;
	uint32_t finite = bits_of(float_of(magnitude) * 0x1p112f);
	uint32_t special = magnitude | 0x7f800000;
	return float_of((half & 0x8000) << 16 | choose_bits(magnitude >= 0x0f800000, special, finite));
}

static ALWAYS_INLINE float bfloat_to_float(uint32_t half)
{
	return float_of(half << 16);
}

/* Normal results: add half of the last kept bit, less one unless that bit is odd.  Subnormal results: an addition to
 * 0.5, whose last place is the last place of a subnormal half, rounds to it. */
static ALWAYS_INLINE uint32_t float_to_half(float value)
{
	uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000;
	uint32_t magnitude = bits & 0x7fffffff;
	uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
	uint32_t small = bits_of(float_of(choose_bits(magnitude < 0x38800000, magnitude, 0)) + 0.5f) - 0x3f000000;
	uint32_t finite = choose_bits(magnitude < 0x38800000, small, normal);
	uint32_t number = choose_bits(magnitude >= 0x477ff000, 0x7c00, finite);
	return choose_bits(magnitude > 0x7f800000, 0x7fff, sign | number);
}

static ALWAYS_INLINE uint32_t float_to_bfloat(float value)
{
	uint32_t bits = bits_of(value);
	uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
	return choose_bits((bits & 0x7fffffff) > 0x7f800000, 0x7fff, rounded);
}

#endif
