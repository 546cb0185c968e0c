/* A debugger, which hears of every instruction before it is carried out (debug.h). */
#include "machine/observe/debug.h"

#include "machine/core/observer.h"
#include "machine/state/launch_state.h"

#include <assert.h>

static const struct debug_hooks *hooks_of(const struct core *core)
{
	assert(core->machine->gpu->observe[OBSERVER_debug]);
	return core->machine->gpu->observe[OBSERVER_debug];
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct debug_hooks *hooks = hooks_of(core);

	(void)state;
	hooks->issue(hooks->context, core, r, i, lanes);
}

static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	const struct debug_hooks *hooks = hooks_of(core);

	(void)state;
	hooks->warp_ends(hooks->context, r);
}

static void phase_ends(struct core *core, void *state, const struct operation *op, uint64_t object)
{
	const struct debug_hooks *hooks = hooks_of(core);

	(void)state;
	hooks->phase_ends(hooks->context, op->slot->group, object);
}

static void on_access(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	const struct debug_hooks *hooks = hooks_of(core);

	(void)state;
	hooks->access(hooks->context, r, i, lanes, space, address);
}

const struct observer observer_debug = {
	.begins_apart = true,
	.before = before,
	.on = {.warp_ends = warp_ends, .phase_ends = phase_ends, .access = on_access},
};
