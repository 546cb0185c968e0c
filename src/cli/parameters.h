/* A kernel's parameters, for people: what --kernel-list and messages say. */
#ifndef LOCKSTEP_CLI_PARAMETERS_H
#define LOCKSTEP_CLI_PARAMETERS_H

#include "lockstep.h"
#include "util/arena.h"

/* "u64 in, s32 n, local u64 part": types, and names where they are known, those of OpenCL C by what the compiler has
 * written into `ptx`, which the module is of.  "" where there are none. */
const char *parameters_list(
	struct arena *arena, const struct lockstep_module *module, const char *ptx, const char *kernel);

/* Whether one is a pointer to OpenCL's local memory. */
bool parameters_have_local(const char *ptx, const char *kernel);

#endif
