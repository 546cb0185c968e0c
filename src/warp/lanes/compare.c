/* setp, set, selp, slct and testp: lanes to masks and masks to lanes. */
#include "warp/lanes/float.h"
#include "warp/lanes/lanes.h"

/* Every comparison is one of these or the negation of one; which, and whether negated, is in `comparisons`. */
enum base {
	BASE_EQ,
	BASE_LT,
	BASE_LE,
	BASE_GT,
	BASE_GE,
	BASE_LG /* less or greater */,
	BASE_UN /* some NaN */,
	BASE_COUNT
};

static const struct comparison {
	uint8_t base;
	bool negated;
} comparisons[] = {
	[compare_EQ] = {BASE_EQ, false},
	[compare_NE] = {BASE_LG, false},
	[compare_LT] = {BASE_LT, false},
	[compare_LE] = {BASE_LE, false},
	[compare_GT] = {BASE_GT, false},
	[compare_GE] = {BASE_GE, false},
	[compare_LO] = {BASE_LT, false},
	[compare_LS] = {BASE_LE, false},
	[compare_HI] = {BASE_GT, false},
	[compare_HS] = {BASE_GE, false},
	[compare_EQU] = {BASE_LG, true},
	[compare_NEU] = {BASE_EQ, true},
	[compare_LTU] = {BASE_GE, true},
	[compare_LEU] = {BASE_GT, true},
	[compare_GTU] = {BASE_LE, true},
	[compare_GEU] = {BASE_LT, true},
	[compare_NUM] = {BASE_UN, true},
	[compare_NAN] = {BASE_UN, false},
};

#define COMPARE_EQ(a, b) ((a) == (b))
#define COMPARE_LT(a, b) ((a) < (b))
#define COMPARE_LE(a, b) ((a) <= (b))
#define COMPARE_GT(a, b) ((a) > (b))
#define COMPARE_GE(a, b) ((a) >= (b))
#define COMPARE_LG(a, b) ((int)((a) < (b)) | (int)((a) > (b)))
#define COMPARE_UN(a, b) ((int)((a) != (a)) | (int)((b) != (b)))

static ALWAYS_INLINE lane_mask combine(unsigned boolean, lane_mask value, lane_mask with)
{
	switch (boolean) {
	case boolean_AND: return value & with;
	case boolean_OR: return value | with;
	case boolean_XOR: return value ^ with;
	default: return value;
	}
}

/* p = comparison op s, q = !comparison op s. */
static __attribute__((noinline)) void finish_general(
	struct warp *w, const struct insn *i, lane_mask active, lane_mask truth)
{
	lane_mask source = i->modifiers.boolean ? predicate_source(w, i) : 0;
	write_predicate(w, i->pd, active, combine(i->modifiers.boolean, truth, source));
	write_predicate(w, i->pd2, active, combine(i->modifiers.boolean, ~truth, source));
}

/* What setp does with a comparison; mostly there is but p = comparison. */
static ALWAYS_INLINE void finish_setp(struct warp *w, const struct insn *i, lane_mask active, lane_mask truth)
{
	truth ^= -(lane_mask)comparisons[i->modifiers.compare].negated;
	if (i->modifiers.boolean || i->pd2 != NO_PREDICATE || i->pd == NO_PREDICATE)
		finish_general(w, i, active, truth);
	else
		write_predicate(w, i->pd, active, truth);
}

