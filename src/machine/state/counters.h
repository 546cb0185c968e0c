/* What a core counts, summed over cores at the end of a launch, and what a control processor does: plain fields, each
 * listed once, in counters.def and control_counters.def. */
#ifndef LOCKSTEP_MACHINE_STATE_COUNTERS_H
#define LOCKSTEP_MACHINE_STATE_COUNTERS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTER(field, name, unit, meaning) uint64_t field;
struct counters {
#include "machine/state/counters.def"
};
struct control_counters {
#include "machine/state/control_counters.def"
};
#undef COUNTER

/* Of counters of one struct, or of partitions, as an array of so many bytes. */
static inline void counters_add(void *sum, const void *from, size_t bytes)
{
	assert(bytes % sizeof(uint64_t) == 0);
	for (size_t k = 0; k < bytes / sizeof(uint64_t); k++)
		((uint64_t *)sum)[k] += ((const uint64_t *)from)[k];
}

static inline void counters_subtract(void *sum, const void *from, size_t bytes)
{
	assert(bytes % sizeof(uint64_t) == 0);
	for (size_t k = 0; k < bytes / sizeof(uint64_t); k++)
		((uint64_t *)sum)[k] -= ((const uint64_t *)from)[k];
}

/* Which of them it is, as an index of uint64_t. */
#define COUNTER_INDEX(field) (uint8_t)(offsetof(struct counters, field) / sizeof(uint64_t))

#endif
