/* Modules from files of kernels: PTX as it is, or compiled from OpenCL C (.cl) or CUDA C (.cu) by clang. */
#ifndef LOCKSTEP_CLI_COMPILE_H
#define LOCKSTEP_CLI_COMPILE_H

#include "lockstep.h"
#include "util/arena.h"
#include "util/diagnostic.h"

/* The module of a file; null and an error (the compiler's own messages go to stderr as they come).  *ptx becomes its
 * PTX.  `options`: of the compiler, null: none. */
struct lockstep_module *compile_and_load(struct lockstep *gpu, struct arena *arena, const char *file,
	const char *options, const char **ptx, struct diagnostic *diagnostic);

#endif
