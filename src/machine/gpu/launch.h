/* A launch: sizes, costs, its places on cores. */
#ifndef LOCKSTEP_MACHINE_GPU_LAUNCH_H
#define LOCKSTEP_MACHINE_GPU_LAUNCH_H

#include "machine/state/machine.h"

/* Puts it at the end of a list. */
void launch_append(struct launch **list, struct launch *launch);
/* At the end of the machine's list of active launches; out of it, if it is there. */
void launch_activate(struct machine *machine, struct launch *launch);
void launch_deactivate(struct machine *machine, struct launch *launch);
/* Launches that are made from now on run in the mode of this machine.  Returns what launches_set_mode takes back. */
bool launches_take_mode_of(struct gpu *gpu, const struct machine *machine);
void launches_set_mode(struct gpu *gpu, bool functional);
/* Who places its groups, before it is on a machine. */
void launch_set_policy(struct launch *launch, const struct group_dispatcher *policy);
struct launch *launch_create(struct gpu *gpu, const struct gpu_launch *what);
void launch_destroy(struct launch *launch);

/* ---- dispatch.c: groups of a launch go to cores ---- */

/* Places the next group on a core, where it starts at *at or, as *at then says, later; null: there is no room for it.
 */
struct group *launch_place(struct launch *launch, uint64_t *at, struct core **core);
/* Whether some core has room for a group of the launch now. */
bool launch_has_room(const struct launch *launch);
/* The policy's choice of groups for free places, at a point where no core runs. True when any was placed. */
bool launch_dispatch(struct launch *launch, uint64_t at);
/* The flat index of the work-group that starts as number `k`, where the groups of a cluster start one after another;
 * and the number of a group. */
uint32_t dispatch_number(const struct launch *launch, uint32_t k);
uint32_t dispatch_turn(const struct launch *launch, uint32_t number);
/* How many work-groups a part of the GPU on which a cluster may lie has room for, if a core has for so many. */
uint32_t dispatch_cluster_room(const struct gpu_model *model, uint32_t groups_per_core);

#endif
