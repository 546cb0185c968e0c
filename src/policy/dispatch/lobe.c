/* Linear occupancy-bound execution: as OBE, and work-groups start in order of their numbers: one is guaranteed progress
 * when it or one of a higher number has started (CONCUR 2018, section 4). */
#include "policy/dispatch/dispatch.h"

static bool guarantees(const struct progress_view *view, uint32_t group)
{
	return group < view->started_below;
}

const struct group_dispatcher dispatch_lobe = {
	.name = "lobe",
	.summary = "functional mode: work-groups make progress up to the highest that has started",
	.guarantees = guarantees,
};
