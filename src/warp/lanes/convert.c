/* cvt in the forms that occur in loops; all others go lane by lane through warp/convert.c, which knows every form. */
#include "ptx/type_sets.h"
#include "warp/lanes/float.h"
#include "warp/lanes/lanes.h"

/* ---- Between integers ---- */

#define E_U8 uint32_t
#define E_S8 uint32_t
#define E_U16 uint32_t
#define E_S16 uint32_t
#define E_U32 uint32_t
#define E_S32 uint32_t
#define E_U64 uint64_t
#define E_S64 uint64_t
#define C_U8 uint8_t
#define C_S8 int8_t
#define C_U16 uint16_t
#define C_S16 int16_t
#define C_U32 uint32_t
#define C_S32 int32_t
#define C_U64 uint64_t
#define C_S64 int64_t

/* The conversion of the signed and the unsigned value extends as the type says, up to the width of the slot. */
#define DEFINE_INTEGER(from, to)                                                                                       \
	static void to##_from_##from(struct warp *w, const struct insn *i, lane_mask active)                           \
	{                                                                                                              \
		const E_##from *a = slot_at(w, i->s[0]);                                                               \
		E_##to *d = slot_at(w, i->d);                                                                          \
		FOR_ACTIVE_LANES(E_##to, d, (E_##to)(C_##to)(C_##from)a[x])                                            \
	}
#define DEFINE_TO(to) FOR_CVT_INTS(DEFINE_INTEGER, to)
DEFINE_TO(U8)
DEFINE_TO(S8)
DEFINE_TO(U16)
DEFINE_TO(S16)
DEFINE_TO(U32)
DEFINE_TO(S32)
DEFINE_TO(U64)
DEFINE_TO(S64)

#define ENTRY(from, to) [TYPE_##from] = to##_from_##from,
#define ENTRIES(to) [TYPE_##to] = {FOR_CVT_INTS(ENTRY, to)}

static exec_function *between_integers(enum ptx_type to, enum ptx_type from)
{
	static exec_function *const functions[TYPE_COUNT][TYPE_COUNT] = {ENTRIES(U8), ENTRIES(S8), ENTRIES(U16),
		ENTRIES(S16), ENTRIES(U32), ENTRIES(S32), ENTRIES(U64), ENTRIES(S64)};
	return functions[to][from];
}

/* ---- Other conversions, in one shape ---- */

#define DEFINE_LOOP(name, D, A, expression)                                                                            \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const A *a = slot_at(w, i->s[0]);                                                                      \
		D *d = slot_at(w, i->d);                                                                               \
		FOR_ACTIVE_LANES(D, d, expression)                                                                     \
	}

/* ---- Integers to floats, to nearest: C's conversion in the default mode ---- */

