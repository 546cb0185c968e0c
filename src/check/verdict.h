/* The verdict on a hang: the explanation (hang.h), and whether a run with one thing changed confirms it. */
#ifndef LOCKSTEP_CHECK_VERDICT_H
#define LOCKSTEP_CHECK_VERDICT_H

#include <stdbool.h>

struct machine;
struct launch;

/* Fills launch->result.finding, as gpu->explain wants it.  The cause is named if a run with one change that removes it
 * makes progress (`confirmed`), or if no such run was possible: then the message says why.  A cause that its own run
 * contradicts is not named: it is "unknown", and the message says what was seen and what was tried. */
void verdict_give(struct machine *machine, struct launch *launch, bool proved);

#endif
