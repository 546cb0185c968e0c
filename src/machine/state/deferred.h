/* What a core has put off until the quantum, or the round of turns, is over (core/deferred.h). */
#ifndef LOCKSTEP_MACHINE_STATE_DEFERRED_H
#define LOCKSTEP_MACHINE_STATE_DEFERRED_H

#include <assert.h>
#include <stdint.h>

enum deferred_id {
#define DEFERRED(name) DEFERRED_##name,
#include "machine/state/deferred.def"
#undef DEFERRED
	DEFERRED_COUNT
};

/* What a core has of it. */
struct deferred_states {
	uint32_t pending; /* bit per row: something was written down since it was carried out */
	void *state[DEFERRED_COUNT];
};

/* The core's state, to write something down in it: it will be carried out. */
static inline void *defer(struct deferred_states *states, enum deferred_id id)
{
	assert(id < DEFERRED_COUNT);
	assert(states->state[id]);
	states->pending |= 1u << id;
	return states->state[id];
}

#endif
