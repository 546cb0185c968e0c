/* Which thread should have written a word and did not, by what other threads have written: it is the one that differs
 * from its peers. */
#ifndef LOCKSTEP_CHECK_ABSENT_H
#define LOCKSTEP_CHECK_ABSENT_H

#include "check/thread.h"
#include "machine/observe/writes.h"

/* A thread that has written the word less often than each of its peers, which have written it equally often. */
struct absent {
	bool found;
	uint32_t group, thread; /* flat */
	uint32_t wrote, others; /* how often it has, each of the others */
	uint32_t peers;         /* how many others */
	bool of_groups;         /* they are the same thread of other groups; else other threads of its group */
};
/* `waiter` waits for the word and is no peer. */
struct absent absent_find(const struct launch *launch, const struct written_word *word, const struct thread *waiter);

/* A thread that writes the first word of `writes`, by the pattern in which the others write the words beside it. */
struct absent_pattern {
	bool found, wrote; /* wrote: it has written elsewhere, by the same instruction */
	uint32_t group, thread, pc;
	uint64_t address; /* where it wrote */
};
struct absent_pattern absent_by_pattern(const struct launch *launch, const struct writes *writes);

#endif
