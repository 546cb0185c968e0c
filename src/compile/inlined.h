/* The calls around code that clang has inlined.
 *
 * LLVM knows them, and before version 22 its PTX back end does not write them: a place in a helper function is then the
 * same for all callers.  So each such place gets a line number of its own in the optimised code, and the .loc of that
 * number in the PTX is replaced by what nvcc writes:
 *
 *     !26 = !DILocation(line: 4, column: 40, scope: !24, inlinedAt: !25)      becomes  line: 3000000026
 *     !25 = distinct !DILocation(line: 17, column: 4, scope: !9)
 *
 *     .loc 2 3000000026 40    becomes    .loc 1 17 4
 *                                        .loc 2 4 40, function_name $L__inlined0, inlined_at 1 17 4
 *
 * and at the end a section .debug_str with the functions' names. */
#ifndef LOCKSTEP_COMPILE_INLINED_H
#define LOCKSTEP_COMPILE_INLINED_H

#include "util/text.h"

#include <stdbool.h>

/* `ir`, optimised, with a line number of its own for each place that was inlined, if there is any.  Without orders of
 * uses of assembly, which LLVM writes and cannot read. */
const char *inlined_mark(struct arena *arena, const char *ir, size_t *length, bool *any);
/* The PTX of what inlined_mark made of `ir`, with the calls. */
const char *inlined_tell(struct arena *arena, const char *ir, const char *ptx, size_t *length);

#endif
