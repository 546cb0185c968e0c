/* Which accesses were dropped: see drop.h. */
#ifndef LOCKSTEP_MACHINE_STATE_DROPPED_H
#define LOCKSTEP_MACHINE_STATE_DROPPED_H

#include "machine/state/finding.h"

#include <stdint.h>

#define DROP_PLACES 32 /* on one core; the last of them counts all that find no room */

/* The accesses that were dropped at one place for one reason. */
struct drop {
	uint64_t count;       /* of lanes' accesses */
	struct finding first; /* of them */
};

/* Those of one launch on one core. */
struct drops {
	uint32_t count;
	struct drop at[DROP_PLACES];
};

/* Those of a launch, by place and cause. */
struct drop_list {
	const struct drop *at;
	uint32_t count;
	uint64_t elsewhere; /* accesses beyond those, at places that are not listed */
};

#endif
