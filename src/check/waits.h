/* What a thread waits for: the words that it looks at again and again, the locks among them, and their owners. */
#ifndef LOCKSTEP_CHECK_WAITS_H
#define LOCKSTEP_CHECK_WAITS_H

#include "check/ahead.h"
#include "check/compared.h"
#include "check/thread.h"

/* One word that a thread looks at. */
struct wait {
	bool found, is_lock; /* the latter: it tries to take it */
	uint32_t pc;         /* where it looks */
	struct word word;
	bool unblocks; /* another value of it alone would let the thread go on */
	uint8_t bytes;
	struct compared compared; /* with what it gets there */
};

/* Who took a lock last, of those that have not released it. */
struct owner {
	bool found;
	bool inferred;    /* it was not seen to take the lock, but it has tried and ended, and gave nothing back */
	struct thread at; /* at.r is null: its warp has ended */
	uint32_t pc;      /* of what took it */
	uint64_t order;   /* struct held_lock */
};

/* What a thread that runs, or has asked for a lock, waits for: at most `most`, what tells most about it first; how
 * many. */
uint32_t waits_of(const struct thread *t, struct wait *waits, uint32_t most);
/* Whether the word is among them. */
bool waits_include(const struct thread *t, const struct word *word);
/* The one that tells most. */
struct wait wait_of(const struct thread *t);
/* *t becomes a lane of its warp of which something is known, itself if so. */
bool wait_choose_lane(struct thread *t);
/* Who holds the lock that a thread waits for, whether it tries to take it or only looks at it meanwhile. */
struct owner wait_owner(const struct thread *t, const struct wait *wait);
/* The word's bits as they are in memory now. */
uint64_t wait_value(const struct thread *t, const struct wait *wait);
/* It reads an old value of the word: memory has another. */
bool wait_is_stale(const struct thread *t, const struct wait *wait);
/* The code that a thread's warp goes through again and again; false: not known. */
bool wait_loop(const struct thread *t, struct code_range *range);

#endif
