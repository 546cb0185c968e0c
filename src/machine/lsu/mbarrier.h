/* mbarrier objects: arrivals and transactions counted in shared memory, and warps that wait for a phase. */
#ifndef LOCKSTEP_MACHINE_LSU_MBARRIER_H
#define LOCKSTEP_MACHINE_LSU_MBARRIER_H

#include "machine/state/core.h"

/* Between quanta: the phase of the object at `offset` of the group's shared memory ends, as if the rest had come, for
 * experiments.  False: there is no object there. */
bool mbarrier_end_phase(struct core *core, const struct group *group, uint64_t offset);

/* What asynchronous copies do to the object at an offset of the group's shared memory: one arrival more is waited for;
 * it comes; bytes are there. */
void mbarrier_expect_arrival(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset);
void mbarrier_arrive(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset);
void mbarrier_complete(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, uint32_t bytes);

#endif
