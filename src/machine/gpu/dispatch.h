/* Groups of a launch go to cores. */
#ifndef LOCKSTEP_MACHINE_GPU_DISPATCH_H
#define LOCKSTEP_MACHINE_GPU_DISPATCH_H

#include "machine/state.h"

/* The policy's choice of groups for free places, at a point where no core runs. True when any was placed. */
/* Places the next group on a core, where it starts at *at or, as *at then says, later; null: there is no room for it.
 */
struct group *launch_place(struct launch *launch, uint64_t *at, struct core **core);
bool launch_dispatch(struct launch *launch, uint64_t at);

#endif
