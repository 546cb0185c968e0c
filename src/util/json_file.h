/* JSON files from outside: read whole, with the place where one is no JSON. */
#ifndef LOCKSTEP_UTIL_JSON_FILE_H
#define LOCKSTEP_UTIL_JSON_FILE_H

#include "util/arena.h"
#include "util/diagnostic.h"

struct json_object;

/* The object in a file, the caller's.  Null and an error in `diagnostic` when the file cannot be read, is no JSON or
 * holds another value: "FILE:LINE:COLUMN: not JSON (why), expected `expected`". */
struct json_object *json_file_read(
	struct arena *arena, const char *file, const char *expected, struct diagnostic *diagnostic);

#endif
