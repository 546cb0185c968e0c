/* The LANE rows of float types: a plain form and one for .ftz; .sat and .relu are a second step after either.
 * Roundings other than to nearest are in warp/rounding.c. */
#include "warp/lanes/float.h"

#define ROWS_INTEGER(m, ...)
#define ROWS_FLOAT(m, ...) m(__VA_ARGS__)
#define ROWS_DOUBLE(m, ...) m(__VA_ARGS__)

#define MEANING_WORDS(type)
/* .f64 takes no flags. */
#define EXEC_FORMS(id, type, ...)                                                                                      \
	EXEC(exec_##id##_##type, 0, __VA_ARGS__)                                                                       \
	PASTE(FLUSHING, FAMILY(type))(id, type, __VA_ARGS__)
#define FLUSHING_FLOAT(id, type, ...) EXEC(exec_##id##_##type##_flushing, FLAG_FTZ, __VA_ARGS__)
#define FLUSHING_DOUBLE(id, type, ...)

/* What no row needs is not compiled. */
#define ENTRY(id, type, allowed)                                                                                       \
	{                                                                                                              \
		exec_##id##_##type, PASTE(FLUSHING_ENTRY, FAMILY(type))(id, type, allowed)                             \
	}
#define FLUSHING_ENTRY_FLOAT(id, type, allowed) (allowed) & FLAG_FTZ ? exec_##id##_##type##_flushing : NULL
#define FLUSHING_ENTRY_DOUBLE(id, type, allowed) NULL
#define ROW_TABLE V(float_rows)
#include "warp/lanes/rows.h"

/* ---- .sat and .relu ---- */

/* Results are limited in the destination.  They have been rounded there, which changes nothing: 0 and 1 are values of
 * every type, and rounding keeps the order. */
static ALWAYS_INLINE float unchanged(const uint32_t flags, float x)
{
	(void)flags; /* which are for STORE_: it limits */
	return x;
}

static exec_function *unlimited(const struct insn *i)
{
	const struct lane_functions *row = &ROW_TABLE[i->op][i->type];
	return i->modifiers.flags & FLAG_FTZ ? row->flushing : row->plain;
}

#define LIMIT(type)                                                                                                    \
	static ALWAYS_INLINE SLOT(type) limit_##type(const uint32_t flags, SLOT(type) a)                               \
	{                                                                                                              \
		return MAP(1, type)(type, unchanged, type);                                                            \
	}                                                                                                              \
	static void exec_limited_##type(struct warp *w, const struct insn *i, lane_mask active)                        \
	{                                                                                                              \
		const uint32_t flags = i->modifiers.flags & ~(uint32_t)FLAG_FTZ;                                       \
		unlimited(i)(w, i, active);                                                                            \
		SLOT(type) *d = slot_at(w, i->d);                                                                      \
		FOR_ACTIVE_LANES(SLOT(type), d, limit_##type(flags, d[x]))                                             \
	}
LIMIT(F32)
LIMIT(F16)
LIMIT(BF16)
LIMIT(F16X2)
LIMIT(BF16X2)

exec_function *V(choose_limited)(const struct insn *i)
{
	switch (i->type) {
	case TYPE_F32: return exec_limited_F32;
	case TYPE_F16: return exec_limited_F16;
	case TYPE_BF16: return exec_limited_BF16;
	case TYPE_F16X2: return exec_limited_F16X2;
	case TYPE_BF16X2: return exec_limited_BF16X2;
	default: return NULL;
	}
}
