/* The changes that test the cause of a hang: with one of them the kernel makes progress (struct change in
 * machine/state/finding.h).  Where it is known how, a change removes the cause; else it gives the waiting thread what
 * it waits for. */
#ifndef LOCKSTEP_CHECK_CHANGE_H
#define LOCKSTEP_CHECK_CHANGE_H

#include "check/chain.h"

/* For the cause at the end of a chain. */
struct change change_for(const struct machine *machine, const struct chain *chain);
/* Where change_for removes the cause, what would give the waiting thread its wish; else of kind CHANGE_NONE. */
struct change change_wish(const struct chain *chain);
/* Of a link that waits for a lock: its owner gives it back while it waits itself. */
struct change change_give_back(const struct link *link);
/* Of a link that waits for a lock: the release that its owner has missed is made at the owner's end. */
struct change change_release(const struct link *link, uint32_t group, uint32_t thread);
/* Of a link that waits for a word: `lost`, which overwrote `sent` at `when`, is undone. */
struct change change_undo(const struct link *link, uint64_t sent, uint64_t lost, uint64_t when);
/* The word that a thread waits for gets a value that would end the wait. */
struct change change_word(const struct thread *t, const struct wait *wait);
/* The warps run in another order, or this thread, which writes again and again, is taken away. */
struct change change_order(const struct thread *t);
/* The phase of the mbarrier at this offset of the shared memory of the thread's group ends. */
struct change change_phase(const struct thread *t, uint64_t mbarrier);

/* queued.c: what the host has enqueued behind the kernel that hangs, and which may write the word that it waits for. */
/* CHANGE_QUEUED: what may write the word of `word`, a CHANGE_WORD, is let past; value_count 0: there is nothing. */
struct change queued_change(const struct machine *machine, const struct change *word);

/* "kernel sets, which would write it, is queued behind kernel waits in stream 2": the k-th of such a change.
 * `confirmed`: it has been seen to help. */
const char *queued_words(
	const struct machine *machine, const struct change *change, uint32_t k, bool confirmed, struct arena *arena);

/* The same of a grid that a kernel has launched on the GPU, in its stream for tail launches or behind another grid, and
 * that gets a pointer into the word's buffer: "a grid that ... may write it ..."; null: there is none. */
const char *queued_grid_words(const struct machine *machine, const struct change *word, struct arena *arena);

#endif
