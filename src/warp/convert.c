/* Every conversion of cvt and cvt.pack, one lane at a time and exactly: what the loops of lanes/convert.c fall back
 * on. */
#include "warp/choose.h"
#include "warp/lanes/float.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

/* ---- Rounding ---- */

struct float_format {
	unsigned mantissa, exponent; /* bits stored */
};

static bool rounds_up(unsigned rounding, bool negative, bool odd, int rest_to_half, bool inexact)
{
	switch (rounding) {
	case rounding_RZ: return false;
	case rounding_RM: return negative && inexact;
	case rounding_RP: return !negative && inexact;
	case rounding_RNA: return rest_to_half >= 0;
	default: return rest_to_half > 0 || (rest_to_half == 0 && odd);
	}
}

/* The significand shifted right, or left where the shift is negative, and rounded. */
static u128 shifted(u128 significand, int shift, unsigned rounding, bool negative)
{
	u128 kept = shift <= 0 ? significand << -shift : shift < 128 ? significand >> shift : 0;
	u128 rest = shift <= 0 ? 0 : shift < 128 ? significand - (kept << shift) : significand;
	u128 half = shift > 0 && shift <= 128 ? (u128)1 << (shift - 1) : 0;
	int rest_to_half = shift <= 0 || shift > 128 ? -1 : rest > half ? 1 : rest == half ? 0 : -1;
	return kept + rounds_up(rounding, negative, kept & 1, rest_to_half, rest != 0);
}

static bool overflows_to_infinity(unsigned rounding, bool negative)
{
	return !(rounding == rounding_RZ || (rounding == rounding_RM && !negative) ||
		 (rounding == rounding_RP && negative));
}

static int highest_bit_of(u128 x)
{
	uint64_t high = (uint64_t)(x >> 64);
	return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)x);
}

/* significand * 2^exponent without a sign, as if the format had any number of exponents; `negative` is for the
 * rounding. */
static uint64_t round_magnitude(
	struct float_format format, bool negative, u128 significand, int exponent, unsigned rounding)
{
	if (!significand)
		return 0;
	int lowest = 2 - (1 << (format.exponent - 1)); /* exponent of the smallest normal number */
	int top = highest_bit_of(significand) + exponent;
	int scale = top > lowest ? top : lowest; /* exponent of the leading place of the result */
	int shift = scale - (int)format.mantissa - exponent;
	/* The leading 1 of a normal number adds itself to the exponent field, and so does a carry out of rounding. */
	return ((uint64_t)(scale - lowest) << format.mantissa) +
	       (uint64_t)shifted(significand, shift, rounding, negative);
}

/* (-1)^negative * significand * 2^exponent in the format, rounded as `rounding` says (rounding_RN when NONE); overflow
 * goes to infinity or to the largest number as that mode does. */
static uint64_t round_to_format(
	struct float_format format, bool negative, u128 significand, int exponent, unsigned rounding)
{
	uint64_t sign = (uint64_t)negative << (format.mantissa + format.exponent);
	uint64_t infinity = ((UINT64_C(1) << format.exponent) - 1) << format.mantissa;
	uint64_t bits = round_magnitude(format, negative, significand, exponent, rounding);
	if (bits >= infinity)
		bits = overflows_to_infinity(rounding, negative) ? infinity : infinity - 1;
	return sign | bits;
}

/* ---- What a float is ---- */

static struct float_format format_of(enum ptx_type type)
{
	switch (type) {
	case TYPE_F16: return (struct float_format){10, 5};
	case TYPE_BF16: return (struct float_format){7, 8};
	case TYPE_TF32: return (struct float_format){10, 8};
	case TYPE_F32: return (struct float_format){23, 8};
	case TYPE_E4M3X2: return (struct float_format){3, 4}; /* of one of the two */
	case TYPE_E5M2X2: return (struct float_format){2, 5};
	case TYPE_E2M3X2: return (struct float_format){3, 2};
	case TYPE_E3M2X2: return (struct float_format){2, 3};
	case TYPE_E2M1X2: return (struct float_format){1, 2};
	default: return (struct float_format){52, 11};
	}
}

/* .tf32 occupies the high bits of 32. */
static unsigned low_zeros(enum ptx_type type)
{
	return type == TYPE_TF32 ? 13 : 0;
}

static uint64_t canonical_nan(enum ptx_type type)
{
	switch (type) {
	case TYPE_F64: return UINT64_C(0x7ff8000000000000);
	case TYPE_F16:
	case TYPE_BF16: return 0x7fff;
	default: return 0x7fffffff;
	}
}

