/* Launches with firmware: between quanta, what it has asked for is carried out.
 *
 * Such a launch has the machine for itself.  Each kernel that firmware may dispatch has a launch of its own beside it,
 * whose grid grows; these are no launches of the machine's list, and what they count is the parent's. */
#ifndef LOCKSTEP_MACHINE_GPU_FIRMWARE_H
#define LOCKSTEP_MACHINE_GPU_FIRMWARE_H

#include "machine/control/processor.h"
#include "machine/lsu/yield.h"
#include "machine/state/machine.h"

struct firmware {
	VECTOR(struct control_order) waiting; /* from `first` on, some of whose work-groups have not begun */
	uint32_t first;
	uint64_t waiting_groups;
	bool idle; /* no group is on any core */
	uint64_t idle_since;
	uint64_t moved, moved_at; /* what the machine had done, and the cycle in which that was last another number */
	uint32_t state_bytes;     /* of a wavefront that yields, at most; 0: none does */
	VECTOR(uint64_t) states;  /* memory for that */
	uint64_t channel;         /* of restart contexts, in memory; 0: not yet */
	VECTOR(uint64_t) places;  /* of it, that are free */
	VECTOR(struct yield_asks) asking;    /* wavefronts that wait for one, in order */
	struct yielded *yielded;             /* in order */
	struct yielded **last;               /* where the next one goes */
	VECTOR(struct yielded *) restarting; /* that wait for room */
	uint64_t quiet;                      /* the same when nothing but a poll could happen */
};

/* Why it hangs, into the launch's result. */
void firmware_explain(struct machine *machine, struct launch *launch, bool proved);

#endif
