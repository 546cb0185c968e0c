/* The LANE rows of integer and bit types. */
#include "warp/lanes/integer.h"

#define ROWS_INTEGER(m, ...) m(__VA_ARGS__)
#define ROWS_FLOAT(m, ...)
#define ROWS_DOUBLE(m, ...)
#define MEANING_WORDS WORDS
#define EXEC_FORMS(id, type, ...) EXEC(exec_##id##_##type, 0, __VA_ARGS__)
#define ENTRY(id, type, allowed)                                                                                       \
	{                                                                                                              \
		exec_##id##_##type, NULL                                                                               \
	}
#define ROW_TABLE V(integer_rows)
#include "warp/lanes/rows.h"
