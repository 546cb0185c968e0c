/* The counters of one core: plain fields, summed over cores at the end of a launch.  Listed once, in counters.def. */
#ifndef LOCKSTEP_MACHINE_STATE_COUNTERS_H
#define LOCKSTEP_MACHINE_STATE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct counters {
#define COUNTER(field, name, unit, meaning) uint64_t field;
#include "machine/state/counters.def"
#undef COUNTER
};

/* Of counters of one struct, or of partitions, as an array of so many bytes. */
static inline void counters_add(uint64_t *sum, const uint64_t *from, size_t bytes)
{
	for (size_t k = 0; k < bytes / sizeof *sum; k++)
		sum[k] += from[k];
}

static inline void counters_subtract(uint64_t *sum, const uint64_t *from, size_t bytes)
{
	for (size_t k = 0; k < bytes / sizeof *sum; k++)
		sum[k] -= from[k];
}

/* Which of them it is, as an index of uint64_t. */
#define COUNTER_INDEX(field) (uint8_t)(offsetof(struct counters, field) / sizeof(uint64_t))

#endif
