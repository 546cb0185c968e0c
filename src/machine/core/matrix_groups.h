/* The groups of wgmma: when they are over, and which warps wait for them. */
#ifndef LOCKSTEP_MACHINE_CORE_MATRIX_GROUPS_H
#define LOCKSTEP_MACHINE_CORE_MATRIX_GROUPS_H

#include "machine/state/core.h"

#define WARPGROUP_THREADS 128

/* The warp begins a multiplication that is over at cycle `end`. */
void matrix_groups_begin(struct core *core, const struct warp_slot *r, uint64_t end);
/* All that it has begun since the last time is a group. */
void matrix_groups_commit(struct core *core, const struct warp_slot *r);
/* It goes on when at most `pending` of its groups are not over. */
void matrix_groups_wait(struct core *core, struct warp_slot *r, uint32_t pending);
/* Lanes of the group have exited: that may be what others of their warpgroup waited for. */
void matrix_groups_lanes_exited(struct core *core, struct group *group);
/* Whether the warp waits for another one of its warpgroup. */
bool matrix_groups_awaited(const struct core *core, const struct warp_slot *r);
/* Then: the pc at which it does; the first warp that has yet to come. */
uint32_t matrix_groups_waits_at(const struct core *core, const struct warp_slot *r);
const struct warp_slot *matrix_groups_missing(const struct core *core, const struct warp_slot *r);
/* Shows `visit` all that decides how the group's multiplications go on, without times; false as soon as that is. */
bool matrix_groups_visit(const struct core *core, const struct group *group,
	bool (*visit)(void *context, const void *at, size_t bytes), void *context);

#endif
