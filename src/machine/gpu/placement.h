/* Which of several launches that run together in functional mode gets the next free place for a work-group.  Without a
 * placement it is the one that was started first, as long as it has groups that have not started: the order in which
 * CUDA and OpenCL programs start kernels of several streams or queues binds no GPU. */
#ifndef LOCKSTEP_MACHINE_GPU_PLACEMENT_H
#define LOCKSTEP_MACHINE_GPU_PLACEMENT_H

#include "machine/state/machine.h"

#define PLACEMENT_LAUNCHES 64 /* that a placement is about; those after them come last */

struct placement {
	uint64_t first; /* the ordinal of the first of these launches */
	/* Chooses one of the launches `can`, a bit each, counted from the first: each of these has a group that has not
	 * started, and a place for it.  `number`: how many groups the machine has placed before.  `again`: nothing has
	 * run since the last one. */
	uint32_t (*choose)(struct placement *placement, uint64_t can, uint32_t number, bool again);
};

/* Groups of all launches go to free places, as gpu->placement says. */
void placement_dispatch(struct machine *machine);

#endif
