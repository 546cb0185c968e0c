/* What a debugger hears of a launch, and where it stops it. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_DEBUG_H
#define LOCKSTEP_MACHINE_OBSERVE_DEBUG_H

#include "machine/state/core.h"

/* gpu->observe[OBSERVER_debug].  Hooks are called while the machine runs, on its only thread, and may return later, or
 * leave the run by longjmp if they then put back what arenas held (util/pages.h). */
struct debug_hooks {
	void *context;
	/* The instruction is about to be carried out for these lanes, which may be none. */
	void (*issue)(void *context, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);
	void (*warp_ends)(void *context, const struct warp_slot *r);
	/* A phase of the mbarrier at this offset of the group's shared memory has ended. */
	void (*phase_ends)(void *context, const struct group *group, uint64_t object);
	/* The warp accesses memory: as observe_access (state/events.def). */
	void (*access)(void *context, const struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
		const uint64_t *address);
};

#endif
