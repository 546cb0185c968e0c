/* Which accesses to memory cannot change where threads go: the slice of a kernel that decides its control flow. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_SLICE_H
#define LOCKSTEP_MACHINE_PROGRESS_SLICE_H

#include "kernel/kernel.h"
#include "util/arena.h"

/* Per pc, in `arena`: whether it is a load, store, atomic or copy, and no value that it reads or writes ever reaches a
 * guard, an address, or an operand of anything but computations and stores. */
bool *slice_data_only(const struct kernel *kernel, struct arena *arena);

#endif
