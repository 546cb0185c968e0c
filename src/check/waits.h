/* What a thread waits for: the words that it polls, the locks among them, and their owners. */
#ifndef LOCKSTEP_CHECK_WAITS_H
#define LOCKSTEP_CHECK_WAITS_H

#include "check/ahead.h"
#include "check/thread.h"

/* compared.c: what a loop compares with the value that it loads, and whether a branch depends on that value. */
#define COMPARED_VALUES 4

struct compared {
	uint64_t values[COMPARED_VALUES]; /* distinct, as the lane's registers are now */
	uint32_t count;
	bool decides;  /* a branch within the range depends on what is loaded */
	bool is_chase; /* the address of the next load is computed from what is loaded: a walk along pointers */
};

/* Of the value that the load or atomic at `pc` returns. */
struct compared compared_with(const struct thread *t, uint32_t pc, struct code_range range);

/* One word that a thread polls. */
struct wait {
	bool found, is_lock; /* is_lock: the access tries to take a lock */
	bool bit;            /* the lock is the word's lock bit (lock_bits.h) */
	uint32_t pc;         /* of the access */
	struct word word;
	bool unblocks; /* another value of this word alone could let the thread leave its loop */
	/* The thread itself updates this word when another lets it, as the number of the next place in a ring. */
	bool is_own;
	uint8_t bytes;
	struct compared compared; /* what the loaded value is compared with */
};

/* The thread that took a lock last and has not released it. */
struct owner {
	bool found;
	bool inferred;    /* not seen to take the lock, but it tried to, and has ended on a path without a release */
	struct thread at; /* at.r is null: its warp has ended */
	uint32_t pc;      /* of what took it */
	uint64_t order, bits; /* struct held_lock */
	bool is_alias;        /* of a lock bit: it was taken for another word ... */
	uint32_t word;        /* ... at so many bytes of the shared memory of the thread's group */
};

/* What a thread that runs, or has requested a lock, waits for: at most `most` words, the likeliest first.  Returns how
 * many. */
uint32_t waits_of(const struct thread *t, struct wait *waits, uint32_t most);
/* Likewise, what it has looked at while memory changed, since nothing more started or ended: what it looks at now may
 * be only the lock under which it looks at the word that matters. */
uint32_t waits_of_unsteady(const struct thread *t, struct wait *waits, uint32_t most);
/* Whether the word is among those of waits_of. */
bool waits_include(const struct thread *t, const struct word *word);
/* The likeliest of them. */
struct wait wait_of(const struct thread *t);
/* Changes *t to a lane of its warp for which wait_of finds a word: itself if possible.  False: there is none. */
bool wait_choose_lane(struct thread *t);
/* The owner of the lock that a thread waits for, whether the thread tries to take it or only polls it. */
struct owner wait_owner(const struct thread *t, const struct wait *wait);
/* A word's bits, of 4 or 8 bytes, without what is above them. */
static inline uint64_t wait_cut(uint32_t bytes, uint64_t value)
{
	return bytes == 4 ? (uint32_t)value : value;
}
/* The word's bits as they are in memory now. */
uint64_t wait_value(const struct thread *t, const struct wait *wait);
/* Of the words that it polls the one that it updates by a compare-and-swap that is no attempt for a lock; false: none.
 */
bool wait_own_word(const struct thread *t, struct wait *own);
/* It reads an old value of the word from the L1: memory has another. */
bool wait_is_stale(const struct thread *t, const struct wait *wait);
/* The code that a thread's warp repeats; false: not known. */
bool wait_loop(const struct thread *t, struct code_range *range);

/* A slot of a bounded ring, whose slots have sequence numbers (D. Vyukov's queue). */
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

/* table.c: a thread that probes a table for a free slot, or for a key, and spins: all slots are taken. */
/* The slots that the thread probes in a round. */
struct table {
	struct wait at; /* the first of them, and the access that looks at them */
	uint32_t slots; /* different ones */
	uint64_t last;  /* the highest address */
	uint64_t empty; /* the value that none of them has: a free slot's ... */
	bool has_empty; /* ... if that is known */
};

/* Asked of a thread in whose round memory does not change.  *steps: how many instructions may be
 * played, from which those of the play are taken off; none left: false. */
bool table_find(struct arena *arena, const struct thread *t, struct table *table, uint32_t *steps);

#endif