/* Any source as sign, significand and exponent. */
struct number {
	bool is_nan, is_infinite, negative;
	u128 significand;
	int exponent;
};

/* As if every exponent were that of a number. */
static struct number read_finite(struct float_format format, uint64_t bits)
{
	uint64_t fraction = bits & ((UINT64_C(1) << format.mantissa) - 1);
	uint64_t field = bits >> format.mantissa & ((UINT64_C(1) << format.exponent) - 1);
	struct number number = {.negative = bits >> (format.mantissa + format.exponent) & 1};
	int lowest = 2 - (1 << (format.exponent - 1)) - (int)format.mantissa;
	number.significand = field ? fraction | UINT64_C(1) << format.mantissa : fraction;
	number.exponent = field ? lowest + (int)field - 1 : lowest;
	return number;
}

static struct number read_float(enum ptx_type type, uint64_t bits)
{
	struct float_format format = format_of(type);
	uint64_t fraction = bits & ((UINT64_C(1) << format.mantissa) - 1);
	uint64_t field = bits >> format.mantissa & ((UINT64_C(1) << format.exponent) - 1);
	struct number number = read_finite(format, bits);
	if (field == (UINT64_C(1) << format.exponent) - 1) {
		number.is_nan = fraction != 0;
		number.is_infinite = !fraction;
	}
	return number;
}

static bool is_signed(enum ptx_type type)
{
	return ptx_types[type].kind == KIND_SIGNED;
}

static s128 read_integer(enum ptx_type type, uint64_t bits)
{
	unsigned unused = 64 - ptx_types[type].bits;
	return is_signed(type) ? (s128)((int64_t)(bits << unused) >> unused) : (s128)(bits << unused >> unused);
}

static bool is_subnormal(enum ptx_type type, uint64_t bits)
{
	struct float_format format = format_of(type);
	return !(bits >> format.mantissa & ((UINT64_C(1) << format.exponent) - 1));
}

static struct number read_number(const struct insn *i, uint64_t bits)
{
	enum ptx_type type = i->type2;
	if (ptx_types[type].kind == KIND_FLOAT) {
		struct number number = read_float(type, bits);
		if ((i->modifiers.flags & FLAG_FTZ) && type == TYPE_F32 && is_subnormal(type, bits))
			number.significand = 0;
		return number;
	}
	s128 value = read_integer(type, bits);
	return (struct number){.negative = value < 0, .significand = value < 0 ? (u128)-value : (u128)value};
}

/* ---- To integers ---- */

/* rni rzi rmi rpi as the modes of a fraction. */
static unsigned fraction_rounding(unsigned rounding)
{
	switch (rounding) {
	case rounding_RZI: return rounding_RZ;
	case rounding_RMI: return rounding_RM;
	case rounding_RPI: return rounding_RP;
	default: return rounding_RN;
	}
}

/* The magnitude rounded to a whole number, saturated far above any destination. */
static u128 whole_magnitude(const struct number *number, unsigned rounding)
{
	if (!number->significand)
		return 0;
	if (number->exponent > 66)
		return (u128)1 << 100;
	return shifted(number->significand, -number->exponent, fraction_rounding(rounding), number->negative);
}

static s128 clamp(s128 value, enum ptx_type type)
{
	unsigned bits = ptx_types[type].bits;
	s128 highest = ((s128)1 << (is_signed(type) ? bits - 1 : bits)) - 1;
	s128 lowest = is_signed(type) ? -highest - 1 : 0;
	return value > highest ? highest : value < lowest ? lowest : value;
}

/* NaN becomes 0, but the most negative pattern when either type has 64 bits (PTX ISA, cvt). */
static s128 integer_of_nan(const struct insn *i)
{
	bool wide = i->type2 == TYPE_F64 || ptx_types[i->type].bits == 64;
	return wide ? (s128)1 << (ptx_types[i->type].bits - 1) : 0;
}

static uint64_t to_integer(const struct insn *i, uint64_t bits)
{
	struct number number = read_number(i, bits);
	s128 value;
	if (ptx_types[i->type2].kind != KIND_FLOAT) {
		value = read_integer(i->type2, bits);
		if (i->modifiers.flags & FLAG_SAT)
			value = clamp(value, i->type);
	} else if (number.is_nan) {
		value = integer_of_nan(i);
	} else {
		u128 whole = number.is_infinite ? (u128)1 << 100 : whole_magnitude(&number, i->modifiers.rounding);
		value = clamp(number.negative ? -(s128)whole : (s128)whole, i->type);
	}
	/* Extended as the type is, in case the register is wider. */
	return (uint64_t)read_integer(i->type, (uint64_t)value);
}

