/* Where the registers of a function live; private to src/kernel.
 *
 * A life is a list of segments over instruction positions, with holes where the register is dead.  Instruction i reads
 * at position 2i and writes at 2i + 1. */
#ifndef LOCKSTEP_KERNEL_LIVES_H
#define LOCKSTEP_KERNEL_LIVES_H

#include "kernel/assign.h"
#include "util/vector.h"

struct segment {
	uint32_t start, end; /* positions, end exclusive */
};

struct life {
	VECTOR(struct segment) segments; /* in order, apart from each other; none: never mentioned */
	struct ptx_register *reg;
};

/* Per register.  Fills in the assignment's dead_result and dead_predicate. */
struct life *lives_gather(struct arena *arena, const struct flow *flow, struct assignment *assignment);
/* Index of the first segment that ends after the position. */
uint32_t lives_first_behind(const struct life *life, uint32_t position);
/* Whether the register is alive at the position, or written there. */
bool lives_at(const struct life *life, uint32_t position);

#endif
