/* mbarrier objects: arrivals and transactions counted in shared memory, and warps that wait for a phase. */
#ifndef LOCKSTEP_MACHINE_LSU_MBARRIER_H
#define LOCKSTEP_MACHINE_LSU_MBARRIER_H

#include "machine/state/core.h"

struct mbarrier_record;

/* Between quanta: the phase of the object at `offset` of the group's shared memory ends, as if the rest had come, for
 * experiments.  False: there is no object there. */
bool mbarrier_end_phase(struct core *core, const struct group *group, uint64_t offset);

/* Likewise: the arrivals of a record come, with the bytes that they expect, or its bytes do, from its lanes and at its
 * pc.  False, too: the object waits for
 * fewer. */
bool mbarrier_credit(struct core *core, const struct group *group, uint64_t offset, const struct mbarrier_record *what);

/* The longest time limit of the try_waits that wait now, in cycles; 0: none waits. */
uint64_t mbarrier_longest_limit(const struct core *core);

/* What has happened at the core's objects. */
const struct mbarrier_ledger *mbarrier_ledger_of(const struct core *core);

/* What asynchronous copies do to the object at an offset of the group's shared memory: one arrival more is waited for;
 * it comes; a copy of bytes to the offset `to` begins; bytes are there. */
void mbarrier_expect_arrival(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset);
void mbarrier_arrive(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset);
void mbarrier_copies(
	struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t to);
void mbarrier_complete(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, uint32_t bytes);

#endif
