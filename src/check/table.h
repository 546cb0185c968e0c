/* A thread that probes a table for a free slot, or for a key, and spins: all slots are taken. */
#ifndef LOCKSTEP_CHECK_TABLE_H
#define LOCKSTEP_CHECK_TABLE_H

#include "check/waits.h"

/* The slots that the thread probes in a round. */
struct table {
	struct wait at; /* the first of them, and the access that looks at them */
	uint32_t slots; /* different ones */
	uint64_t last;  /* the highest address */
	uint64_t empty; /* the value that none of them has: a free slot's ... */
	bool has_empty; /* ... if that is known */
};

/* Asked of a thread in whose round memory does not change.  *steps: how many instructions may be
 * played, from which those of the play are taken off; none left: false. */
bool table_find(struct arena *arena, const struct thread *t, struct table *table, uint32_t *steps);

#endif
