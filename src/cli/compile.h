/* PTX from a file: read as it is, or compiled from OpenCL C (.cl) or CUDA C (.cu) by clang. */
#ifndef LOCKSTEP_CLI_COMPILE_H
#define LOCKSTEP_CLI_COMPILE_H

#include "util/arena.h"
#include "util/diagnostic.h"

/* The PTX text; null and an error when there is none (the compiler's own messages go to stderr as they come).
 * `*name` becomes what messages about the PTX call it.
 * `options`: of the compiler, null: none. */
const char *compile_or_read(
	struct arena *arena, const char *file, const char *options, const char **name, struct diagnostic *diagnostic);

#endif
