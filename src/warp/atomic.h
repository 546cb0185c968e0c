/* Atomics on words that other threads of the process may change at the same time. */
#ifndef LOCKSTEP_WARP_ATOMIC_H
#define LOCKSTEP_WARP_ATOMIC_H

#include "warp/warp.h"

/* What atomic_apply does, as one atomic operation of the host.  Not of 16 bytes: they are no type's. */
uint64_t atomic_apply_shared(enum atomic_op op, enum ptx_type type, void *where, uint64_t a, uint64_t b);

#endif