/* ---- To floats ---- */

/* .sat clamps to [0, 1], NaN to 0; .relu negative numbers to 0. */
static uint64_t apply_limits(const struct insn *i, const struct number *number, uint64_t bits)
{
	struct float_format format = format_of(i->type);
	uint64_t one = ((UINT64_C(1) << (format.exponent - 1)) - 1) << format.mantissa;
	uint64_t infinity = ((UINT64_C(1) << format.exponent) - 1) << format.mantissa;
	uint64_t magnitude_bits = bits & ((UINT64_C(1) << (format.mantissa + format.exponent)) - 1);
	if ((i->modifiers.flags & FLAG_FTZ) && i->type == TYPE_F32 && is_subnormal(i->type, bits))
		bits -= magnitude_bits;
	if ((i->modifiers.flags & FLAG_SATFINITE) && magnitude_bits == infinity)
		bits--;
	if ((i->modifiers.flags & (FLAG_SAT | FLAG_RELU)) && number->negative)
		return 0;
	if ((i->modifiers.flags & FLAG_SAT) && magnitude_bits > one)
		return one;
	return bits;
}

static uint64_t to_float(const struct insn *i, uint64_t source)
{
	struct number number = read_number(i, source);
	struct float_format format = format_of(i->type);
	if (number.is_nan)
		return i->modifiers.flags & FLAG_SAT ? 0 : canonical_nan(i->type);
	uint64_t bits;
	if (number.is_infinite) {
		uint64_t infinity = ((UINT64_C(1) << format.exponent) - 1) << format.mantissa;
		bits = infinity | (uint64_t)number.negative << (format.mantissa + format.exponent);
	} else if (i->modifiers.rounding >= rounding_RNI && number.exponent < 0) {
		u128 whole = whole_magnitude(&number, i->modifiers.rounding);
		bits = round_to_format(format, number.negative, whole, 0, rounding_RN);
	} else {
		bits = round_to_format(
			format, number.negative, number.significand, number.exponent, i->modifiers.rounding);
	}
	return apply_limits(i, &number, bits) << low_zeros(i->type);
}

static uint64_t converted(const struct insn *i, uint64_t bits)
{
	return ptx_types[i->type].kind == KIND_FLOAT ? to_float(i, bits) : to_integer(i, bits);
}

/* ---- Lanes ---- */

/* Through a copy: source and destination may overlap when their widths differ. */
static void exec_convert(struct warp *w, const struct insn *i, lane_mask active)
{
	uint64_t results[64];
	EACH_LANE(x, active)
		results[x] = converted(i, slot_value(w, i->s[0], i->s_bytes[0], (uint32_t)x));
	EACH_LANE(x, active)
		slot_set_value(w, i->d, i->d_bytes, (uint32_t)x, results[x]);
}

/* cvt of two floats into a pair: a is the high half. */
static void exec_convert_pair(struct warp *w, const struct insn *i, lane_mask active)
{
	struct insn one = *i;
	one.type = i->type == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
	one.type2 = TYPE_F32;
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);
	uint32_t *d = slot_at(w, i->d);
	EACH_LANE(x, active)
		d[x] = (uint32_t)(converted(&one, a[x]) << 16 | converted(&one, b[x]));
}

exec_function *choose_conversion(const struct insn *i)
{
	return i->op == OP_cvt_pair ? exec_convert_pair : exec_convert;
}

/* cvt.pack: b below a, both saturated; with 8 bits, the low half of c above them. */
static void exec_cvt_pack(struct warp *w, const struct insn *i, lane_mask active)
{
	unsigned bits = ptx_types[i->type].bits;
	uint32_t mask = (UINT32_C(1) << bits) - 1;
	const int32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);
	const uint32_t *c = bits == 8 ? slot_at(w, i->s[2]) : NULL;
	uint32_t *d = slot_at(w, i->d);
	EACH_LANE(x, active) {
		uint32_t high = (uint32_t)clamp(a[x], i->type) & mask, low = (uint32_t)clamp(b[x], i->type) & mask;
		d[x] = low | high << bits | (c ? c[x] << 16 : 0);
	}
}

CHOOSE_ALWAYS(cvt_pack)

/* ---- Floats of 8, 6 and 4 bits, in pairs: PTX ISA, cvt, and "Alternate floating-point data formats" ---- */

/* Without the sign, what numbers too large become, and NaN: where there is none, it is the largest number, too. */
static uint64_t largest_small(enum ptx_type type)
{
	return type == TYPE_E4M3X2 ? 0x7e : type == TYPE_E5M2X2 ? 0x7b : type == TYPE_E2M1X2 ? 0x7 : 0x1f;
}

