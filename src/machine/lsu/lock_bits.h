/* Lock bits beside shared memory (Fermi and Kepler; paper 3, section 3.1): 1,024 of them, by word address.  An atomic
 * of shared memory is a loop of load-and-lock, operation, store-and-unlock there: lanes on one lock go one after
 * another, also those of different warps.  The load-store unit is taken for the two accesses of each turn only; between
 * them other warps have it. */
#ifndef LOCKSTEP_MACHINE_LSU_LOCK_BITS_H
#define LOCKSTEP_MACHINE_LSU_LOCK_BITS_H

#include "machine/core/core.h"

/* Of each lock bit the cycle from which it is free; null where the model has none (shared.atomic_locks). */
uint64_t *lock_bits_create(const struct gpu_model *model, struct arena *arena);
/* Cycles that an atomic needs of the load-store unit: two accesses for each lane on its most wanted lock, or for each
 * of the `bank_cycles` passes of the banks, whichever are more.  `address`: of each lane, from the group's own shared
 * memory on, in bytes. */
uint32_t lock_bits_cycles(const uint64_t *address, lane_mask lanes, uint32_t bank_cycles);
/* Takes the locks of an atomic that is served by the load-store unit now, each when it is free and for
 * shared.atomic_interval cycles; returns the cycle at which the last is given back. */
uint64_t lock_bits_take(struct core *core, uint64_t *bits, const struct operation *op);

#endif
