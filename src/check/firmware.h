/* Hangs of launches with firmware. */
#ifndef LOCKSTEP_CHECK_FIRMWARE_H
#define LOCKSTEP_CHECK_FIRMWARE_H

#include "machine/state/machine.h"

/* Writes the finding of a launch with firmware that hangs: where firmware is, and what its work-groups wait for. False:
 * the launch has none. */
bool firmware_hang_explain(struct machine *machine, struct launch *launch, bool proved);

#endif
