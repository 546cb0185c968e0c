/* Changes to what the two runs of clang give. */
#ifndef LOCKSTEP_COMPILE_REWRITE_H
#define LOCKSTEP_COMPILE_REWRITE_H

#include "util/text.h"

/* `ir` with OpenCL's printf made into calls of vprintf, and without what makes the PTX back end write debugging labels
 * into the middle of calls. */
const char *rewrite_ir(struct arena *arena, const char *ir, size_t *length);

/* Appends `ptx` to `out`, as a module that has samplers apart from images, without what is wrong in it:
 * - clang before 19 rotates 64 bits by an amount beyond 63 as if it shifted;
 * - a variable that is a vector of three has the bytes of three, but is read and written as four;
 * - libclc's reduction of large angles reads up to 16 bytes behind its table, which here would be a fault. */
void rewrite_ptx(struct text *out, const char *ptx);

#endif
