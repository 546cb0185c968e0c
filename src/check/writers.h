/* Which threads can still write a word: living ones, and those of work-groups that have not started. */
#ifndef LOCKSTEP_CHECK_WRITERS_H
#define LOCKSTEP_CHECK_WRITERS_H

#include "check/waits.h"

/* The search for writers in a launch; keeps its results, so that each word is searched for once. */
struct writers;
struct writers *writers_create(struct arena *arena, const struct launch *launch);

/* A thread that would write a word if it ran on. */
struct writer {
	enum reach reach; /* REACH_NOT: there is none */
	struct thread at; /* if it has not started or has ended, at.r is null */
	uint32_t store;   /* pc */
};

/* The likeliest writer; not one that itself waits for the same word. */
struct writer writers_living(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* Likewise, of the parked lanes of the waiter's own warp. */
struct writer writers_parked(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* Likewise, of work-groups that have not started. */
struct writer writers_unstarted(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* What is known of threads that have ended. */
struct ended {
	bool any;
	/* if any: one that cannot have reached a store to the word; if there is none, its reach is not REACH_NOT */
	struct writer nonwriter;
	struct writer possible_writer; /* one that may have written the word; reach REACH_NOT: none */
	/* one that may have tried to take the word as a lock and has no other store to it; reach REACH_NOT: none */
	struct writer inferred_owner;
};
struct ended writers_ended(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* Why a thread that was not found may still write the word. */
enum doubt {
	DOUBT_NONE,
	DOUBT_POINTERS, /* some store through pointers of which nothing is known */
	DOUBT_TOO_MANY, /* there are too many threads to follow them all */
};
enum doubt writers_doubt(const struct writers *writers);

#endif
