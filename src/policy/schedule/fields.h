/* The values of schedulers' own fields, from settings "SCHEDULER.FIELD=VALUE". */
#ifndef LOCKSTEP_POLICY_SCHEDULE_FIELDS_H
#define LOCKSTEP_POLICY_SCHEDULE_FIELDS_H

#include "policy/schedule/schedule.h"
#include "util/arena.h"
#include "util/diagnostic.h"

/* Whether a setting is for a scheduler, one of a plug-in perhaps, that has fields of its own; all others are the
 * model's. */
bool schedule_owns(const char *setting);

/* Whether its fields can be shown and set: each with unit and meaning, its value within its bounds. */
bool schedule_check_fields(const struct warp_scheduler *scheduler, struct diagnostic *diagnostic);

/* What the scheduler's start hook is given: values of its fields, the last setting of several.  `settings` end with
 * null, or are null; those of other schedulers are checked and left.  Null and an error for a field that is not there,
 * or a bad value. */
const uint32_t *schedule_read_fields(struct arena *arena, const struct warp_scheduler *scheduler,
	const char *const *settings, struct diagnostic *diagnostic);

#endif
