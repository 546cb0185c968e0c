/* CUDA's programmatic dependent launch: a launch that may begin before the one before it, its primary, is over.
 *
 * It comes onto the machine beside its primary.  Its groups begin when each group of the primary has executed
 * griddepcontrol.launch_dependents or has ended.  A warp that executes griddepcontrol.wait is held until the primary is
 * over, which it is when all that it asked of memory is answered; then its core's L1 is emptied as by an acquire.  The
 * launch itself is over after its primary: CUDA does not say what comes first of a launch that never waits.
 *
 * All this happens between quanta, or between turns, on one thread. */
#ifndef LOCKSTEP_MACHINE_GPU_EARLY_H
#define LOCKSTEP_MACHINE_GPU_EARLY_H

#include "machine/state/machine.h"

/* The launch has joined the machine. */
void early_join(struct machine *machine, struct launch *launch);
/* Launches may begin whose primaries have all triggered. */
void early_begin(struct machine *machine);
/* A launch leaves the machine, completed or not: those go on that wait for it. */
void early_follow(struct machine *machine, const struct launch *primary, bool completed);

#endif
