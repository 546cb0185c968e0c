/* Programs, for the code that builds them and that creates kernels of them. */
#ifndef LOCKSTEP_HOST_OPENCL_PROGRAM_H
#define LOCKSTEP_HOST_OPENCL_PROGRAM_H

#include "host/opencl/objects.h"

/* The first line of a binary that is not yet executable; PTX takes it for a comment. */
#define PROGRAM_OBJECT_MARK "// lockstep.object\n"
#define PROGRAM_LIBRARY_MARK "// lockstep.library\n"

/* Loads the PTX onto the GPU and reads what it says of its kernels, each of which the GPU can then run unless it has a
 * refusal; null and a line in `why` when it cannot. */
struct program_code *code_load(const char *ptx, char *why, size_t size);
struct program_kernel *code_find_kernel(struct program_code *code, const char *name); /* null: there is none */
void code_hold(struct program_code *code);
void code_drop(struct program_code *code); /* null is allowed */

/* Makes an empty program; null when there is no memory. */
cl_program program_new(cl_context context);

/* Its PTX with all functions, which takes a compilation when some were left out; null: it has none. */
const char *program_all(cl_program program);

#endif
