/* Calls of functions that the machine provides: their arguments and results lie in the caller's frame, or in
 * registers. */
#ifndef LOCKSTEP_MACHINE_LSU_LIBRARY_CALL_H
#define LOCKSTEP_MACHINE_LSU_LIBRARY_CALL_H

#include "machine/state/core.h"

/* An argument of a lane, up to 8 bytes. */
uint64_t library_argument(const struct warp *w, const struct call_copy *copy, uint32_t lane);
/* What the call returns to a lane, if it wants it. */
void library_result(const struct warp *w, const struct insn_extra *extra, uint32_t lane, uint64_t value);

#endif
