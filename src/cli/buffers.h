/* The buffers that --arg makes: allocated, filled, found again for ref: and --dump; and the parameter block. */
#ifndef LOCKSTEP_CLI_BUFFERS_H
#define LOCKSTEP_CLI_BUFFERS_H

#include "cli/options.h"
#include "report/reports.h"

/* Writes the buffer's first contents to `memory`, which has room for all of it and reads as zero. */
bool buffer_fill(const struct argument *buffer, void *memory, struct diagnostic *diagnostic);

/* Checks that names are given once, refer to something, and that dumps lie within their buffers. */
bool buffers_check(const struct options *o, struct diagnostic *diagnostic);

/* Allocates and fills the buffers; addresses[k] becomes what argument k is worth as a kernel parameter. */
bool buffers_create(struct lockstep *gpu, const struct options *o, uint64_t *addresses, struct diagnostic *diagnostic);

/* The parameter block of a kernel with the arguments, `*bytes` long; null and an error when they do not fit its
 * parameters.  `ptx`: what the module is of. */
const void *buffers_parameters(const struct lockstep_module *module, const char *ptx, const char *kernel,
	const struct options *o, const uint64_t *addresses, size_t *bytes, struct diagnostic *diagnostic);

/* parameters.c: a kernel's parameters, for people, "u64 in, s32 n, local u64 part": types, and names where they are
 * known, those of OpenCL C by what the compiler has written into `ptx`, which the module is of.  "" where there are
 * none.
 */
const char *parameters_list(
	struct arena *arena, const struct lockstep_module *module, const char *ptx, const char *kernel);
/* Whether one is a pointer to OpenCL's local memory. */
bool parameters_have_local(const char *ptx, const char *kernel);

/* What each dump shows, in the GPU's memory. */
const struct dumped *buffers_dump(struct lockstep *gpu, const struct options *o, const uint64_t *addresses);

#endif
