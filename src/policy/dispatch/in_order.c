/* In order: groups by flat index, one per core and turn; the turn goes on behind the core that was served last.
 * A group waits for its turn but never overtakes another, and a started group is never taken off its core: the
 * occupancy-bound progress that GPUs give in practice. */
#include "policy/dispatch/dispatch.h"

struct turn {
	uint32_t core; /* first to be considered */
};

static int next(void *state, const struct dispatch_view *view)
{
	struct turn *t = state;
	for (uint32_t i = 0, core = t->core; i < view->core_count; i++) {
		uint32_t after = core + 1 < view->core_count ? core + 1 : 0;
		if (view->room[core]) {
			t->core = after;
			return (int)core;
		}
		core = after;
	}
	return -1;
}

const struct group_dispatcher dispatch_in_order = {
	.name = "in-order",
	.summary = "groups in order, to the cores in turn, one group per core",
	.state_size = sizeof(struct turn),
	.next = next,
};
