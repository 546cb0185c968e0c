/* Groups of a launch go to cores. */
#ifndef LOCKSTEP_MACHINE_GPU_DISPATCH_H
#define LOCKSTEP_MACHINE_GPU_DISPATCH_H

#include "machine/state.h"

/* Places the next group on a core, where it starts at *at or, as *at then says, later; null: there is no room for it.
 */
struct group *launch_place(struct launch *launch, uint64_t *at, struct core **core);
/* The policy's choice of groups for free places, at a point where no core runs. True when any was placed. */
bool launch_dispatch(struct launch *launch, uint64_t at);
/* How many work-groups a part of the GPU on which a cluster may lie has room for, if a core has for so many. */
uint32_t dispatch_cluster_room(const struct gpu_model *model, uint32_t groups_per_core);

#endif
