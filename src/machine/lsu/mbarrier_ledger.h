/* Which threads have initialised and invalidated mbarrier objects, and where: for messages. */
#ifndef LOCKSTEP_MACHINE_LSU_MBARRIER_LEDGER_H
#define LOCKSTEP_MACHINE_LSU_MBARRIER_LEDGER_H

#include "machine/state/core.h"

/* Of a core. */
struct mbarrier_ledger;
struct mbarrier_ledger *mbarrier_ledger_create(const struct core *core, struct arena *arena);

/* A lane initialises the object at `offset` of its group's shared memory with a count; invalidates it. */
void mbarrier_ledger_begins(
	struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane, uint32_t count);
void mbarrier_ledger_ends(struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane);

/* Ends of a message's sentence, in the core's arena.  Of one which says that the object at `offset` is not valid: ":
 * thread (0,0,0) invalidated it at k.cu:12".  Of one which says that the object gets too many arrivals: ": thread
 * (0,0,0) initialised it at k.cu:11, with a count of 1", or nothing. */
const char *mbarrier_ledger_why_invalid(
	struct core *core, const struct mbarrier_ledger *ledger, const struct operation *op, uint64_t offset);
const char *mbarrier_ledger_why_too_many(
	struct core *core, const struct mbarrier_ledger *ledger, const struct operation *op, uint64_t offset);

#endif
