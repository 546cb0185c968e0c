/* The counters of one core: plain fields, summed over cores at the end of a launch.  Listed once, in counters.def. */
#ifndef LOCKSTEP_MACHINE_CORE_COUNTERS_H
#define LOCKSTEP_MACHINE_CORE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct counters {
#define COUNTER(field, name, unit, meaning) uint64_t field;
#include "machine/core/counters.def"
#undef COUNTER
};

/* Which of them it is, as an index of uint64_t. */
#define COUNTER_INDEX(field) (uint8_t)(offsetof(struct counters, field) / sizeof(uint64_t))

#endif
