/* Fair: every work-group is guaranteed progress, as threads of a CPU are (weak fairness: CONCUR 2018, section 3.1). */
#include "policy/dispatch/dispatch.h"

static bool guarantees(const struct progress_view *view, uint32_t group)
{
	(void)view;
	(void)group;
	return true;
}

const struct group_dispatcher dispatch_fair = {
	.name = "fair",
	.summary = "functional mode: every work-group makes progress",
	.guarantees = guarantees,
};
