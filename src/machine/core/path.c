/* The path of a warp that runs: its pc and its frame. */
#include "machine/core/path.h"

#include "machine/state.h"

void control_refresh(struct warp_slot *r)
{
	struct warp *w = &r->warp;
	const struct path *path = w->path;

	w->bank[0] = w->registers + path->register_base;
	w->bank[1] = w->wide_registers + path->register_base;
	w->predicates = w->predicate_file + path->predicate_base;
	w->stack_base = path->stack_base;
	r->register_ready = r->register_ready_file + path->register_base / w->lanes;
	r->predicate_ready = r->predicate_ready_file + path->predicate_base;
}

void control_reconverge(struct core *core, struct warp_slot *r)
{
	core->machine->divergence->reconverge(r->warp.divergence);
	control_follow(r);
}
