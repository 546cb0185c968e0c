/* Hangs under a progress model that are the schedule's doing, and not the kernel's under every schedule. */
#ifndef LOCKSTEP_CHECK_SCHEDULE_H
#define LOCKSTEP_CHECK_SCHEDULE_H

#include "check/hang_text.h"

/* False: it is none of those, or there is no progress model. */
bool schedule_explain(struct explanation *e);
/* The schedule itself, at the end of the message. */
void schedule_add(struct explanation *e);

#endif
