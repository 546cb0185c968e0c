/* Changes to LLVM's textual intermediate code between the two runs of clang. */
#ifndef LOCKSTEP_COMPILE_REWRITE_H
#define LOCKSTEP_COMPILE_REWRITE_H

#include "util/text.h"

/* `ir` with OpenCL's printf made into calls of vprintf, and without what makes the PTX back end write debugging labels into
 * the middle of calls. */
const char *rewrite_ir(struct arena *arena, const char *ir, size_t *length);

#endif
