/* Our OpenCL built-in functions (device/opencl/) as bitcode for one clang. */
#ifndef LOCKSTEP_COMPILE_BUILTINS_H
#define LOCKSTEP_COMPILE_BUILTINS_H

#include "compile/tools.h"

/* Their source, of all files. */
const char *builtins_source(struct arena *arena, size_t *length);
/* Their bitcode, from this process's memory, from the cache, or compiled now, which takes seconds.  Null when they do
 * not compile; the reason is appended to `log`. */
const char *builtins_bitcode(struct arena *arena, const char *clang, bool no_cache, size_t *length, struct text *log);

#endif
