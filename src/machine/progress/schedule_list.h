/* Schedules written down: "1,0*3,(2,1)" are a step of work-group 1, three of group 0, and then a step of group 2 and
 * one of group 1 over and over. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_SCHEDULE_LIST_H
#define LOCKSTEP_MACHINE_PROGRESS_SCHEDULE_LIST_H

#include "util/arena.h"
#include "util/diagnostic.h"

#include <stdbool.h>
#include <stdint.h>

/* So many steps of one group. */
struct schedule_run {
	uint32_t group, count;
};

/* From run `loop` on over and over; loop == count: nothing is. */
struct schedule_list {
	const struct schedule_run *runs;
	uint32_t count, loop;
};

/* False and an error when the text is none, or names a group beyond the highest number that a grid can have. */
bool schedule_list_read(
	struct arena *arena, const char *text, struct schedule_list *list, struct diagnostic *diagnostic);
const char *schedule_list_text(struct arena *arena, const struct schedule_list *list);

#endif
