/* Hangs under a progress model that depend on its schedule: work-groups starve, or all states repeat. */
#ifndef LOCKSTEP_CHECK_SCHEDULE_H
#define LOCKSTEP_CHECK_SCHEDULE_H

#include "check/hang_text.h"

/* False: it is not such a hang, or there is no progress model. */
bool schedule_explain(struct explanation *e);
/* Appends the schedule to the message. */
void schedule_add(struct explanation *e);

#endif
