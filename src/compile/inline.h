/* C99's `inline`: the body may be used for a call, and the function itself is another program's.  clang so drops the
 * body after optimisation, and leaves calls that it has not inlined to something that is nowhere: programs that say
 * `inline` mean `static inline`. */
#ifndef LOCKSTEP_COMPILE_INLINE_H
#define LOCKSTEP_COMPILE_INLINE_H

#include "util/arena.h"

/* `ir` as it is before optimisation, with such bodies made the program's own. */
const char *inline_keep(struct arena *arena, const char *ir);

#endif
