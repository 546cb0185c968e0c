/* The explanation of a hang in words: the cause by name, the message, what is listed with it, and the change that would
 * confirm it. */
#ifndef LOCKSTEP_CHECK_CAUSE_H
#define LOCKSTEP_CHECK_CAUSE_H

#include "check/causes.h"
#include "check/hang_text.h"

/* Of a complete chain. */
void cause_say(struct explanation *e, const struct chain *chain, struct writers *writers);
/* No work-group of the launch is resident. */
void cause_say_none_started(struct explanation *e);
/* Threads write again and again without progress, and one of them waits for this word. */
void cause_say_livelock(struct explanation *e, const struct thread *waiter, const struct wait *wait);
/* hang.c: adds what every message says at its end, and makes it the detail's. */
void cause_end(struct explanation *e);
/* Sets the cause, and what to do about it. */
void cause_conclude(struct explanation *e, enum hang_cause cause);

/* schedule.c: hangs under a progress model that depend on its schedule: work-groups starve, or all states repeat. */
/* False: it is not such a hang, or there is no progress model. */
bool schedule_explain(struct explanation *e);
/* Appends the schedule to the message. */
void schedule_add(struct explanation *e);

#endif
