/* HSA: a work-group may count on those of lower number, so only the lowest that has not finished is guaranteed progress
 * (CONCUR 2018, section 3.2; HSA Programmer's Reference Manual). */
#include "policy/dispatch/dispatch.h"

static bool guarantees(const struct progress_view *view, uint32_t group)
{
	return group == view->lowest;
}

const struct group_dispatcher dispatch_hsa = {
	.name = "hsa",
	.summary = "functional mode: the lowest unfinished work-group makes progress",
	.guarantees = guarantees,
};
