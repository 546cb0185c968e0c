/* What has happened to the words of a chain of waits, in words: the launch was run again to see it (explore/history.h).
 * Where that was not possible nothing is said. */
#ifndef LOCKSTEP_CHECK_PAST_H
#define LOCKSTEP_CHECK_PAST_H

#include "check/hang_text.h"
#include "machine/observe/writes.h"

/* Records the words that the links of the chain wait for, in e->past, by `until` (again_clock). */
void past_record(struct explanation *e, const struct chain *chain, double until);
/* The run that recorded it was not the same cycle by cycle, as the launch had found other lines in the caches: the
 * order of writes may have been another one. */
bool past_order_may_differ(const struct explanation *e);
/* Of the word that a link waits for; null: not known. */
const struct written_word *past_of(const struct explanation *e, const struct link *link);
/* "The word is 0; the thread waits for 1".  What it waits for is left out where that is not known. */
void past_say_value(struct explanation *e, const struct link *link);
/* "group (1,0,0) thread (0,0,0) wrote it last: 1 at app.cu:13, in cycle 4120", or that no thread has.
 * Whether it named a write. */
bool past_say_last(struct explanation *e, const struct link *link);

/* ", in cycle 12" of the launch; functional mode: ", in turn 3". */
void past_say_when(struct explanation *e, const struct word_write *write);

/* The word had a value that would have let the waiter go on, and lost it before the waiter looked. */
struct missed {
	bool found;
	bool counted_past; /* both writes added the same to it */
	struct word_write sent, lost;
};
struct missed past_missed(const struct explanation *e, const struct link *link);
void past_say_missed(struct explanation *e, const struct link *link, const struct missed *missed);

/* All of it, of which the root's word is the first; null: not known. */
const struct writes *past_writes(const struct explanation *e);

/* Whether at most one instruction has written the word, which may have given it its first value: its pc, or AHEAD_ALL.
 */
bool past_has_one_store(const struct explanation *e, const struct link *link, uint32_t *pc);

/* The last write that gave the word a value with which the waiter would go on; null: none of the launch's is known. */
const struct word_write *past_sender(const struct explanation *e, const struct link *link);

/* The value that the waiter wants was given to the word again and again, and never by a thread that had taken it: these
 * are signals that one thread takes, not the releases of a lock. */
bool past_is_signal(const struct explanation *e, const struct link *link);

/* The thread that made the word what it is now by an atomic that found it free; null: none, or the word was no
 * lock: it was not free at first, and nobody that took it gave it back. */
const struct word_write *past_taker(const struct explanation *e, const struct link *link);

#endif
