/* The table of warp schedulers, from list.def. */
#include "policy/schedule/schedule.h"
#include "policy/policy.h"

#define SCHEDULER(choice) extern const struct warp_scheduler schedule_##choice;
#include "policy/schedule/list.def"
#undef SCHEDULER

const struct warp_scheduler *const warp_schedulers[] = {
#define SCHEDULER(choice) &schedule_##choice,
#include "policy/schedule/list.def"
#undef SCHEDULER
	NULL,
};

/* See policy.h. */
const char *scheduler_lacks(const void *policy)
{
	const struct warp_scheduler *p = policy;

	return !p->pick ? "pick" : NULL;
}
