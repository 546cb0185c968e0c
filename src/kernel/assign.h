/* Where the registers of a function live: slots of its register frame, numbers of its predicate frame. */
#ifndef LOCKSTEP_KERNEL_ASSIGN_H
#define LOCKSTEP_KERNEL_ASSIGN_H

#include "kernel/flow.h"

#define NO_SLOT 0xffffffffu

struct assignment {
	uint32_t *slot;           /* per register: first slot, or predicate number; NO_SLOT when never mentioned */
	uint32_t slot_count;      /* registers, `reserved` included */
	uint32_t predicate_count; /* predicate 0 included */
	bool *dead_result;        /* per instruction: no register that it writes is read afterwards */
	bool *dead_predicate;     /* per instruction: it writes predicates, and none of them is read afterwards */
	/* Halves of pairs (pairs.h).  Per register: the first slot whose ready time it waits for, NO_SLOT: its own;
	 * null: all their own.  Per instruction: it is a mov that machine code does not have; null: none is */
	uint32_t *waits_for;
	bool *vanishes;
};

/* Slots below `reserved` stay free for other use.  Formals declared as registers get the slots that kernel.h promises
 * to indirect calls. */
struct assignment *assign_slots(struct arena *arena, const struct flow *flow, uint32_t reserved);

/* The k-th formal of a signature: parameters, then returns. */
const struct ptx_variable *formal_of(const struct ptx_prototype *signature, uint32_t formal);
/* Slot of the k-th `.reg` formal (parameters, then returns) by signature alone. */
uint32_t formal_slot(const struct ptx_prototype *signature, uint32_t formal);
/* Whether a formal is a register rather than a .param block. */
bool formal_is_register(const struct ptx_variable *formal);

#endif
