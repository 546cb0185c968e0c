/* What launches access in global memory, for those who order launches and copies (race/footprint.h).
 *
 * An observer; gpu->observe has the struct footprints of the GPU.  In functional mode each access is added at once.  In
 * timing mode a core writes down what it accesses, and between quanta one thread adds it. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_FOOTPRINT_H
#define LOCKSTEP_MACHINE_OBSERVE_FOOTPRINT_H

#include "race/footprint.h"

#endif
