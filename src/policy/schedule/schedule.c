/* The table of warp schedulers, from list.def. */
#include "policy/schedule/schedule.h"

#define SCHEDULER(choice) extern const struct warp_scheduler schedule_##choice;
#include "policy/schedule/list.def"
#undef SCHEDULER

const struct warp_scheduler *const warp_schedulers[] = {
#define SCHEDULER(choice) &schedule_##choice,
#include "policy/schedule/list.def"
#undef SCHEDULER
	NULL,
};