/* LOADED(x) turns an element of type E into what is compared. */
#define DEFINE_COMPARISON(type, base, E, LOADED)                                                                       \
	static ALWAYS_INLINE lane_mask truth_##base##_##type(const struct warp *w, const struct insn *i)               \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);                                            \
		lane_mask truth = 0;                                                                                   \
		MASK_OF(E, COMPARE_##base(LOADED(a[x]), LOADED(b[x])), truth)                                          \
		return truth;                                                                                          \
	}                                                                                                              \
	static void setp_##base##_##type(struct warp *w, const struct insn *i, lane_mask active)                       \
	{                                                                                                              \
		finish_setp(w, i, active, truth_##base##_##type(w, i));                                                \
	}

#define DEFINE_INTEGER(type, E, LOADED)                                                                                \
	DEFINE_COMPARISON(type, EQ, E, LOADED)                                                                         \
	DEFINE_COMPARISON(type, LT, E, LOADED)                                                                         \
	DEFINE_COMPARISON(type, LE, E, LOADED)                                                                         \
	DEFINE_COMPARISON(type, GT, E, LOADED)                                                                         \
	DEFINE_COMPARISON(type, GE, E, LOADED)                                                                         \
	DEFINE_COMPARISON(type, LG, E, LOADED)
#define DEFINE_FLOAT(type, E, LOADED) DEFINE_INTEGER(type, E, LOADED) DEFINE_COMPARISON(type, UN, E, LOADED)

#define AS_IS(x) (x)
#define AS_U16(x) ((uint16_t)(x))
#define AS_S16(x) ((int16_t)(x))
#define AS_FLUSHED(x) flush(x)
#define AS_HALF(x) half_to_float((uint16_t)(x))
#define AS_HALF_FLUSHED(x) flush_half(half_to_float((uint16_t)(x)), FLAG_FTZ)
#define AS_BFLOAT(x) bfloat_to_float((uint16_t)(x))

DEFINE_INTEGER(U16, uint32_t, AS_U16)
DEFINE_INTEGER(S16, uint32_t, AS_S16)
DEFINE_INTEGER(U32, uint32_t, AS_IS)
DEFINE_INTEGER(S32, int32_t, AS_IS)
DEFINE_INTEGER(U64, uint64_t, AS_IS)
DEFINE_INTEGER(S64, int64_t, AS_IS)
DEFINE_FLOAT(F32, float, AS_IS)
DEFINE_FLOAT(F32_FTZ, float, AS_FLUSHED)
DEFINE_FLOAT(F64, double, AS_IS)
DEFINE_FLOAT(F16, uint32_t, AS_HALF)
DEFINE_FLOAT(F16_FTZ, uint32_t, AS_HALF_FLUSHED)
DEFINE_FLOAT(BF16, uint32_t, AS_BFLOAT)

#define INTEGER_ENTRIES(type)                                                                                          \
	[BASE_EQ] = setp_EQ_##type, [BASE_LT] = setp_LT_##type, [BASE_LE] = setp_LE_##type,                            \
	[BASE_GT] = setp_GT_##type, [BASE_GE] = setp_GE_##type, [BASE_LG] = setp_LG_##type
#define FLOAT_ENTRIES(type) INTEGER_ENTRIES(type), [BASE_UN] = setp_UN_##type

/* .f16x2 and .bf16x2 set p from the low halves and q from the high ones. */
static ALWAYS_INLINE bool holds(unsigned base, float a, float b)
{
	switch (base) {
	case BASE_EQ: return COMPARE_EQ(a, b);
	case BASE_LT: return COMPARE_LT(a, b);
	case BASE_LE: return COMPARE_LE(a, b);
	case BASE_GT: return COMPARE_GT(a, b);
	case BASE_GE: return COMPARE_GE(a, b);
	case BASE_LG: return COMPARE_LG(a, b);
	default: return COMPARE_UN(a, b);
	}
}

static ALWAYS_INLINE float half_of(const struct insn *i, uint32_t pair, unsigned part)
{
	uint32_t half = pair >> 16 * part & 0xffff;
	bool is_bfloat = i->type2 ? i->type2 == TYPE_BF16X2 : i->type == TYPE_BF16X2;
	return is_bfloat ? bfloat_to_float(half) : flush_half(half_to_float(half), i->modifiers.flags);
}

static lane_mask truth_of_pairs(const struct warp *w, const struct insn *i, unsigned part)
{
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);
	struct comparison comparison = comparisons[i->modifiers.compare];
	lane_mask truth = 0;
	for (unsigned x = 0; x < LANES; x++)
		truth |= (lane_mask)holds(comparison.base, half_of(i, a[x], part), half_of(i, b[x], part)) << x;
	return comparison.negated ? ~truth : truth;
}

static void setp_pairs(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask source = i->modifiers.boolean ? predicate_source(w, i) : 0;
	lane_mask low = truth_of_pairs(w, i, 0), high = truth_of_pairs(w, i, 1);
	write_predicate(w, i->pd, active, combine(i->modifiers.boolean, low, source));
	write_predicate(w, i->pd2, active, combine(i->modifiers.boolean, high, source));
}

