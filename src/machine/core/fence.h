/* Fences: membar, fence, and the release half of ordered accesses. */
#ifndef LOCKSTEP_MACHINE_CORE_FENCE_H
#define LOCKSTEP_MACHINE_CORE_FENCE_H

#include "machine/state/core.h"

/* Before a release: true when the warp may go on; false: it is parked and issues the instruction again. */
bool fence_release(struct core *core, struct warp_slot *r);
/* The same, and the fence's own time is also over. */
bool fence_release_whole(struct core *core, struct warp_slot *r);
/* An acquire: what the coherence policy says happens to the L1.  True: it was emptied. */
bool fence_acquire(struct core *core, const struct l1_fence *fence);
/* A request of the group's epoch was answered. */
void fence_answered(struct core *core, struct group *group, uint32_t epoch);
/* Requests from now on belong to another epoch than those before; returns the latter's. */
uint32_t fence_close_epoch(struct group *group);
/* The group's requests up to and including the epoch are all answered. */
bool fence_drained(const struct group *group, uint32_t epoch);
/* A request of the warp's group waits for a phase of an mbarrier, which other threads complete, from now on; or no
 * more. Only fences of the warp itself wait for it: what a fence orders it sees, and others' waits write nothing. */
void fence_suspended(struct core *core, struct warp_slot *r, uint32_t epoch);
void fence_resumed(struct warp_slot *r, uint32_t epoch);
/* Nothing is left for which the warp's fence waits. */
bool fence_is_over(const struct warp_slot *r);
/* Whether it is a fence of group scope. */
bool fence_is_of_group(const struct insn *i);

#endif
