/* Which loops of a function synchronise: attempts to take a lock, and polling. */
#ifndef LOCKSTEP_KERNEL_SPIN_H
#define LOCKSTEP_KERNEL_SPIN_H

#include "kernel/flow.h"

#include <stdbool.h>
#include <stdint.h>

enum spin_kind {
	/* an atomic exchange, compare-and-swap or `or` in a loop that is left, or not, by its result: for a lock
	 * (attempt.h) ... */
	SPIN_LOCK,
	SPIN_UPDATE, /* ... or not: a lock-free update, the probe of a table; never `endless` */
	SPIN_TWIN,   /* the same attempt as that of a SPIN_LOCK, outside of `loop`, which is that one's; never `endless`
		      */
	/* a loop that changes nothing; some exit depends on what it reads from a place that stays the same */
	SPIN_WAIT,
};

struct spin {
	enum spin_kind kind;
	uint32_t loop;        /* index into flow->loops: of a lock the innermost that is left, or not, by the result */
	uint32_t instruction; /* the attempt; of a wait the first instruction that reads memory */
	bool endless;         /* it spins for as long as others leave the memory as it is: the same address and the same
			       * values in each iteration, no count of iterations.  Never a retry of a lock-free update, which
			       * computes anew from what it has just read. */
	bool of_group;  /* of a lock: one thread tries for its work-group; a word of shared memory tells the others */
	bool takes_any; /* of a lock: an exchange that fails only if it finds what it puts (INSN_TAKES_ANY) */
	uint32_t condition; /* of an endless lock: a load from a place that stays the same, on which the exit depends
			     * too; else NO_BLOCK */
};

struct spins {
	struct spin *at;
	uint32_t count;
	/* By loop: nothing that other threads do meanwhile decides when it ends, as far as its instructions tell. */
	const bool *ends_alone;
};

/* All of a function, locks first, in the order of their instructions; several attempts of one loop are one each.
 * `dead_result` as in struct assignment.  In `arena`. */
struct spins spins_find(
	struct arena *arena, const struct ptx_module *module, const struct flow *flow, const bool *dead_result);

/* An atomic that cannot change anything, as `atomicAdd(p, 0)`: a load by another name. */
bool spin_only_looks(const struct ptx_instruction *instruction);

#endif