/* .lo .ls .hi .hs compare as unsigned whatever the type says. */
static enum ptx_type compared_type(const struct insn *i, enum ptx_type type)
{
	bool is_unsigned = i->modifiers.compare >= compare_LO && i->modifiers.compare <= compare_HS;
	switch (type) {
	case TYPE_B16: return TYPE_U16;
	case TYPE_B32: return TYPE_U32;
	case TYPE_B64: return TYPE_U64;
	case TYPE_S16: return is_unsigned ? TYPE_U16 : type;
	case TYPE_S32: return is_unsigned ? TYPE_U32 : type;
	case TYPE_S64: return is_unsigned ? TYPE_U64 : type;
	default: return type;
	}
}

/* setp of the comparison for a source type; also what `set` is made of. */
static exec_function *setp_for(const struct insn *i, enum ptx_type type)
{
	static exec_function *const functions[TYPE_COUNT][BASE_COUNT] = {
		[TYPE_U16] = {INTEGER_ENTRIES(U16)},
		[TYPE_S16] = {INTEGER_ENTRIES(S16)},
		[TYPE_U32] = {INTEGER_ENTRIES(U32)},
		[TYPE_S32] = {INTEGER_ENTRIES(S32)},
		[TYPE_U64] = {INTEGER_ENTRIES(U64)},
		[TYPE_S64] = {INTEGER_ENTRIES(S64)},
		[TYPE_F32] = {FLOAT_ENTRIES(F32)},
		[TYPE_F64] = {FLOAT_ENTRIES(F64)},
		[TYPE_F16] = {FLOAT_ENTRIES(F16)},
		[TYPE_BF16] = {FLOAT_ENTRIES(BF16)},
	};
	static exec_function *const flushing[2][BASE_COUNT] = {{FLOAT_ENTRIES(F32_FTZ)}, {FLOAT_ENTRIES(F16_FTZ)}};
	unsigned base = comparisons[i->modifiers.compare].base;
	type = compared_type(i, type);
	if (type == TYPE_F16X2 || type == TYPE_BF16X2)
		return setp_pairs;
	if ((i->modifiers.flags & FLAG_FTZ) && (type == TYPE_F32 || type == TYPE_F16))
		return flushing[type == TYPE_F16][base];
	return functions[type][base];
}

CHOOSER(setp)
{
	return setp_for(i, i->type);
}

/* ---- set ---- */

/* Runs the comparison as a setp into predicates of its own, then spreads them: integers get all ones, floats 1.0. */
static void set_into(struct warp *w, const struct insn *i, lane_mask active, lane_mask results[2])
{
	struct insn compare = *i;
	struct warp scratch = *w;
	lane_mask predicates[3] = {i->modifiers.boolean ? predicate_source(w, i) : 0, 0, 0};
	scratch.predicates = predicates;
	compare.ps = compare.ps_invert = 0;
	compare.pd = 1;
	compare.pd2 = 2;
	setp_for(i, i->type2)(&scratch, &compare, active);
	results[0] = predicates[1];
	results[1] = predicates[2];
}

static uint32_t true_value(enum ptx_type type)
{
	switch (type) {
	case TYPE_F32: return 0x3f800000;
	case TYPE_F16:
	case TYPE_F16X2: return 0x3c00;
	case TYPE_BF16:
	case TYPE_BF16X2: return 0x3f80;
	case TYPE_U16:
	case TYPE_S16: return 0xffff;
	default: return UINT32_MAX;
	}
}

static void exec_set(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask results[2];
	uint32_t *d = slot_at(w, i->d), yes = true_value(i->type);
	bool pairs = i->type == TYPE_F16X2 || i->type == TYPE_BF16X2;
	set_into(w, i, active, results);
	for (unsigned x = 0; x < LANES; x++) {
		uint32_t value = results[0] >> x & 1 ? yes : 0;
		if (pairs)
			value |= (results[1] >> x & 1 ? yes : 0) << 16;
		if (active >> x & 1)
			d[x] = value;
	}
}

