/* Calls of device malloc and free. */
#ifndef LOCKSTEP_MACHINE_RUNTIME_HEAP_CALL_H
#define LOCKSTEP_MACHINE_RUNTIME_HEAP_CALL_H

#include "machine/state/core.h"

/* malloc or free is called by `lanes`.  In timing mode the warp waits until the calls of all cores are served between
 * quanta. */
void heap_call(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);

#endif
