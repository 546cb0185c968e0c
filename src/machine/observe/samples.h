/* How counters grow while a launch runs, for --samples.
 *
 * An observer without hooks in cores: between quanta, once an interval, it writes down by how much the machine's
 * counters have grown.  gpu->observe has the struct sampler of the GPU.  A launch has SAMPLES_MOST samples at most:
 * when there would be more, neighbours become one, and the interval doubles.  The last sample ends when the launch's
 * own counters do, so that over its samples each counter sums up to the launch's. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_SAMPLES_H
#define LOCKSTEP_MACHINE_OBSERVE_SAMPLES_H

#include "util/arena.h"

#include <stdint.h>

#define SAMPLES_MOST 1024
#define SAMPLED_WARPS 96 /* warp slots of a launch, the first that it has, whose states are in its samples */

enum sampled {
#define CORE(field) SAMPLED_CORE_##field,
#define PARTITION(field) SAMPLED_PARTITION_##field,
#include "machine/observe/samples.def"
	SAMPLED
};

/* What a warp slot does: 0: it has no warp of the launch; else one more than its enum wait_reason, where it waits, or
 * than WAIT_UNIT, where it could issue. */
#define SAMPLED_READY 1

/* How long it was, in cycles, by how much each counter grew meanwhile; and what each row of warps did at its end. */
struct sample {
	uint64_t cycles, grown[SAMPLED];
	uint8_t states[SAMPLED_WARPS];
};

struct sampled_warp {
	uint32_t core, slot;
};

/* Of a launch. */
struct launch_samples {
	struct arena arena; /* all of it, this included */
	struct launch_samples *next;
	uint64_t ordinal;
	uint64_t interval, due,
		at;             /* cycles of the launch: when the next one ends at the earliest, and the last one did */
	uint64_t last[SAMPLED]; /* counters of the machine then */
	struct sample *samples;
	uint32_t count, capacity;
	struct sampled_warp warps[SAMPLED_WARPS]; /* rows, in the order in which they were first seen */
	uint32_t warp_count;
};

/* Of a GPU: the interval asked for, in cycles, and the launches whose samples were not taken. */
struct sampler {
	uint64_t interval;
	struct launch_samples *launches;
};

/* The samples of a launch that is over; the caller frees them.  Null: it was not sampled. */
struct launch_samples *samples_take(struct sampler *sampler, uint64_t ordinal);
void samples_free(struct launch_samples *samples);

#endif
