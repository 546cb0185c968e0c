/* In OpenCL C a kernel may call another as if it were a function; in PTX an .entry cannot be called, but clang calls
 * it. */
#ifndef LOCKSTEP_COMPILE_CALLED_KERNELS_H
#define LOCKSTEP_COMPILE_CALLED_KERNELS_H

#include "util/arena.h"

/* The PTX with a .func beside each kernel that is called, for the calls; itself when none is. */
const char *called_kernels(struct arena *arena, const char *ptx);

#endif
