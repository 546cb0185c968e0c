/* Changes to what the two runs of clang give. */
#ifndef LOCKSTEP_COMPILE_REWRITE_H
#define LOCKSTEP_COMPILE_REWRITE_H

#include "util/text.h"

/* A stretch of a text; for %.*s. */
struct span {
	const char *at;
	size_t length;
};
#define SPAN(s) (int)(s).length, (s).at

/* LLVM's intermediate code, as text, with what the language says and LLVM does not know, before any of LLVM's passes
 * sees it:
 * - no call that other threads can notice is merged with another: LLVM 14 makes one call of two that are alike in
 *   both arms of a branch (SimplifyCFG heeds `nomerge` there, and not yet `convergent`), which changes which threads
 *   take part in it;
 * - NULL of local memory becomes NULL when it is made generic, and NULL again on the way back. */
const char *prepare_ir(struct arena *arena, const char *ir, size_t *length);

/* `ir` in which what __grid_constant__ says of a parameter of CUDA C is so: its address is the parameter's; itself
 * where nothing says it. */
const char *grid_constants(struct arena *arena, const char *ir);

/* `ir` with C99's `inline` functions made the program's own.  Their body may be used for a call, and the function
 * itself is another program's.  clang so drops the body after optimisation, and leaves calls that it has not inlined to
 * something that is nowhere: programs that say `inline` mean `static inline`. */
const char *inline_keep(struct arena *arena, const char *ir);

/* `ir` without the functions that no kernel can reach; itself where it has no kernel. */
const char *reachable_functions(struct arena *arena, const char *ir);

/* `ir` with OpenCL's printf made into calls of vprintf, and without what makes the PTX back end write debugging labels
 * into the middle of calls. */
const char *rewrite_ir(struct arena *arena, const char *ir, size_t *length);

/* The PTX with a .func beside each kernel that is called, for the calls; itself when none is.  In OpenCL C a kernel may
 * call another as if it were a function; in PTX an .entry cannot be called, but clang calls it. */
const char *called_kernels(struct arena *arena, const char *ptx);

/* Appends `ptx` to `out`, as a module that has samplers apart from images, without what is wrong in it:
 * - clang before 19 rotates 64 bits by an amount beyond 63 as if it shifted;
 * - a variable that is a vector of three has the bytes of three, but is read and written as four;
 * - libclc's reduction of large angles reads up to 16 bytes past its table, which here would be a fault. */
void rewrite_ptx(struct text *out, const char *ptx);

#endif
