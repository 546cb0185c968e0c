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
/* What is known of threads that have ended. */
struct ended {
	bool any;
	/* if any: one that never came to a store to the word, if there is one (else its reach is not REACH_NOT) */
	struct writer nonwriter;
	struct writer possible_writer; /* one that may have written it */
	/* one that tried to take it, as a lock, and never came to another store to it: reach says whether there is
	 * one */
	struct writer inferred_owner;
};
struct ended writers_ended(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* Why a thread that is not among those above may write it all the same. */
enum doubt {
	DOUBT_NONE,
	DOUBT_POINTERS, /* some store through pointers of which nothing is known */
	DOUBT_TOO_MANY, /* there are too many threads to follow them all */
};
enum doubt writers_doubt(const struct writers *writers);

#endif
