/* `--check races`: tells the race check (race/race.h) what warps do.
 *
 * An observer; gpu->observe has the struct races of the GPU, which goes on from launch to launch.  In functional mode
 * each event is judged at once.  In timing mode a core writes down what happens on it, and between quanta one thread
 * judges it, core after core: that keeps the order of what depends on each other, since what one core releases reaches
 * another in a later quantum, and it is the same for any number of threads. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_RACES_H
#define LOCKSTEP_MACHINE_OBSERVE_RACES_H

#include "machine/state/gpu.h"
#include "race/race.h"

/* Null: it was not asked for. */
static inline struct races *races_of_gpu(const struct gpu *gpu)
{
	return gpu->observe[OBSERVER_races];
}

#endif
