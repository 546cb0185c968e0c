/* The energy of a launch: events counted x energy of each, and power that flows all the time x time.  See docs/energy.md. */
#ifndef LOCKSTEP_MACHINE_GPU_ENERGY_H
#define LOCKSTEP_MACHINE_GPU_ENERGY_H

#include <stdint.h>

struct gpu_result;
struct launch;

struct energy { /* in nanojoules; `total` is the sum of the others */
#define COUNTER(field, name, unit, meaning) uint64_t field;
#include "machine/gpu/energy.def"
#undef COUNTER
};

/* Of a launch that has ended, in timing mode; cycles and counters of the result are there. */
struct energy energy_of(const struct launch *launch, const struct gpu_result *result);

#endif
