/* A static analysis of a function: which addresses are equal, what differs between the lanes of a warp, which blocks at
 * most one lane of a warp executes.  It is for the lint, which only reports: where nothing is known, the common case is
 * assumed. */
#ifndef LOCKSTEP_CHECK_FACTS_H
#define LOCKSTEP_CHECK_FACTS_H

#include "kernel/spin.h"

/* An address: two with the same base and offset are equal in one thread (as long as loads of the same address give the
 * same value). */
struct fact_address {
	uint64_t base;  /* a hash of how it was computed, without the constants that are added */
	int64_t offset; /* bytes */
	const struct ptx_variable
		*object; /* the variable, or the parameter whose value is the pointer; null: not known */
	bool varies;     /* may differ between lanes */
	bool shared;     /* in shared memory */
};

struct facts {
	struct arena *arena;
	const struct ptx_function *function;
	struct flow *flow;
	struct spins spins;
	uint32_t *writer; /* per register: the instruction that writes it, SEVERAL_WRITERS or NO_WRITER */
	struct term {     /* per register: base and offset as above */
		uint64_t base;
		int64_t offset;
		const struct ptx_variable *object;
		uint8_t state;
	} * terms;
	uint64_t *varying; /* registers that may differ between lanes */
	bool *one_lane;    /* per block: at most one lane of a warp gets there */
};

/* Of a defined function of the module.  All in `arena`. */
struct facts *facts_gather(struct arena *arena, const struct ptx_module *module, const struct ptx_function *function);

/* The address that an instruction accesses; it must be a load, a store or an atomic. */
struct fact_address facts_address(struct facts *facts, const struct ptx_instruction *instruction);

/* Whether the instruction's guard may differ between lanes. */
bool facts_diverges(const struct facts *facts, const struct ptx_instruction *instruction);

/* The blocks that are reached from `from`, itself included, without entering `avoided` (NO_BLOCK: none): a new bit
 * set. */
uint64_t *facts_reach(const struct facts *facts, uint32_t from, uint32_t avoided);

/* holder.c */
/* Whether a lane whose attempt succeeded can reach the start of block `to` before it releases the lock.  `releases`,
 * per instruction: whether it releases this lock, or may.  False if no comparison tells success from failure. */
bool holder_reaches(const struct facts *facts, uint32_t attempt, const bool *releases, uint32_t to);

#endif
