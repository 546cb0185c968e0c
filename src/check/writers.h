/* Who can still write a word: threads that live, and those of work-groups that have not started. */
#ifndef LOCKSTEP_CHECK_WRITERS_H
#define LOCKSTEP_CHECK_WRITERS_H

#include "check/waits.h"

/* What has been looked for so far in a launch: each word once. */
struct writers;
struct writers *writers_create(struct arena *arena, const struct launch *launch);

/* A thread that would write a word, when it goes on. */
struct writer {
	enum reach reach; /* REACH_NOT: there is none */
	struct thread at; /* of a thread that has not started or has ended: r is null */
	uint32_t store;   /* pc */
};

/* The likeliest to be waited for: not one that waits for the same word itself. */
struct writer writers_living(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* In the waiter's own warp, of those that are parked there. */
struct writer writers_parked(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* Of work-groups that have not started. */
struct writer writers_unstarted(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* Of work-groups all threads of which have ended: one that could have written it. */
struct writer writers_ended(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* Something could not be followed to its end: so who is not among those above may write it all the same. */
bool writers_unsure(const struct writers *writers);

#endif
