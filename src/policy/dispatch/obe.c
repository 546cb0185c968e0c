/* Occupancy-bound execution: a work-group that has started is guaranteed progress, no other is (CONCUR 2018,
 * section 3.2; paper 4, section 2.3).  Which groups start, and in which order, is open. */
#include "policy/dispatch/dispatch.h"

static bool guarantees(const struct progress_view *view, uint32_t group)
{
	return view->started[group];
}

const struct group_dispatcher dispatch_obe = {
	.name = "obe",
	.summary = "functional mode: work-groups that have started make progress (occupancy-bound)",
	.guarantees = guarantees,
};
