/* The path of a warp that runs: its pc and its frame. */
#ifndef LOCKSTEP_MACHINE_CORE_PATH_H
#define LOCKSTEP_MACHINE_CORE_PATH_H

#include "machine/state/core.h"

#include <assert.h>

/* Derives the frame pointers from the path. */
void control_refresh(struct warp_slot *r);
/* The same after the divergence model chose another path or a call moved the frame: mostly it is that of before. */
static inline void control_follow(struct warp_slot *r)
{
	const struct warp *w = &r->warp;
	const struct path *path = w->path;

	if (r->path_checked || w->bank[0] != w->registers + path->register_base ||
		w->predicates != w->predicate_file + path->predicate_base || w->stack_base != path->stack_base)
		control_refresh(r);
}
/* What the divergence model's each_path visits; it must have that hook. */
void path_each(const struct warp_slot *r,
	void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting), void *context);
/* A path came to its reconvergence point. */
void control_reconverge(struct core *core, struct warp_slot *r);
/* The path goes to the next instruction. */
static inline void control_advance(struct core *core, struct warp_slot *r)
{
	struct path *path = r->warp.path;

	assert(path->pc < r->warp.kernel->code_count);
	if (++path->pc == path->reconvergence_pc)
		control_reconverge(core, r);
}

#endif
