/* The LANE rows of integer and bit types. */
#include "warp/lanes/integer.h"

#define ROWS_B16(m, ...) m(__VA_ARGS__)
#define ROWS_U16(m, ...) m(__VA_ARGS__)
#define ROWS_S16(m, ...) m(__VA_ARGS__)
#define ROWS_B32(m, ...) m(__VA_ARGS__)
#define ROWS_U32(m, ...) m(__VA_ARGS__)
#define ROWS_S32(m, ...) m(__VA_ARGS__)
#define ROWS_B64(m, ...) m(__VA_ARGS__)
#define ROWS_U64(m, ...) m(__VA_ARGS__)
#define ROWS_S64(m, ...) m(__VA_ARGS__)
#define ROWS_U16X2(m, ...) m(__VA_ARGS__)
#define ROWS_S16X2(m, ...) m(__VA_ARGS__)
#define ROWS_F32(m, ...)
#define ROWS_F64(m, ...)
#define ROWS_F16(m, ...)
#define ROWS_BF16(m, ...)
#define ROWS_F16X2(m, ...)
#define ROWS_BF16X2(m, ...)
#define ROWS_F32X2(m, ...)

#define MEANING_WORDS(type)                                                                                            \
	typedef VALUE_##type T;                                                                                        \
	typedef UNSIGNED_##type U;                                                                                     \
	typedef WIDE_##type W;                                                                                         \
	const uint32_t BITS = BITS_##type;                                                                             \
	(void)BITS;
#define EXEC_FORMS(id, type, ...) EXEC(exec_##id##_##type, 0, __VA_ARGS__)
#define ENTRY(id, type, allowed)                                                                                       \
	{                                                                                                              \
		exec_##id##_##type, NULL                                                                               \
	}
#define ROW_TABLE V(integer_rows)
#include "warp/lanes/rows.h"
