/* The hook in a copy of the code: tells observers, and carries out the original. */
#include "machine/core/executors.h"
#include "machine/core/observer.h"
#include "machine/state/machine.h"

#include <assert.h>

void observer_execute(struct core *core, struct warp_slot *r, const struct insn *hook, lane_mask lanes)
{
	const struct insn *i = &r->warp.kernel->code[r->warp.path->pc];
	uint32_t set = hook->target & core->attached.observers;

	EACH_OBSERVER(id, set)
		if (observers[id]->before)
			observers[id]->before(core, core->attached.state[id], r, i, lanes);
	core_execute(core, r, i, lanes);
	assert(!(set & ~core->attached.observers)); /* none comes or goes while a core runs */
	EACH_OBSERVER(id, set)
		if (observers[id]->after)
			observers[id]->after(core, core->attached.state[id], r, i, lanes);
}
