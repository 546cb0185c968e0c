/* Unfair: no work-group is guaranteed progress.  While some can run, one does. */
#include "policy/dispatch/dispatch.h"

static bool guarantees(const struct progress_view *view, uint32_t group)
{
	(void)view;
	(void)group;
	return false;
}

const struct group_dispatcher dispatch_unfair = {
	.name = "unfair",
	.summary = "functional mode: no work-group is guaranteed progress",
	.guarantees = guarantees,
};
