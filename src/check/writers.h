/* Which threads can still write a word: living ones, and those of work-groups that have not started. */
#ifndef LOCKSTEP_CHECK_WRITERS_H
#define LOCKSTEP_CHECK_WRITERS_H

#include "check/waits.h"
#include "machine/observe/writes.h"

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
	bool more; /* there are so many that only some were looked at */
	/* if any: one that cannot have reached a store to the word; if there is none, its reach is not REACH_NOT */
	struct writer nonwriter;
	struct writer possible_writer;         /* one that may have written the word; reach REACH_NOT: none */
	uint32_t nonwriters, possible_writers; /* how many there are like these */
	bool nonwriters_apart;                 /* and they are of several groups */
	/* one that may have tried to take the word as a lock and has no other store to it; reach REACH_NOT: none */
	struct writer inferred_owner;
};
struct ended writers_ended(struct writers *writers, const struct thread *waiter, const struct wait *wait);
/* The same without those that `past` shows to have written the word. */
struct ended writers_ended_unwritten(
	struct writers *writers, const struct thread *waiter, const struct wait *wait, const struct written_word *past);
/* A thread of a group that has started. */
bool writers_has_ended(const struct launch *launch, uint32_t group, uint32_t thread);

/* A work-group past the end of the grid, or a thread past the end of a group, that would write the word if there were
 * one, while none that there is has any store to it. */
struct beyond {
	bool found, is_thread;
	uint32_t group[3]; /* of the grid, one of them past its end; is_thread: flat in [0], the thread's */
	uint32_t thread;   /* flat */
	uint32_t store;    /* pc */
};
/* The store at the pc `ignored` has written the word, to begin with: it does not count.  AHEAD_ALL: there is none. */
struct beyond writers_beyond(
	struct writers *writers, const struct thread *waiter, const struct wait *wait, uint32_t ignored);
/* Why a thread that was not found may still write the word. */
enum doubt {
	DOUBT_NONE,
	DOUBT_POINTERS, /* some store through pointers of which nothing is known */
	DOUBT_TOO_MANY, /* there are too many threads to follow them all */
};
enum doubt writers_doubt(const struct writers *writers);

#endif
