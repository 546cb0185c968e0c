/* The table of warp schedulers, from list.def. */
#include "policy/schedule/schedule.h"
#include "policy/policy.h"

#define TABLE warp_schedulers
#define VTABLE warp_scheduler
#define POLICY_NAME(choice) schedule_##choice
#define LIST "policy/schedule/list.def"
#include "policy/table.def"

/* See policy.h. */
const char *scheduler_lacks(const void *policy)
{
	const struct warp_scheduler *p = policy;

	return !p->pick ? "pick" : NULL;
}
