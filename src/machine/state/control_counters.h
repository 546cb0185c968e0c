/* What a control processor counts. */
#ifndef LOCKSTEP_MACHINE_STATE_CONTROL_COUNTERS_H
#define LOCKSTEP_MACHINE_STATE_CONTROL_COUNTERS_H

#include <stdint.h>

struct control_counters {
#define COUNTER(field, name, unit, meaning) uint64_t field;
#include "machine/state/control_counters.def"
#undef COUNTER
};

#endif
