/* griddepcontrol: see grids.c. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_GRIDS_H
#define LOCKSTEP_MACHINE_OBSERVE_GRIDS_H

#include "machine/state/launch.h"

/* The warp, which is in griddepcontrol.wait, goes on: the launch before is over, and what it wrote is seen. */
void grids_awaited(struct core *core, struct warp_slot *r);
/* Between quanta: whether the warp is held there. */
bool grids_waits(const struct warp_slot *r);

#endif
