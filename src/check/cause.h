/* What is said of a hang: the cause by name, the message, what is listed beside it, and the change that would show
 * it. */
#ifndef LOCKSTEP_CHECK_CAUSE_H
#define LOCKSTEP_CHECK_CAUSE_H

#include "check/causes.h"
#include "check/hang_text.h"

/* Of a chain that has been followed to its root. */
void cause_say(struct explanation *e, const struct chain *chain, struct writers *writers);
/* No work-group of the launch is on the machine. */
void cause_say_none_started(struct explanation *e);
/* Threads write all the time, and one of them waits for this. */
void cause_say_livelock(struct explanation *e, const struct thread *waiter, const struct wait *wait);
/* The cause, and what to do about it. */
void cause_conclude(struct explanation *e, enum hang_cause cause);

#endif
