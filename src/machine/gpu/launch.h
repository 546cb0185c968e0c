/* A launch: sizes, costs, its places on cores. */
#ifndef LOCKSTEP_MACHINE_GPU_LAUNCH_H
#define LOCKSTEP_MACHINE_GPU_LAUNCH_H

#include "machine/state/machine.h"

/* Puts it at the end of a list. */
void launch_append(struct launch **list, struct launch *launch);
/* Into the machine's list of active ones, behind all; out of it, if it is there. */
void launch_activate(struct machine *machine, struct launch *launch);
void launch_deactivate(struct machine *machine, struct launch *launch);
/* Launches that are made from now on run in the mode of this machine.  Returns what launches_set_mode takes back. */
bool launches_take_mode_of(struct gpu *gpu, const struct machine *machine);
void launches_set_mode(struct gpu *gpu, bool functional);
struct launch *launch_create(struct gpu *gpu, const struct gpu_launch *what);
void launch_destroy(struct launch *launch);

#endif
