/* The present phase of each barrier of the work-groups on a core, named ones and that of the cluster, for observers
 * that tell how long phases took.  Each has its own. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_BARRIER_PHASES_H
#define LOCKSTEP_MACHINE_OBSERVE_BARRIER_PHASES_H

#include "machine/observe/open_phase.h"
#include "machine/state/core.h"

struct barrier_phase {
	struct open_phase open; /* what comes: threads; of a cluster's barrier those of this group */
	uint32_t last_warp;     /* of the group, that came last: of the phase before until one comes in this */
	uint32_t live;          /* threads of the group that had not ended when it came */
	/* Of the phase before: the cycles until its first thread came, and from there to its end. */
	uint64_t idle, filling;
};

/* Of a core. */
struct barrier_phases {
	struct barrier_phase *of[CORE_WARPS]; /* of the group at each place of the core: by number; null: none yet */
};

/* Lanes come to the barrier of that number (observe_arrives). */
struct barrier_phase *barrier_phases_come(struct core *core, struct arena *arena, struct barrier_phases *phases,
	const struct warp_slot *r, uint32_t number, lane_mask lanes);
/* Null: nobody of the group has come there. */
struct barrier_phase *barrier_phases_at(
	const struct core *core, const struct barrier_phases *phases, const struct group *group, uint32_t number);
/* The barrier opens.  What that ends is to be taken before, but for `idle` and `filling`. */
void barrier_phases_next(const struct core *core, struct barrier_phase *phase);
/* While it opens: whether that is because threads have ended, none of which came. */
bool barrier_phase_ends_by_exit(const struct barrier_phase *phase, const struct group *group, uint32_t number);

#endif
