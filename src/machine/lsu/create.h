/* Making the load-store unit of a core. */
#ifndef LOCKSTEP_MACHINE_LSU_CREATE_H
#define LOCKSTEP_MACHINE_LSU_CREATE_H

#include "machine/state/core.h"

void load_store_create(struct core *core, struct arena *arena);
/* For core_clear. */
void load_store_clear(struct core *core, struct arena *arena);

#endif
