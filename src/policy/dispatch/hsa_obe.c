/* HSA and OBE: work-groups that have started, and the lowest that has not finished, are guaranteed progress (CONCUR
 * 2018, section 4). */
#include "policy/dispatch/dispatch.h"

static bool guarantees(const struct progress_view *view, uint32_t group)
{
	return view->started[group] || group == view->lowest;
}

const struct group_dispatcher dispatch_hsa_obe = {
	.name = "hsa-obe",
	.summary = "functional mode: work-groups that have started, and the lowest, make progress",
	.guarantees = guarantees,
};
