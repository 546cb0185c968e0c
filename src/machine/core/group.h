/* The end of warps and work-groups. */
#ifndef LOCKSTEP_MACHINE_CORE_GROUP_H
#define LOCKSTEP_MACHINE_CORE_GROUP_H

#include "machine/state/core.h"

/* What a part of the core does when a work-group leaves it: a row of state/group_hooks.def.  Each may be null. */
struct group_hooks {
	/* All warps have exited and all requests are answered.  True: the group is not over, but kept elsewhere. */
	bool (*keep)(struct core *core, const struct group *group);
	/* The group is over, and still in its place. */
	void (*leave)(struct core *core, struct group *group);
};

/* Lanes of the group have exited, others have not: that may be what a barrier waited for. */
void core_lanes_exited(struct core *core, struct group *group);
/* The warp issues nothing any more. */
void core_warp_leaves(struct core *core, struct warp_slot *r);
/* The last lane of a warp has exited. */
void core_warp_finished(struct core *core, struct warp_slot *r);
/* Frees the group's place if all its warps have exited and all its requests are answered. */
void core_retire_group(struct core *core, struct group *group);
/* Tells the schedulers' views which slots are occupied. */
void core_show_residents(struct core *core);

#endif
