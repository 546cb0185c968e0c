/* `--check init`: tells the check for uninitialised reads (init/init.h) what warps read and write.
 *
 * An observer; gpu->observe has the struct inits of the GPU.  Shared and local memory belong to the core, which judges
 * each access when it is issued: memory instructions of a warp, and of a core on shared memory, take effect in that
 * order.  So it is with global memory in functional mode.  In timing mode cores change global memory side by side.  Its
 * bits stay as they are through a quantum; what may be a finding is written down and judged between quanta, when all
 * that any core wrote in the quantum counts as written before: of a read and a write at about the same time it is not
 * known which was first, and that is a race, not an uninitialised read. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_INIT_H
#define LOCKSTEP_MACHINE_OBSERVE_INIT_H

#include "init/init.h"

#endif
