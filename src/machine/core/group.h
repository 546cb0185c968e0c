/* The end of warps and work-groups. */
#ifndef LOCKSTEP_MACHINE_CORE_GROUP_H
#define LOCKSTEP_MACHINE_CORE_GROUP_H

#include "machine/core/core.h"

/* The last lane of a warp has exited. */
void core_warp_finished(struct core *core, struct warp_slot *r);
/* Frees the group's place if all its warps have exited and all its requests are answered. */
void core_retire_group(struct core *core, struct group *group);
/* Tells the schedulers' views which slots are occupied. */
void core_show_residents(struct core *core);

#endif
