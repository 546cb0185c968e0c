/* The present phase of each mbarrier that a core has, for observers which tell how long phases took: the timeline, and
 * what a profile says of mbarriers.  Each has its own. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_MBARRIER_PHASES_H
#define LOCKSTEP_MACHINE_OBSERVE_MBARRIER_PHASES_H

#include "machine/observe/open_phase.h"
#include "machine/state/core.h"
#include "util/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct mbarrier_record;

struct mbarrier_phase {
	struct open_phase open; /* what comes: arrivals and bytes, and that they are expected */
	uint64_t object;        /* offset in shared memory */
	uint32_t begun;         /* pc of the initialisation */
	bool by_bytes;          /* what came last was bytes */
	bool was_seen;          /* a wait has found the phase before complete */
	uint64_t bytes;         /* that came */
};

/* Of a core. */
struct mbarrier_phases {
	VECTOR(struct mbarrier_phase) open;
	uint32_t found; /* the last one that was: the lanes of a warp mostly ask for the same */
};

/* Null: the object was initialised before the observer heard of it. */
struct mbarrier_phase *mbarrier_phases_at(struct mbarrier_phases *phases, const struct group *group, uint64_t object);
/* A lane has done `what` at an object (observe_mbarrier): an initialisation begins its phase 0.  What that ends is to
 * be taken before. */
void mbarrier_phases_note(struct core *core, struct arena *arena, struct mbarrier_phases *phases,
	const struct operation *op, uint64_t object, const struct mbarrier_record *what);
/* The phase is over, and the next one begins. */
void mbarrier_phases_next(const struct core *core, struct mbarrier_phase *phase);
/* Forgets one; what was behind it in the list is not there any more. */
void mbarrier_phases_forget(struct mbarrier_phases *phases, const struct mbarrier_phase *phase);

#endif
