/* griddepcontrol: what programmatic launch (gpu/early.h) does at its instructions, which do nothing themselves.
 *
 * As spinning.c this changes how kernels run: a warp of a launch that overlaps the one before it is held where it is to
 * wait.  The instructions are hooks for that, so that in all other launches they cost what they did. */
#include "machine/observe/grids.h"

#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/state/machine.h"

#include <assert.h>

static bool is_asked(const struct gpu *gpu, bool functional)
{
	(void)gpu;
	(void)functional;
	return true;
}

static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)gpu;
	(void)functional;
	return i->op == OP_griddepcontrol_wait || i->op == OP_griddepcontrol_launch;
}

void grids_awaited(struct core *core, struct warp_slot *r)
{
	assert(!r->held);
	assert(r->core_launch->launch->early.after);
	if (!core->machine->mode->at_once)
		fence_acquire(core, &(struct l1_fence){.scope = L1_SCOPE_WIDE});
	observe_grid_awaited(core, r, r->warp.path->active, r->core_launch->launch->early.after - 1);
}

bool grids_waits(const struct warp_slot *r)
{
	assert(r->used);
	assert(!(r->core_launch->awaiting & r->bit) || r->held);
	return r->core_launch->awaiting & r->bit;
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct core_launch *on = r->core_launch;

	assert(!(lanes & ~r->warp.path->active));
	assert(!r->held);
	(void)state;
	if (!lanes)
		return;
	if (i->op == OP_griddepcontrol_launch) {
		on->triggered += !r->group->triggered;
		r->group->triggered = true;
	} else if (on->launch->early.primary) {
		on->awaiting |= r->bit;
		r->held = true;
	} else if (on->launch->early.after) {
		grids_awaited(core, r);
	}
}

const struct observer observer_grids = {.is_asked = is_asked, .begins_apart = true, .wants = wants, .before = before};
