/* What a thread can still do: its code is followed from where it is, with what its registers hold, as far as that is
 * known.
 *
 * A register is known as it is now until something is written to it that is not; what is computed from known values is
 * known.  A branch that a known value decides is followed the one way that it goes, any other both ways.  What is
 * loaded counts as it is in memory now: good enough for an address, and never for a branch, since others may write. */
#ifndef LOCKSTEP_CHECK_AHEAD_H
#define LOCKSTEP_CHECK_AHEAD_H

#include "machine/core/core.h"

/* A place in memory; in shared memory an offset in that of the thread's own work-group. */
struct word {
	uint8_t space; /* space_GLOBAL or space_SHARED */
	uint64_t address;
};

/* How well it is known that a thread would write a word, if it came to its store. */
enum reach {
	REACH_NOT,     /* no store that it can come to is one to this word */
	REACH_UNKNOWN, /* it can come to a store of which nothing is known */
	REACH_BUFFER,  /* to one into the same buffer, or of shared memory: where in it is not known */
	REACH_AS_IS,   /* to one to this word, by a pointer that lies in memory now */
	REACH_CERTAIN, /* to one to this word */
};

struct ahead {
	enum reach reach;
	uint32_t store;       /* pc of it, if any */
	bool leaves;          /* it can come to its end, to a trap, or to a barrier of its work-group */
	bool reaches_barrier; /* it can come to a barrier of its work-group */
	bool external_branch; /* a branch on the way depends on memory, on other lanes or on time */
	/* of the past: it can have come to a compare-and-swap of this word, or another try for a lock ... */
	bool attempts_lock;
	uint32_t attempt; /* ... at this pc */
};

/* Of the lane of a warp that is at `pc`.  Or of a thread from its start, of the same launch as that warp: one that has
 * not started; or one that has ended, and what it may have done (of the past: with the word as it was then). */
struct ahead ahead_of(
	struct core *core, const struct warp_slot *r, uint32_t lane, uint32_t pc, const struct word *word);
struct ahead ahead_from_start(struct core *core, const struct warp_slot *like, uint32_t group, uint32_t thread,
	const struct word *word, bool past);

/* The same of a living lane, as far as the next barrier of its work-group. */
struct ahead ahead_to_barrier(
	struct core *core, const struct warp_slot *r, uint32_t lane, uint32_t pc, const struct word *word);

/* Whether another value of the word, while all else in memory stays as it is, would let a lane out of the code from
 * `first` to `last`, which it goes through again and again. */
bool ahead_unblocks(struct core *core, const struct warp_slot *r, uint32_t lane, uint32_t first, uint32_t last,
	const struct word *word);

/* Whether there is any store at all that may go to such a space: if not, no thread needs to be followed. */
bool ahead_has_stores(const struct kernel *kernel, uint8_t space);

#endif
