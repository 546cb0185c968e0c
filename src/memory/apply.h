/* What stores and atomics do to the bytes of global memory. */
#ifndef LOCKSTEP_MEMORY_APPLY_H
#define LOCKSTEP_MEMORY_APPLY_H

#include "memory/address_space.h"
#include "memory/message.h"

/* `line`: the LINE_BYTES of the line. */
void apply_store(uint8_t *line, const struct store_payload *store);

/* Serves the entries in order.  Old values go to `old`, unless it is null: one uint64_t an entry, two (low, high) for
 * 16 bytes. */
void apply_atomic(const struct address_space *space, const struct atomic_payload *atomic, uint64_t *old);

static inline const struct atomic_entry *atomic_entries(const struct atomic_payload *atomic)
{
	return (const struct atomic_entry *)(const void *)(atomic + 1);
}

#endif
