/* What the language says and LLVM does not know, written into the intermediate code before any of LLVM's passes sees
 * it. */
#ifndef LOCKSTEP_COMPILE_PREPARE_H
#define LOCKSTEP_COMPILE_PREPARE_H

#include "util/arena.h"

#include <stddef.h>

/* `ir` is text.  In the result
 * - no call that other threads can notice is merged with another: LLVM 14 makes one call of two that are alike in
 *   both arms of a branch (SimplifyCFG heeds `nomerge` there, and not yet `convergent`), which changes which threads
 *   take part in it;
 * - NULL of local memory becomes NULL when it is made generic, and NULL again on the way back. */
const char *prepare_ir(struct arena *arena, const char *ir, size_t *length);

#endif
