/* What is said of a hang: the explanation (hang.h), and whether a run with one thing changed confirms it. */
#ifndef LOCKSTEP_CHECK_VERDICT_H
#define LOCKSTEP_CHECK_VERDICT_H

#include <stdbool.h>

struct machine;
struct launch;

/* Fills launch->result.finding, as gpu->explain wants it.  The cause is named when a run with the one thing changed
 * that would end it went on (`confirmed`), or when no such run could be made, which the message says with the reason.
 * A cause that its own run contradicts is not named: it is "unknown", and the message has what was seen and what was
 * tried. */
void verdict_give(struct machine *machine, struct launch *launch, bool proved);

#endif
