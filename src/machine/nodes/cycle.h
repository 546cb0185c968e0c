/* The cycle loop of a core. */
#ifndef LOCKSTEP_MACHINE_NODES_CYCLE_H
#define LOCKSTEP_MACHINE_NODES_CYCLE_H

#include "machine/state/core.h"

/* Advances to cycle `until` (or stops at a finding). */
void core_run(struct core *core, uint64_t until);
/* Earliest cycle at which something happens by itself; NEVER: nothing will. */
uint64_t core_next_event(const struct core *core);

#endif
