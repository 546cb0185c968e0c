/* The path of a warp that runs: its pc and its frame. */
#ifndef LOCKSTEP_MACHINE_CORE_PATH_H
#define LOCKSTEP_MACHINE_CORE_PATH_H

#include "machine/core/core.h"

/* Derives the frame pointers from the path after the divergence model chose another or a call moved the frame. */
void control_refresh(struct warp_slot *r);
/* A path came to its reconvergence point. */
void control_reconverge(struct core *core, struct warp_slot *r);
/* The path goes to the next instruction. */
static inline void control_advance(struct core *core, struct warp_slot *r)
{
	struct path *path = r->warp.path;

	if (++path->pc == path->reconvergence_pc)
		control_reconverge(core, r);
}

#endif
