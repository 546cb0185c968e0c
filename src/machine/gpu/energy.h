/* The energy of a launch: events counted x energy of each, and power that flows all the time x time.  See
 * docs/energy.md. */
#ifndef LOCKSTEP_MACHINE_GPU_ENERGY_H
#define LOCKSTEP_MACHINE_GPU_ENERGY_H

#include "machine/state/gpu.h"

struct launch;

/* Of a launch that has ended, in timing mode; cycles and counters of the result are there. */
struct energy energy_of(const struct launch *launch, const struct gpu_result *result);

#endif
