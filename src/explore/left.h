/* Threads that have left the pipelines of a kernel: they have ended, or can reach no instruction on mbarriers any more,
 * as at the barrier behind the last loop, but such that wait. */
#ifndef LOCKSTEP_EXPLORE_LEFT_H
#define LOCKSTEP_EXPLORE_LEFT_H

#include "machine/state/machine.h"

/* For each pc: whether a thread can reach an instruction from there on that does something at an mbarrier, beside
 * waiting. */
const bool *left_find_uses(struct arena *arena, const struct kernel *kernel);
/* Whether a thread of a group that has started has left; `uses` as above. */
bool left_has(const struct machine *machine, uint64_t launch, uint32_t group, uint32_t thread, const bool *uses);

#endif
