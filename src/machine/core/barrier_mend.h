/* Experiments with named barriers (machine/state/finding.h): in a launch that is run again, their instructions give
 * other numbers or thread counts, and arrivals that warps leave out are made for them. */
#ifndef LOCKSTEP_MACHINE_CORE_BARRIER_MEND_H
#define LOCKSTEP_MACHINE_CORE_BARRIER_MEND_H

#include "machine/state/core.h"

/* The experiment's change, where it is one of this group's; else null. */
const struct change *barrier_mend_of(const struct core *core, const struct group *group);
/* An instruction of the warp gives another thread count, or number. */
void barrier_mend_operands(
	const struct change *change, const struct warp_slot *r, uint32_t *number, uint32_t *expected);
/* bar.arrive of the warp does nothing: MEND_SINGLE, or MEND_OTHER with MEND_NONE. */
bool barrier_mend_drops(const struct change *change, const struct warp_slot *r, uint32_t number);
/* The warp waits: threads that arrive before it does, MEND_FIRST.  0: none. */
uint32_t barrier_mend_first(const struct change *change, const struct warp_slot *r, uint32_t number);
/* The slots of the warps whose arrival there would be made next, by MEND_TURN or MEND_GONE. */
uint64_t barrier_mend_due(
	const struct core *core, const struct group *group, const struct change *change, uint32_t number);
/* A warp has come to a barrier or has ended: makes the arrivals that are due, MEND_TURN and MEND_GONE. */
void barrier_mend_settle(struct core *core, struct group *group, const struct change *change);

#endif
