/* What a memory partition counts: sums over its slices.  counters.def says what each is. */
#ifndef LOCKSTEP_MEMORY_PARTITION_COUNTERS_H
#define LOCKSTEP_MEMORY_PARTITION_COUNTERS_H

#include <stdint.h>

struct partition_counters {
#define COUNTER(field, name, unit, meaning) uint64_t field;
#include "memory/counters.def"
#undef COUNTER
};

#endif
