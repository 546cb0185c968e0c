/* The counters of one core: plain fields, summed over cores at the end of a launch.  Listed once, in counters.def. */
#ifndef LOCKSTEP_MACHINE_COUNTERS_H
#define LOCKSTEP_MACHINE_COUNTERS_H

#include <stdint.h>

struct counters {
#define COUNTER(field, name, unit, meaning) uint64_t field;
#include "machine/counters.def"
#undef COUNTER
};

#endif
