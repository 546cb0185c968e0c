/* A thread that looks for a free slot in a table, or for a key, and goes round in it for ever: all slots are taken. */
#ifndef LOCKSTEP_CHECK_TABLE_H
#define LOCKSTEP_CHECK_TABLE_H

#include "check/waits.h"

/* The slots that the thread looks at in a round. */
struct table {
	uint32_t pc;          /* of the access that looks at them */
	struct wait at;       /* one of them */
	uint32_t slots;       /* different ones */
	uint64_t first, last; /* their lowest and highest address */
	uint64_t empty;       /* the value that none of them has: a free slot's ... */
	bool has_empty;       /* ... if that is known */
};

/* Asked of a thread in whose round memory does not change.  *steps: of the play, taken off; 0 left: false. */
bool table_find(struct arena *arena, const struct thread *t, struct table *table, uint32_t *steps);

#endif