CHOOSER(set)
{
	bool pairs = i->type2 == TYPE_F16X2 || i->type2 == TYPE_BF16X2;
	bool pair_results = i->type == TYPE_F16X2 || i->type == TYPE_BF16X2;
	return i->type2 && setp_for(i, i->type2) && (pairs || !pair_results) ? exec_set : NULL;
}

/* ---- selp, slct ---- */

#define DEFINE_SELP(name, E)                                                                                           \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);                                            \
		E *d = slot_at(w, i->d);                                                                               \
		const lane_mask chosen = predicate_source(w, i);                                                       \
		FOR_ACTIVE_LANES(E, d, LANE_IN((uint32_t)(chosen >> base), l, E) ? a[x] : b[x])                        \
	}
DEFINE_SELP(selp_32, uint32_t)
DEFINE_SELP(selp_64, uint64_t)

CHOOSER(selp)
{
	return ptx_types[i->type].bits == 64 ? selp_64 : selp_32;
}

/* a where c is not negative (-0 is not), b elsewhere and where it is NaN. */
#define DEFINE_SLCT(name, E, C, LOADED)                                                                                \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);                                            \
		const C *c = slot_at(w, i->s[2]);                                                                      \
		E *d = slot_at(w, i->d);                                                                               \
		FOR_ACTIVE_LANES(E, d, LOADED(c[x]) >= 0 ? a[x] : b[x])                                                \
	}
DEFINE_SLCT(slct_32_S32, uint32_t, int32_t, AS_IS)
DEFINE_SLCT(slct_64_S32, uint64_t, int32_t, AS_IS)
DEFINE_SLCT(slct_32_F32, uint32_t, float, AS_IS)
DEFINE_SLCT(slct_64_F32, uint64_t, float, AS_IS)
DEFINE_SLCT(slct_32_F32_FTZ, uint32_t, float, AS_FLUSHED)
DEFINE_SLCT(slct_64_F32_FTZ, uint64_t, float, AS_FLUSHED)

CHOOSER(slct)
{
	bool wide = ptx_types[i->type].bits == 64;
	if (i->type2 == TYPE_S32)
		return wide ? slct_64_S32 : slct_32_S32;
	if (i->modifiers.flags & FLAG_FTZ)
		return wide ? slct_64_F32_FTZ : slct_32_F32_FTZ;
	return wide ? slct_64_F32 : slct_32_F32;
}

/* ---- testp ---- */

/* A number's class from its magnitude: `infinite` is infinity's, above it are NaNs, below `normal` subnormals and zero,
 * which the ISA counts among the normal numbers. */
#define DEFINE_TESTP(type, E, infinite, normal)                                                                        \
	static ALWAYS_INLINE bool is_in_class_##type(uint16_t op, E bits)                                              \
	{                                                                                                              \
		E magnitude_bits = bits & ((E)-1 >> 1);                                                                \
		switch (op) {                                                                                          \
		case OP_testp_finite: return magnitude_bits < infinite;                                                \
		case OP_testp_infinite: return magnitude_bits == infinite;                                             \
		case OP_testp_number: return magnitude_bits <= infinite;                                               \
		case OP_testp_nan: return magnitude_bits > infinite;                                                   \
		case OP_testp_normal:                                                                                  \
			return (magnitude_bits >= normal || !magnitude_bits) && magnitude_bits < infinite;             \
		default: return magnitude_bits && magnitude_bits < normal; /* subnormal */                             \
		}                                                                                                      \
	}                                                                                                              \
	static void testp_##type(struct warp *w, const struct insn *i, lane_mask active)                               \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]);                                                                      \
		lane_mask truth = 0;                                                                                   \
		for (unsigned x = 0; x < LANES; x++)                                                                   \
			truth |= (lane_mask)is_in_class_##type(i->op, a[x]) << x;                                      \
		write_predicate(w, i->pd, active, truth);                                                              \
	}
DEFINE_TESTP(F32, uint32_t, UINT32_C(0x7f800000), UINT32_C(0x00800000))
DEFINE_TESTP(F64, uint64_t, UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000))

CHOOSER(testp)
{
	return i->type == TYPE_F64 ? testp_F64 : testp_F32;
}
