/* C99's `inline`: the body may be used for a call, and the function itself is another program's.  clang so drops the body
 * after optimisation, and leaves calls that it has not inlined to something that is nowhere: programs that say `inline`
 * mean `static inline`. */
#ifndef LOCKSTEP_COMPILE_INLINE_H
#define LOCKSTEP_COMPILE_INLINE_H

#include "util/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Does `ir` declare a function that the program may have had a body of? */
bool inline_may_be_missing(const char *ir);

/* `ir` as it was before optimisation, with such bodies made the program's own; null when it has none. */
const char *inline_keep(struct arena *arena, const char *ir, size_t *length);

#endif