#define DEFINE_TO_FLOAT(from, ...)                                                                                     \
	DEFINE_LOOP(F32_from_##from, float, E_##from, (float)(C_##from)a[x])                                           \
	DEFINE_LOOP(F64_from_##from, double, E_##from, (double)(C_##from)a[x])
FOR_CVT_INTS(DEFINE_TO_FLOAT, )

#define FLOAT_ENTRIES(from, ...) [TYPE_##from] = {F32_from_##from, F64_from_##from},

static exec_function *integer_to_float(enum ptx_type to, enum ptx_type from)
{
	static exec_function *const functions[TYPE_COUNT][2] = {FOR_CVT_INTS(FLOAT_ENTRIES, )};
	return to == TYPE_F32 || to == TYPE_F64 ? functions[from][to == TYPE_F64] : NULL;
}

/* ---- Floats to integers: rounded, clamped to the range; NaN as the ISA says ---- */

#define TRUNCATED(x) (x)
#define NEAREST(x) _Generic((x), float : __builtin_rintf, double : __builtin_rint)(x)
#define FLOORED(x) _Generic((x), float : __builtin_floorf, double : __builtin_floor)(x)
#define CEILED(x) _Generic((x), float : __builtin_ceilf, double : __builtin_ceil)(x)

/* `above` is the first power of two beyond the range, `below` the last number that truncates into it or its neighbour.
 * Numbers outside are replaced before C converts, which would be undefined. */
#define DEFINE_CLAMP(name, C, T, lowest, highest, below, above, nan)                                                   \
	static ALWAYS_INLINE C name(T x)                                                                               \
	{                                                                                                              \
		bool inside = x > (below) && x < (above);                                                              \
		C converted = (C)(inside ? x : 0);                                                                     \
		C outside = x >= (above) ? (highest) : x != x ? (nan) : (lowest);                                      \
		return inside ? converted : outside;                                                                   \
	}
DEFINE_CLAMP(S32_of_F32, int32_t, float, INT32_MIN, INT32_MAX, -0x1.000002p31f, 0x1p31f, 0)
DEFINE_CLAMP(U32_of_F32, uint32_t, float, 0, UINT32_MAX, -1, 0x1p32f, 0)
DEFINE_CLAMP(S64_of_F32, int64_t, float, INT64_MIN, INT64_MAX, -0x1.000002p63f, 0x1p63f, INT64_MIN)
DEFINE_CLAMP(U64_of_F32, uint64_t, float, 0, UINT64_MAX, -1, 0x1p64f, UINT64_C(1) << 63)
DEFINE_CLAMP(S32_of_F64, int32_t, double, INT32_MIN, INT32_MAX, -0x1p31 - 1, 0x1p31, INT32_MIN)
DEFINE_CLAMP(U32_of_F64, uint32_t, double, 0, UINT32_MAX, -1, 0x1p32, UINT32_C(1) << 31)
DEFINE_CLAMP(S64_of_F64, int64_t, double, INT64_MIN, INT64_MAX, -0x1.0000000000001p63, 0x1p63, INT64_MIN)
DEFINE_CLAMP(U64_of_F64, uint64_t, double, 0, UINT64_MAX, -1, 0x1p64, UINT64_C(1) << 63)

#define DEFINE_ROUNDINGS(to, from, T)                                                                                  \
	DEFINE_LOOP(to##_from_##from##_RZI, C_##to, T, to##_of_##from(TRUNCATED(a[x])))                                \
	DEFINE_LOOP(to##_from_##from##_RNI, C_##to, T, to##_of_##from(NEAREST(a[x])))                                  \
	DEFINE_LOOP(to##_from_##from##_RMI, C_##to, T, to##_of_##from(FLOORED(a[x])))                                  \
	DEFINE_LOOP(to##_from_##from##_RPI, C_##to, T, to##_of_##from(CEILED(a[x])))
DEFINE_ROUNDINGS(S32, F32, float)
DEFINE_ROUNDINGS(U32, F32, float)
DEFINE_ROUNDINGS(S64, F32, float)
DEFINE_ROUNDINGS(U64, F32, float)
DEFINE_ROUNDINGS(S32, F64, double)
DEFINE_ROUNDINGS(U32, F64, double)
DEFINE_ROUNDINGS(S64, F64, double)
DEFINE_ROUNDINGS(U64, F64, double)

#define ROUNDING_ENTRIES(to, from)                                                                                     \
	{                                                                                                              \
		to##_from_##from##_RNI, to##_from_##from##_RZI, to##_from_##from##_RMI, to##_from_##from##_RPI         \
	}

static exec_function *float_to_integer(const struct insn *i)
{
	static exec_function *const functions[TYPE_COUNT][2][4] = {
		[TYPE_S32] = {ROUNDING_ENTRIES(S32, F32), ROUNDING_ENTRIES(S32, F64)},
		[TYPE_U32] = {ROUNDING_ENTRIES(U32, F32), ROUNDING_ENTRIES(U32, F64)},
		[TYPE_S64] = {ROUNDING_ENTRIES(S64, F32), ROUNDING_ENTRIES(S64, F64)},
		[TYPE_U64] = {ROUNDING_ENTRIES(U64, F32), ROUNDING_ENTRIES(U64, F64)},
	};
	unsigned rounding = i->modifiers.rounding;
	/* Flushing changes what rounds up or down, and nothing else. */
	bool indifferent = !(i->modifiers.flags & FLAG_FTZ) || rounding == rounding_RNI || rounding == rounding_RZI;
	if (rounding < rounding_RNI || !indifferent || (i->type2 != TYPE_F32 && i->type2 != TYPE_F64))
		return NULL;
	return functions[i->type][i->type2 == TYPE_F64][rounding - rounding_RNI];
}

/* ---- Between floats ---- */

DEFINE_LOOP(F64_from_F32, double, float, finish_double((double)a[x]))
DEFINE_LOOP(F32_from_F64, float, double, canonical((float)a[x]))
DEFINE_LOOP(F32_from_F16, float, uint32_t, canonical(half_to_float((uint16_t)a[x])))
DEFINE_LOOP(F32_from_BF16, float, uint32_t, canonical(bfloat_to_float((uint16_t)a[x])))
DEFINE_LOOP(F16_from_F32, uint32_t, float, float_to_half(a[x]))
DEFINE_LOOP(BF16_from_F32, uint32_t, float, float_to_bfloat(a[x]))
DEFINE_LOOP(F32_nearest, float, float, canonical(NEAREST(a[x])))
DEFINE_LOOP(F32_truncated, float, float, canonical(__builtin_truncf(a[x])))
DEFINE_LOOP(F32_floored, float, float, canonical(FLOORED(a[x])))
DEFINE_LOOP(F32_ceiled, float, float, canonical(CEILED(a[x])))
DEFINE_LOOP(F64_nearest, double, double, finish_double(NEAREST(a[x])))
DEFINE_LOOP(F64_truncated, double, double, finish_double(__builtin_trunc(a[x])))
DEFINE_LOOP(F64_floored, double, double, finish_double(FLOORED(a[x])))
DEFINE_LOOP(F64_ceiled, double, double, finish_double(CEILED(a[x])))
DEFINE_LOOP(F32_saturated, float, float, saturate(a[x]))

static exec_function *to_whole_float(const struct insn *i)
{
	bool wide = i->type == TYPE_F64;
	switch (i->modifiers.rounding) {
	case rounding_RNI: return wide ? F64_nearest : F32_nearest;
	case rounding_RZI: return wide ? F64_truncated : F32_truncated;
	case rounding_RMI: return wide ? F64_floored : F32_floored;
	case rounding_RPI: return wide ? F64_ceiled : F32_ceiled;
	default: return NULL;
	}
}

static exec_function *between_floats(const struct insn *i)
{
	enum ptx_type to = i->type, from = i->type2;
	bool nearest = i->modifiers.rounding == rounding_RN;
	if (to == TYPE_F32 && from == TYPE_F32 && i->modifiers.flags == FLAG_SAT && !i->modifiers.rounding)
		return F32_saturated;
	if (i->modifiers.flags)
		return NULL;
	if (to == from && (to == TYPE_F32 || to == TYPE_F64))
		return to_whole_float(i);
	if (to == TYPE_F64 && from == TYPE_F32)
		return F64_from_F32;
	if (to == TYPE_F32 && (from == TYPE_F16 || from == TYPE_BF16))
		return from == TYPE_F16 ? F32_from_F16 : F32_from_BF16;
	if (to == TYPE_F32 && from == TYPE_F64)
		return nearest ? F32_from_F64 : NULL;
	if (from == TYPE_F32 && nearest && (to == TYPE_F16 || to == TYPE_BF16))
		return to == TYPE_F16 ? F16_from_F32 : BF16_from_F32;
	return NULL;
}

/* Registers wider than the types go the general way. */
static bool is_natural(const struct insn *i)
{
	return i->s_bytes[0] == (ptx_types[i->type2].bits == 64 ? 8 : 4) &&
	       i->d_bytes == (ptx_types[i->type].bits == 64 ? 8 : 4);
}

static exec_function *in_loops(const struct insn *i)
{
	bool float_to = ptx_types[i->type].kind == KIND_FLOAT, float_from = ptx_types[i->type2].kind == KIND_FLOAT;
	if (!is_natural(i))
		return NULL;
	if (!float_to && !float_from)
		return i->modifiers.flags & FLAG_SAT ? NULL : between_integers(i->type, i->type2);
	if (!float_from)
		return i->modifiers.rounding == rounding_RN && !i->modifiers.flags ? integer_to_float(i->type, i->type2)
										   : NULL;
	return float_to ? between_floats(i) : float_to_integer(i);
}

CHOOSER(cvt)
{
	exec_function *function = in_loops(i);
	return function ? function : choose_conversion(i);
}

/* ---- Pairs: a becomes the high half, b the low one ---- */

#define DEFINE_PAIR(name, narrow)                                                                                      \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const float *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);                                        \
		uint32_t *d = slot_at(w, i->d);                                                                        \
		FOR_ACTIVE_LANES(uint32_t, d, narrow(a[x]) << 16 | narrow(b[x]))                                       \
	}
DEFINE_PAIR(pair_of_halves, float_to_half)
DEFINE_PAIR(pair_of_bfloats, float_to_bfloat)

CHOOSER(cvt_pair)
{
	if (i->modifiers.flags || i->modifiers.rounding != rounding_RN)
		return choose_conversion(i);
	return i->type == TYPE_F16X2 ? pair_of_halves : pair_of_bfloats;
}
