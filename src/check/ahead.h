/* What a thread can still do: a forward data-flow analysis of its code, from its pc on, with the values of its
 * registers as far as they are known.
 *
 * A register has its present value until an unknown value is written to it; what is computed from known values is
 * known.  A branch that a known value decides is followed to one side, any other to both.  A load gives what memory
 * holds now: good enough for an address, but never for a branch, since other threads may write. */
#ifndef LOCKSTEP_CHECK_AHEAD_H
#define LOCKSTEP_CHECK_AHEAD_H

#include "check/thread.h"

/* A place in memory; in shared memory an offset in that of the thread's own work-group. */
struct word {
	uint8_t space; /* space_GLOBAL or space_SHARED */
	uint64_t address;
	bool is_mbarrier; /* an mbarrier is there: what counts are arrivals, and copies that tell it, and no stores */
};

/* How certain it is that a thread would write a word if it reached its store. */
enum reach {
	REACH_NOT,     /* no store that it can reach is to this word */
	REACH_UNKNOWN, /* it can reach a store whose address is not known at all */
	REACH_BUFFER,  /* a store to the same buffer, or to shared memory, but the offset is not known */
	REACH_AS_IS,   /* a store to this word, if a pointer in memory keeps its value */
	REACH_CERTAIN, /* a store to this word */
};

struct ahead {
	enum reach reach;
	uint32_t store;       /* its pc, if any */
	bool leaves;          /* it can end, trap, or reach a barrier of its work-group */
	bool reaches_barrier; /* it can reach a barrier of its work-group */
	bool external_branch; /* a branch that it can reach depends on memory, on other lanes or on time */
	/* with `past`: it may have reached a compare-and-swap of this word, or another attempt to take a lock ... */
	bool attempts_lock;
	uint32_t attempt; /* ... at this pc */
	/* of the setmaxnreg.dec that it can reach, the one that leaves the thread the fewest registers: so many, at
	 * this pc; 0: it can reach none */
	uint32_t registers, gives_registers;
};

/* ahead_of: a thread, from `pc` on; with `to_barrier` only as far as the next barrier of its work-group.
 * ahead_from_start: a whole thread of the same launch as `like`, one that has not started; or, with `past`, one that
 * has ended, to find what it may have done, when the word may have had another value. */
struct ahead ahead_of(const struct thread *t, uint32_t pc, const struct word *word, bool to_barrier);
struct ahead ahead_from_start(
	const struct thread *like, uint32_t group, uint32_t thread, const struct word *word, bool past);

#define AHEAD_ALL UINT32_MAX
/* Likewise, of a group at that place of the grid, or past its end, where there is none; or of a thread past the end of
 * its group.  A store at the pc `ignored` does not count, unless that is AHEAD_ALL. */
struct ahead ahead_of_group(const struct thread *like, const uint32_t group[3], uint32_t thread,
	const struct word *word, bool past, uint32_t ignored);

/* A bar instruction with a thread count that a thread may still execute. */
struct barrier_ahead {
	uint32_t pc, number, count; /* `number`: NAMED_BARRIERS where it is not known, `count` likewise 0 */
	bool waits;
};
/* Those of a thread from `pc` on, each once; returns how many. */
uint32_t ahead_barriers(const struct thread *t, uint32_t pc, struct barrier_ahead *list, uint32_t most);

/* Whether the thread would leave the code that it repeats with this value of the word, of 4 or 8 bytes, and all else in
 * memory as it is.  Null: whether another value than the word has could let it. */
bool ahead_leaves(const struct thread *t, struct code_range range, const struct word *word, const uint64_t *value);

/* Whether the kernel has any store that may be to this space: if not, no thread needs to be analysed. */
bool ahead_has_stores(const struct kernel *kernel, uint8_t space);

#endif
