/* The comments of compile/kernel_info.h, from LLVM's textual intermediate code, where clang writes what OpenCL asks of
 * kernels. */
#ifndef LOCKSTEP_COMPILE_METADATA_H
#define LOCKSTEP_COMPILE_METADATA_H

#include "util/text.h"

/* Appends the lines of all kernels in `ir`, in the order of their definition. */
void metadata_to_kernel_info(const char *ir, struct text *out);

#endif
