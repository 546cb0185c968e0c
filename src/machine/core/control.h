/* What an instruction does beyond registers: control flow, barriers, fences, sleep, traps. */
#ifndef LOCKSTEP_MACHINE_CORE_CONTROL_H
#define LOCKSTEP_MACHINE_CORE_CONTROL_H

#include "machine/core/core.h"

/* Carries out any instruction but INSN_PLAIN, for the lanes whose guard is true (may be none), and moves the path on. */
void control_execute(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);

/* Derives the frame pointers from the path after the divergence model chose another or a call moved the frame. */
void control_refresh(struct resident *r);

/* The path goes to the next instruction. */
static inline void control_advance(struct core *core, struct resident *r);

/* A path came to its reconvergence point. */
void control_rejoin(struct core *core, struct resident *r);

static inline void control_advance(struct core *core, struct resident *r)
{
	struct path *path = r->warp.path;

	if (++path->pc == path->stop)
		control_rejoin(core, r);
}

/* barrier.c: bar.*, barrier.*; and what the exit of lanes means for those who wait. */
void barrier_execute(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);
void barrier_lanes_exited(struct core *core, struct group *group);
/* Between quanta: lets all go that wait at a barrier, as if the rest had come. */
void barrier_open(struct core *core, struct group *group, uint32_t number);
/* Between quanta: lanes of a warp end where they are, for experiments. */
void control_end_lanes(struct core *core, struct resident *r, lane_mask lanes);

/* fence.c: membar, fence, and the release half of ordered accesses. */
void fence_execute(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);
/* Before a release: true when the warp may go on; false: it is parked and issues the instruction again. */
bool fence_release(struct core *core, struct resident *r);
/* An acquire: what the coherence policy says happens to the L1. */
void fence_acquire(struct core *core, const struct l1_fence *fence);
/* A request of the group was answered. */
/* Requests from now on belong to another epoch than those before; returns the latter's. */
uint32_t fence_close_epoch(struct group *group);
void fence_answered(struct core *core, struct group *group, uint32_t epoch);

#endif
