/* Parameter, constant and local memory: it never leaves the core, and no other thread writes it meanwhile, so an access
 * is done when it is issued. */
#ifndef LOCKSTEP_MACHINE_LSU_IN_CORE_H
#define LOCKSTEP_MACHINE_LSU_IN_CORE_H

#include "machine/state/core.h"

/* Does the access.  False: a finding. */
bool in_core_access(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space);
/* The same, with the time that it takes and what is counted. */
void in_core_issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space);

#endif