static uint64_t small_nan(enum ptx_type type)
{
	return type == TYPE_E4M3X2 || type == TYPE_E5M2X2 ? 0x7f : largest_small(type);
}

/* .e5m2 is as the larger formats; the others have no infinity, and of them .e4m3 alone has NaN. */
static struct number read_small(enum ptx_type type, uint64_t bits)
{
	if (type == TYPE_E5M2X2)
		return read_float(type, bits);
	struct number number = read_finite(format_of(type), bits);
	number.is_nan = type == TYPE_E4M3X2 && (bits & 0x7f) == 0x7f;
	return number;
}

/* The power of two below a magnitude, or the one above it: a biased exponent.  Numbers below 2^-127 become that. */
static uint64_t to_exponent(const struct insn *i, const struct number *n)
{
	bool is_finite = i->modifiers.flags & FLAG_SATFINITE;
	if (n->is_nan || n->is_infinite)
		return n->is_infinite && is_finite ? 0xfe : 0xff;
	if (!n->significand)
		return 0;
	int top = highest_bit_of(n->significand), exponent = top + n->exponent + 127;
	if (i->modifiers.rounding == rounding_RP && n->significand != (u128)1 << top)
		exponent++;
	return exponent < 0 ? 0 : exponent > 0xfe ? (is_finite ? 0xfe : 0xff) : (uint64_t)exponent;
}

static uint64_t to_small(const struct insn *i, struct number n)
{
	struct float_format format = format_of(i->type);
	if (i->type == TYPE_UE8M0X2)
		return to_exponent(i, &n);
	if (n.is_nan)
		return small_nan(i->type);
	if ((i->modifiers.flags & FLAG_RELU) && n.negative)
		return 0;
	uint64_t largest = largest_small(i->type);
	uint64_t bits =
		n.is_infinite ? largest : round_magnitude(format, n.negative, n.significand, n.exponent, rounding_RN);
	return (bits < largest ? bits : largest) | (uint64_t)n.negative << (format.mantissa + format.exponent);
}

/* To .f16, or of an exponent to .bf16; every number fits. */
static uint64_t of_small(const struct insn *i, uint64_t bits)
{
	if (i->type2 == TYPE_UE8M0X2)
		return bits == 0xff ? canonical_nan(TYPE_BF16) : bits ? bits << 7 : 0x40;
	struct number n = read_small(i->type2, bits);
	if (n.is_nan)
		return canonical_nan(TYPE_F16);
	if ((i->modifiers.flags & FLAG_RELU) && n.negative)
		return 0;
	return n.is_infinite ? (uint64_t)n.negative << 15 | 0x7c00
			     : round_to_format(format_of(TYPE_F16), n.negative, n.significand, n.exponent, rounding_RN);
}

/* Two .f32 into a pair: a is the high part. */
static void exec_small_of_two(struct warp *w, const struct insn *i, lane_mask active)
{
	unsigned part = ptx_types[i->type].bits / 2;
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);
	uint64_t results[64];
	EACH_LANE(x, active)
		results[x] = to_small(i, read_float(TYPE_F32, a[x])) << part | to_small(i, read_float(TYPE_F32, b[x]));
	EACH_LANE(x, active)
		slot_set_value(w, i->d, i->d_bytes, (uint32_t)x, results[x]);
}

/* A pair of one kind into one of another: the high part stays the high part. */
static void exec_small(struct warp *w, const struct insn *i, lane_mask active)
{
	bool is_to_small = ptx_types[i->type].bits < ptx_types[i->type2].bits;
	unsigned to = ptx_types[i->type].bits / 2, from = ptx_types[i->type2].bits / 2;
	enum ptx_type half = i->type2 == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
	uint64_t results[64];
	EACH_LANE(x, active) {
		uint64_t source = slot_value(w, i->s[0], i->s_bytes[0], (uint32_t)x), part[2];
		for (unsigned k = 0; k < 2; k++) {
			uint64_t bits = source >> (k * from) & ((UINT64_C(1) << from) - 1);
			part[k] = is_to_small ? to_small(i, read_float(half, bits)) : of_small(i, bits);
		}
		results[x] = part[1] << to | part[0];
	}
	EACH_LANE(x, active)
		slot_set_value(w, i->d, i->d_bytes, (uint32_t)x, results[x]);
}

CHOOSER(cvt_small)
{
	return i->op == OP_cvt_small ? exec_small : exec_small_of_two;
}
