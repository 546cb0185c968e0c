/* JSON from outside: files, read whole, with the place where one is no JSON; and its shape, which types its parts have.
 * What has passed may be read without looking at types (report/members.h). */
#ifndef LOCKSTEP_UTIL_JSON_FILE_H
#define LOCKSTEP_UTIL_JSON_FILE_H

#include "util/arena.h"
#include "util/diagnostic.h"

struct json_object;

/* The object in a file, the caller's.  Null and an error in `diagnostic` when the file cannot be read, is no JSON or
 * holds another value: "FILE:LINE:COLUMN: not JSON (why), expected `expected`". */
struct json_object *json_file_read(
	struct arena *arena, const char *file, const char *expected, struct diagnostic *diagnostic);

/* What a value may be. */
enum json_kinds {
	JSON_COUNT = 1 << 0, /* a whole number, 0 to 2^64 - 2 */
	JSON_REAL = 1 << 1,  /* a finite number of 0 or more: no report has another */
	JSON_TEXT = 1 << 2,
	JSON_FLAG = 1 << 3,
	JSON_NULL = 1 << 4,
	JSON_LIST = 1 << 5,
	JSON_OBJECT = 1 << 6,
};

struct json_shape {
	unsigned kinds; /* enum json_kinds, or'd */
	uint64_t most;  /* of a JSON_COUNT; 0: any that fits */
	size_t length;  /* of a JSON_LIST; 0: any */
	/* Known members of a JSON_OBJECT, up to one without a name.  None must be there: results of older versions lack
	 * some. */
	const struct json_member *members;
	const struct json_shape *each; /* elements of a list, and other members of an object; null: anything */
};

struct json_member {
	const char *name;
	const struct json_shape *shape;
};

/* Whether `value` has the shape.  If not, an error names the first part that differs:
 * "FILE: launches[3].locks[0].worst.group: expected three numbers, got a string". */
bool json_check(
	struct json_object *value, const struct json_shape *shape, const char *file, struct diagnostic *diagnostic);

#endif
