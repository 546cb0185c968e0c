/* mbarrier objects: arrivals and transactions counted in shared memory, and warps that wait for a phase. */
#ifndef LOCKSTEP_MACHINE_MBARRIER_H
#define LOCKSTEP_MACHINE_MBARRIER_H

#include "machine/core.h"

void mbarrier_create(struct core *core, struct arena *arena);
/* Carries out an mbarrier instruction, whose operands have been captured, when its turn at shared memory has come.  False: it is a
 * try_wait that waits; then it is answered when the phase completes or its time is over. */
bool mbarrier_run(struct core *core, struct operation *op);
/* Answers the waiting instructions whose time is over. */
void mbarrier_time_out(struct core *core);

#endif
