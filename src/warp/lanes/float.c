/* The LANE rows of float types: a plain form, one for .ftz, and a general one for .sat and .relu with or without it.
 * Roundings other than to nearest are in warp/rounding.c. */
#include "warp/lanes/float.h"

#define ROWS_F32(m, ...) m(__VA_ARGS__)
#define ROWS_F64(m, ...) m(__VA_ARGS__)
#define ROWS_F16(m, ...) m(__VA_ARGS__)
#define ROWS_BF16(m, ...) m(__VA_ARGS__)
#define ROWS_F16X2(m, ...) m(__VA_ARGS__)
#define ROWS_BF16X2(m, ...) m(__VA_ARGS__)
#define ROWS_F32X2(m, ...) m(__VA_ARGS__)
#define ROWS_B16(m, ...)
#define ROWS_U16(m, ...)
#define ROWS_S16(m, ...)
#define ROWS_B32(m, ...)
#define ROWS_U32(m, ...)
#define ROWS_S32(m, ...)
#define ROWS_B64(m, ...)
#define ROWS_U64(m, ...)
#define ROWS_S64(m, ...)
#define ROWS_U16X2(m, ...)
#define ROWS_S16X2(m, ...)

#define MEANING_WORDS(type)
/* .f64 takes no flags. */
#define EXEC_FORMS(id, type, ...)                                                                                      \
	EXEC(exec_##id##_##type, 0, __VA_ARGS__)                                                                       \
	FLAGGED_##type(id, type, __VA_ARGS__)
#define ENTRY(id, type) FLAGGED_ENTRY_##type(id, type)
#define FLAGGED_F64(id, type, ...)
#define FLAGGED_ENTRY_F64(id, type)                                                                                    \
	{                                                                                                              \
		exec_##id##_##type, NULL, NULL                                                                         \
	}
#define FLAGGED(id, type, ...)                                                                                         \
	EXEC(exec_##id##_##type##_flushing, FLAG_FTZ, __VA_ARGS__)                                                     \
	EXEC(exec_##id##_##type##_general, i->modifiers.flags, __VA_ARGS__)
#define FLAGGED_ENTRY(id, type)                                                                                        \
	{                                                                                                              \
		exec_##id##_##type, exec_##id##_##type##_flushing, exec_##id##_##type##_general                        \
	}
#define FLAGGED_F32 FLAGGED
#define FLAGGED_F16 FLAGGED
#define FLAGGED_BF16 FLAGGED
#define FLAGGED_F16X2 FLAGGED
#define FLAGGED_BF16X2 FLAGGED
#define FLAGGED_F32X2 FLAGGED
#define FLAGGED_ENTRY_F32 FLAGGED_ENTRY
#define FLAGGED_ENTRY_F16 FLAGGED_ENTRY
#define FLAGGED_ENTRY_BF16 FLAGGED_ENTRY
#define FLAGGED_ENTRY_F16X2 FLAGGED_ENTRY
#define FLAGGED_ENTRY_BF16X2 FLAGGED_ENTRY
#define FLAGGED_ENTRY_F32X2 FLAGGED_ENTRY
#define ROW_TABLE V(float_rows)
#include "warp/lanes/rows.h"
