/* What the observers of `--check barriers` have in common: which instructions order threads, and the way of what they
 * found to the GPU. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_MISUSE_H
#define LOCKSTEP_MACHINE_OBSERVE_MISUSE_H

#include "machine/core/observer.h"

/* A strong access of a word, by which threads wait for each other. */
static inline bool misuse_is_strong(const struct insn *i)
{
	return i->kind == INSN_ATOMIC || i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE ||
	       ((i->kind == INSN_LOAD || i->kind == INSN_STORE) && i->access.order > order_WEAK);
}

/* That access has a value that others have written; a lock's has its own event. */
static inline bool misuse_reads(const struct insn *i)
{
	return i->kind == INSN_LOAD || (i->kind == INSN_ATOMIC && !(i->flags & INSN_NO_RESULT));
}

/* A wait for a phase of an mbarrier. */
static inline bool misuse_is_wait(const struct insn *i)
{
	return i->op == OP_mbarrier_test || i->op == OP_mbarrier_test_parity || i->op == OP_mbarrier_try ||
	       i->op == OP_mbarrier_try_parity;
}

/* Between quanta: what the observer has found goes to the GPU's list, core after core.  Its state begins with a struct
 * found_list. */
void misuse_take(struct machine *machine, enum observer_id id);

#endif
