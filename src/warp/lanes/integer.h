/* The words that ops.def uses to state what integer instructions mean. */
#ifndef LOCKSTEP_WARP_LANES_INTEGER_H
#define LOCKSTEP_WARP_LANES_INTEGER_H

#include "warp/lanes/half.h"
#include "warp/mbarrier.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

static ALWAYS_INLINE int32_t saturate_s32(int64_t value)
{
	return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/* The low 24 bits, extended as the type is, wide enough for a product. */
#define low24(x) ((W)((T)((U)(x) << 8) >> 8))

/* A sum that wraps as the type of x does. */
#define wrap_add(x, y) ((__typeof__(x))((uint64_t)(x) + (uint64_t)(y)))

/* Division by zero is undefined in PTX; hardware gives a quotient of all ones and so the dividend as the remainder,
 * signed too. The most negative number divided by -1 wraps to itself, remainder 0. */
#define DEFINE_DIVISION(T, name, is_negative_one)                                                                      \
	static ALWAYS_INLINE T quotient_##name(T x, T y)                                                               \
	{                                                                                                              \
		if (y == 0)                                                                                            \
			return (T)-1;                                                                                  \
		return (T)((is_negative_one) ? 0 - (uint64_t)x : (uint64_t)(x / y));                                   \
	}                                                                                                              \
	static ALWAYS_INLINE T remainder_##name(T x, T y)                                                              \
	{                                                                                                              \
		if (y == 0)                                                                                            \
			return x;                                                                                      \
		return (T)((is_negative_one) ? 0 : x % y);                                                             \
	}
DEFINE_DIVISION(uint16_t, u16, false)
DEFINE_DIVISION(uint32_t, u32, false)
DEFINE_DIVISION(uint64_t, u64, false)
DEFINE_DIVISION(int16_t, s16, y == -1)
DEFINE_DIVISION(int32_t, s32, y == -1)
DEFINE_DIVISION(int64_t, s64, y == -1)
#undef DEFINE_DIVISION
#define BY_TYPE(x, name)                                                                                               \
	_Generic((x), uint16_t                                                                                         \
		 : name##_u16, int16_t                                                                                 \
		 : name##_s16, uint32_t                                                                                \
		 : name##_u32, int32_t                                                                                 \
		 : name##_s32, uint64_t                                                                                \
		 : name##_u64, int64_t                                                                                 \
		 : name##_s64)
#define quotient(x, y) BY_TYPE(x, quotient)(x, y)
#define remainder_of(x, y) BY_TYPE(x, remainder)(x, y)

/* Shifts by the width or more give 0 (or the sign: see shr's row).  Only the low bits of the amount may reach C's
 * operator. */
#define shift_left(x, count, bits) ((count) < (bits) ? (U)(x) << ((count) & (sizeof(U) * 8 - 1)) : (U)0)

/* The low 32 bits of high:low shifted right by 0 to 32. */
static ALWAYS_INLINE uint32_t funnel(uint32_t low, uint32_t high, uint32_t count)
{
	return (uint32_t)(((uint64_t)high << 32 | low) >> count);
}

static ALWAYS_INLINE uint32_t count_ones(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (uint32_t)(x * 0x0101010101010101 >> 56);
}

/* Position of the highest 1; all ones when there is none. */
static ALWAYS_INLINE uint32_t highest_bit(uint64_t x)
{
	return x ? 63 - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

/* For bfind, which looks in signed numbers for the highest bit that differs from the sign. */
#define sign_removed(x) ((x) < 0 ? (U) ~(x) : (U)(x))

static ALWAYS_INLINE uint32_t shift_to_top(uint32_t position, uint32_t bits)
{
	return position == UINT32_MAX ? position : bits - 1 - position;
}

static ALWAYS_INLINE uint64_t reverse_bits(uint64_t x, uint32_t bits)
{
	x = __builtin_bswap64(x);
	x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
	x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
	x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
	return x >> (64 - bits);
}

static ALWAYS_INLINE uint64_t low_mask(uint32_t count)
{
	return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/* bfe: position and length are the low bytes of their registers; a signed field is extended from its top bit, or from
 * the number's when it reaches beyond that. */
static ALWAYS_INLINE uint64_t extract(uint64_t x, bool is_signed, uint32_t position, uint32_t length, uint32_t bits)
{
	position &= 0xff;
	length &= 0xff;
	uint32_t top = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
	bool sign = is_signed && length && (x >> top & 1);
	uint64_t field = position < bits ? (x & low_mask(bits)) >> position : 0;
	uint32_t kept = position < bits ? (length < bits - position ? length : bits - position) : 0;
	field &= low_mask(kept);
	return sign ? field | ~low_mask(kept) : field;
}
#define extract_field(x, position, length, bits) extract((U)(x), (T)-1 < 0, position, length, bits)

/* bfi: the low `length` bits of x replace those of y at `position`. */
static ALWAYS_INLINE uint64_t insert_field(uint64_t x, uint64_t y, uint32_t position, uint32_t length, uint32_t bits)
{
	position &= 0xff;
	length &= 0xff;
	if (position >= bits)
		return y;
	uint64_t mask = low_mask(length) << position;
	return (y & ~mask) | (x << position & mask);
}

/* fns: the position of the n-th 1 of mask counted from base upwards (n > 0) or downwards (n < 0), base itself being the
 * first; n = 0: base when that bit is 1.  All ones when there is none. */
static ALWAYS_INLINE uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t n)
{
	if (base > 31)
		return UINT32_MAX;
	if (n == 0)
		return mask >> base & 1 ? base : UINT32_MAX;
	int32_t step = n > 0 ? 1 : -1;
	int64_t wanted = n > 0 ? n : -(int64_t)n;
	for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += step)
		if ((mask >> at & 1) && --wanted == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

/* bmsk: `width` ones from bit `position` up. */
static ALWAYS_INLINE uint32_t bit_mask(uint32_t position, uint32_t width, bool wrap)
{
	if (wrap) {
		position &= 31;
		width &= 31;
	}
	return position < 32 ? (uint32_t)(low_mask(width) << position) : 0;
}

/* szext: the low `count` bits, extended as the type is; count 32 leaves all. */
#define extend_from(x, count)                                                                                          \
	((T)-1 > 0 ? (T)((U)(x)&low_mask(count)) : (count) != 0 ? (T)((U)(x) << (32 - (count))) >> (32 - (count)) : 0)

#endif
