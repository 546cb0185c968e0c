/* min and max of floats, and copysign. */
#include "warp/lanes/float.h"
#include "warp/lanes/lanes.h"

/* Of two numbers; -0 is less than +0, which the bits decide, since equal numbers differ in nothing else.  The number
 * when one is NaN, unless .NaN asks for NaN then; NaN when both are. */
static ALWAYS_INLINE float extreme(float a, float b, bool greatest, uint32_t flags)
{
	float equal = greatest ? float_of(bits_of(a) & bits_of(b)) : float_of(bits_of(a) | bits_of(b));
	float number = (greatest ? a > b : a < b) ? a : a == b ? equal : b;
	float lone = a != a ? b : b != b ? a : number;
	float poisoned = a != a ? a : b != b ? b : number;
	return flags & FLAG_NAN_PROPAGATES ? poisoned : lone;
}

static ALWAYS_INLINE double extreme_double(double a, double b, bool greatest)
{
	double equal = greatest ? double_of(bits_of_double(a) & bits_of_double(b))
				: double_of(bits_of_double(a) | bits_of_double(b));
	double number = (greatest ? a > b : a < b) ? a : a == b ? equal : b;
	return a != a ? b : b != b ? a : number;
}

/* .xorsign.abs: of the magnitudes, with the sign that the product would have. */
static ALWAYS_INLINE float extreme_of(float a, float b, bool greatest, uint32_t flags)
{
	bool magnitudes = flags & (FLAG_XORSIGN_ABS | FLAG_ABS);
	uint32_t sign = flags & FLAG_XORSIGN_ABS ? (bits_of(a) ^ bits_of(b)) & 0x80000000 : 0;
	float x = magnitudes ? __builtin_fabsf(a) : a, y = magnitudes ? __builtin_fabsf(b) : b;
	return float_of(bits_of(extreme(x, y, greatest, flags)) | sign);
}

#define LOADED_F32(x, flags) flush_input(x, flags)
#define STORED_F32(x, flags) finish(x, (flags)&FLAG_FTZ)
#define LOADED_F16(x, flags) flush_half(half_to_float((uint16_t)(x)), flags)
#define STORED_F16(x, flags) float_to_half(x)
#define LOADED_BF16(x, flags) bfloat_to_float((uint16_t)(x))
#define STORED_BF16(x, flags) float_to_bfloat(x)

#define DEFINE_TWO(name, E, chosen_flags, greatest, LOADED, STORED)                                                    \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);                                            \
		E *d = slot_at(w, i->d);                                                                               \
		const uint32_t flags = chosen_flags;                                                                   \
		(void)flags;                                                                                           \
		FOR_ACTIVE_LANES(                                                                                      \
			E, d, STORED(extreme_of(LOADED(a[x], flags), LOADED(b[x], flags), greatest, flags), flags))    \
	}
#define PAIR(x, y, greatest, flags, LOADED, STORED)                                                                    \
	(STORED(extreme_of(LOADED(x, flags), LOADED(y, flags), greatest, flags), flags) |                              \
		STORED(extreme_of(LOADED(x >> 16, flags), LOADED(y >> 16, flags), greatest, flags), flags) << 16)
#define DEFINE_PAIRS(name, greatest, LOADED, STORED)                                                                   \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);                                     \
		uint32_t *d = slot_at(w, i->d);                                                                        \
		const uint32_t flags = i->modifiers.flags;                                                             \
		FOR_ACTIVE_LANES(uint32_t, d, PAIR(a[x], b[x], greatest, flags, LOADED, STORED))                       \
	}
#define DEFINE_ALL(word, greatest)                                                                                     \
	DEFINE_TWO(word##_F32, float, 0, greatest, LOADED_F32, STORED_F32)                                             \
	DEFINE_TWO(word##_F32_FTZ, float, FLAG_FTZ, greatest, LOADED_F32, STORED_F32)                                  \
	DEFINE_TWO(word##_F32_NAN, float, FLAG_NAN_PROPAGATES, greatest, LOADED_F32, STORED_F32)                       \
	DEFINE_TWO(word##_F32_any, float, i->modifiers.flags, greatest, LOADED_F32, STORED_F32)                        \
	DEFINE_TWO(word##_F16, uint32_t, i->modifiers.flags, greatest, LOADED_F16, STORED_F16)                         \
	DEFINE_TWO(word##_BF16, uint32_t, i->modifiers.flags, greatest, LOADED_BF16, STORED_BF16)                      \
	DEFINE_PAIRS(word##_F16X2, greatest, LOADED_F16, STORED_F16)                                                   \
	DEFINE_PAIRS(word##_BF16X2, greatest, LOADED_BF16, STORED_BF16)                                                \
	static void word##_F64(struct warp *w, const struct insn *i, lane_mask active)                                 \
	{                                                                                                              \
		const double *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);                                       \
		double *d = slot_at(w, i->d);                                                                          \
		FOR_ACTIVE_LANES(double, d, finish_double(extreme_double(a[x], b[x], greatest)))                       \
	}                                                                                                              \
	static void word##_F32_three(struct warp *w, const struct insn *i, lane_mask active)                           \
	{                                                                                                              \
		const float *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);              \
		float *d = slot_at(w, i->d);                                                                           \
		const uint32_t flags = i->modifiers.flags;                                                             \
		FOR_ACTIVE_LANES(float, d,                                                                             \
			STORED_F32(extreme_of(extreme_of(LOADED_F32(a[x], flags), LOADED_F32(b[x], flags), greatest,   \
						      flags),                                                          \
					   LOADED_F32(c[x], flags), greatest, flags),                                  \
				flags))                                                                                \
	}
DEFINE_ALL(min, false)
DEFINE_ALL(max, true)

#define CHOICE(word) (greatest ? max_##word : min_##word)

CHOOSER(extremum)
{
	bool greatest = i->op == OP_max_f32 || i->op == OP_max_f64 || i->op == OP_max_half;
	switch (i->type) {
	case TYPE_F64: return CHOICE(F64);
	case TYPE_F16: return CHOICE(F16);
	case TYPE_BF16: return CHOICE(BF16);
	case TYPE_F16X2: return CHOICE(F16X2);
	case TYPE_BF16X2: return CHOICE(BF16X2);
	case TYPE_F32: break;
	default: return NULL;
	}
	if (i->s[2] != SLOT_NONE)
		return CHOICE(F32_three);
	switch (i->modifiers.flags) {
	case 0: return CHOICE(F32);
	case FLAG_FTZ: return CHOICE(F32_FTZ);
	case FLAG_NAN_PROPAGATES: return CHOICE(F32_NAN);
	default: return CHOICE(F32_any);
	}
}

/* The magnitude of b with the sign of a; bits, so NaNs keep theirs. */
#define DEFINE_COPYSIGN(name, E, sign)                                                                                 \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);                                            \
		E *d = slot_at(w, i->d);                                                                               \
		FOR_ACTIVE_LANES(E, d, (a[x] & sign) | (b[x] & ~sign))                                                 \
	}
DEFINE_COPYSIGN(copysign_32, uint32_t, UINT32_C(0x80000000))
DEFINE_COPYSIGN(copysign_64, uint64_t, UINT64_C(0x8000000000000000))

CHOOSER(copysign)
{
	return i->type == TYPE_F64 ? copysign_64 : copysign_32;
}
