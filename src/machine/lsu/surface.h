/* Surfaces: what suld, sust and sured have beyond loads, stores and atomics. */
#ifndef LOCKSTEP_MACHINE_LSU_SURFACE_H
#define LOCKSTEP_MACHINE_LSU_SURFACE_H

#include "machine/state/core.h"

/* Issues a load, store or atomic of a surface.  Lanes outside, where that is no fault, read zeros and write nothing. */
void surface_issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);

#endif
