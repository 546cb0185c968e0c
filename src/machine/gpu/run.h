/* The machine: made for a launch on an idle GPU, run quantum by quantum until a launch has finished. */
#ifndef LOCKSTEP_MACHINE_GPU_RUN_H
#define LOCKSTEP_MACHINE_GPU_RUN_H

#include "machine/state/machine.h"

/* `first` is the launch for which it is made. */
struct machine *machine_create(struct gpu *gpu, const struct launch *first);
void machine_destroy(struct machine *machine);
/* Makes memory and the heap what they were when the machine was made or, the second time, what they were before the
 * first; in between the machine is paused, and others may run on the same memory that have snapshots of their own and
 * put them back (gpu->puts_back).  False: what it was is not kept. */
bool machine_swap(struct machine *machine);
/* Runs until at least one launch has finished: it is out of the list and its result is complete.  Null: the GPU is
 * stuck. */
struct launch *machine_run(struct machine *machine);

#endif
