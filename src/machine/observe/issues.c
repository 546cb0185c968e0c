/* Counting of the lanes that each instruction is issued for, in functional mode; in timing mode the cycle loop does it
 * by itself. */
#include "machine/core/observer.h"
#include "machine/state/machine.h"

#include <assert.h>

static bool is_asked(const struct gpu *gpu, bool functional)
{
	return gpu->counts_issues && functional;
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(r->core_launch->launch->kernel == r->warp.kernel);
	assert(r->warp.path->pc < r->warp.kernel->code_count);
	assert(!(lanes & ~r->warp.path->active));
	(void)core;
	(void)state;
	(void)i;
	r->core_launch->issued[r->warp.path->pc].lanes += (uint64_t)__builtin_popcountll(lanes);
}

const struct observer observer_issues = {
	.is_asked = is_asked,
	.before = before,
};
