/* The one change that would confirm the cause of a hang: with it the kernel makes progress (struct change in
 * machine/core/finding.h). */
#ifndef LOCKSTEP_CHECK_CHANGE_H
#define LOCKSTEP_CHECK_CHANGE_H

#include "check/chain.h"

/* For the cause at the end of a chain. */
struct change change_for(const struct machine *machine, const struct chain *chain);
/* The word that a thread waits for gets a value that would end the wait. */
struct change change_word(const struct thread *t, const struct wait *wait);
struct change change_order(const struct thread *t);

#endif
