/* 16-bit floats as C floats and back, without branches so that loops over them vectorise.
 *
 * Widening is exact.  Narrowing rounds to nearest, ties to even, makes subnormals and infinities as IEEE says, and gives the
 * canonical NaN 0x7fff. */
#ifndef LOCKSTEP_WARP_LANES_HALF_H
#define LOCKSTEP_WARP_LANES_HALF_H

#include <stdint.h>

union float_bits {
	float value;
	uint32_t bits;
};
union double_bits {
	double value;
	uint64_t bits;
};

static inline float float_of(uint32_t bits)
{
	return (union float_bits){.bits = bits}.value;
}

static inline uint32_t bits_of(float value)
{
	return (union float_bits){.value = value}.bits;
}

static inline double double_of(uint64_t bits)
{
	return (union double_bits){.bits = bits}.value;
}

static inline uint64_t bits_of_double(double value)
{
	return (union double_bits){.value = value}.bits;
}

/* The exponent is rebiased by a multiplication, which normalises subnormals as well. */
static inline float half_to_float(uint32_t half)
{
	uint32_t magnitude = (half & 0x7fff) << 13;
	uint32_t finite = bits_of(float_of(magnitude) * 0x1p112f);
	uint32_t special = magnitude | 0x7f800000;
	return float_of((half & 0x8000) << 16 | (magnitude >= 0x0f800000 ? special : finite));
}

static inline float bfloat_to_float(uint32_t half)
{
	return float_of(half << 16);
}

/* Normal results: add half of the last kept bit, less one unless that bit is odd.  Subnormal results: an addition to 0.5, whose
 * last place is the last place of a subnormal half, rounds to it. */
static inline uint32_t float_to_half(float value)
{
	uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000;
	uint32_t magnitude = bits & 0x7fffffff;
	uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
	uint32_t small = bits_of(float_of(magnitude < 0x38800000 ? magnitude : 0) + 0.5f) - 0x3f000000;
	uint32_t finite = magnitude < 0x38800000 ? small : normal;
	uint32_t large = magnitude >= 0x477ff000 ? 0x7c00 : finite;
	return magnitude > 0x7f800000 ? 0x7fff : sign | large;
}

static inline uint32_t float_to_bfloat(float value)
{
	uint32_t bits = bits_of(value);
	uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
	return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded;
}

#endif
