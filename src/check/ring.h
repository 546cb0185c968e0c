/* A thread that waits for a slot of a bounded ring, whose slots have sequence numbers (D. Vyukov's queue). */
#ifndef LOCKSTEP_CHECK_RING_H
#define LOCKSTEP_CHECK_RING_H

#include "check/waits.h"

enum ring_kind {
	RING_UNKNOWN, /* the numbers are given out in another way */
	RING_EMPTY,   /* it waits for the number by which a producer hands the slot over: its place plus 1 */
	RING_FULL,    /* ... by which a consumer does: the place itself */
};

struct ring {
	enum ring_kind kind;
	uint64_t place;       /* the number of the next place, which the thread would take */
	uint64_t now, wanted; /* the slot's sequence number, and the only one known that would let it */
};

/* Whether the word is a slot's: the thread's loop updates another word, the number of the next place, once this one has
 * some value. */
bool ring_find(const struct thread *t, const struct wait *wait, struct ring *ring);

#endif
