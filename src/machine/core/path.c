/* The path of a warp that runs: its pc and its frame. */
#include "machine/core/path.h"

#include "machine/state/launch_state.h"
#include "machine/state/machine.h"
#include "policy/contract.h"

#include <assert.h>
#include <inttypes.h>

/* Of a plug-in's divergence model: that the path is of the kernel's code, lanes and frames. */
static void check_path(const struct warp_slot *r)
{
	const struct warp *w = &r->warp;
	const struct path *path = w->path;
	const struct launch *launch = r->core_launch->launch;
	const void *model = launch->machine->divergence;

	if (!w->live || !path->active)
		return;
	if (path->active & ~w->live)
		contract_broken(POLICY_divergence, model,
			"the path's lanes are 0x%" PRIx64 ", expected some of the live lanes 0x%" PRIx64, path->active,
			w->live);
	if (path->pc >= w->kernel->code_count)
		contract_broken(POLICY_divergence, model, "the path's pc is %u, expected one of %u instructions",
			path->pc, w->kernel->code_count);
	if (path->depth > launch->warp.call_depth || path->register_base >= launch->warp.register_words ||
		path->register_base % w->lanes || path->predicate_base >= launch->warp.predicate_count ||
		path->stack_base > w->local_bytes)
		contract_broken(POLICY_divergence, model,
			"the path's frame is of depth %u, registers from %u, predicates from %u, stack from %u: that "
			"of no call",
			path->depth, path->register_base, path->predicate_base, path->stack_base);
}

void control_refresh(struct warp_slot *r)
{
	struct warp *w = &r->warp;
	const struct path *path = w->path;

	assert(r->path_checked || path->depth <= r->core_launch->launch->warp.call_depth);
	assert(r->path_checked || path->register_base % w->lanes == 0);
	if (r->path_checked)
		check_path(r);

	w->bank[0] = w->registers + path->register_base;
	w->bank[1] = w->wide_registers + path->register_base;
	w->predicates = w->predicate_file + path->predicate_base;
	w->stack_base = path->stack_base;
	r->register_ready = r->register_ready_file + path->register_base / w->lanes;
	r->predicate_ready = r->predicate_ready_file + path->predicate_base;
}

/* In front of `visit`, where the paths are a plug-in's. */
struct checked_visit {
	void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting);
	void *context;
	const struct warp_slot *slot;
};

static void visit_checked(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	const struct checked_visit *v = context;
	const struct kernel *kernel = v->slot->warp.kernel;

	if (pc >= kernel->code_count)
		contract_broken(POLICY_divergence, v->slot->core_launch->launch->machine->divergence,
			"each_path visits pc %u, expected one of %u instructions", pc, kernel->code_count);
	v->visit(v->context, pc, lanes, waiting);
}

void path_each(const struct warp_slot *r,
	void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting), void *context)
{
	const struct divergence_model *model = r->core_launch->launch->machine->divergence;
	struct checked_visit checked = {visit, context, r};

	assert(visit);
	assert(model->each_path);
	if (r->path_checked)
		model->each_path(r->warp.divergence, visit_checked, &checked);
	else
		model->each_path(r->warp.divergence, visit, context);
}

void control_reconverge(struct core *core, struct warp_slot *r)
{
	core->machine->divergence->reconverge(r->warp.divergence);
	control_follow(r);
}
