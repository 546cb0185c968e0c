/* Which looks at an mbarrier do nothing but wait: the loop around them goes round until the phase is complete. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_AWAIT_H
#define LOCKSTEP_MACHINE_PROGRESS_AWAIT_H

#include "kernel/kernel.h"
#include "util/arena.h"

/* Whether a test_wait or try_wait at this pc that fails for all lanes leads straight back to itself, and the thread is
 * then as it was before in all that it will ever read.  `scratch` is for the analysis. */
bool await_at(const struct kernel *kernel, uint32_t pc, struct arena *scratch);

#endif
