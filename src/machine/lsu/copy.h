/* Asynchronous copies: cp.async and cp.async.bulk, and waiting for them. */
#ifndef LOCKSTEP_MACHINE_LSU_COPY_H
#define LOCKSTEP_MACHINE_LSU_COPY_H

#include "machine/state/core.h"

/* The warp has copies that are not over. */
bool copy_is_outstanding(const struct core *core, const struct warp_slot *r);

#endif
