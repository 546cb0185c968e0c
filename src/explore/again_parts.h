/* A launch that is run again: the struct behind again.h, for the files that implement it. */
#ifndef LOCKSTEP_EXPLORE_AGAIN_PARTS_H
#define LOCKSTEP_EXPLORE_AGAIN_PARTS_H

#include "explore/again.h"

struct again {
	struct arena arena;
	struct machine *machine; /* the one that hangs, with the launches that are run again */
	struct gpu gpu;
	struct gpu_model model;
	double until; /* by again_clock; of the run in progress */
	bool time_is_over;
	uint64_t random; /* state of the generator for shuffling */
	lane_mask *held; /* per core and warp slot: the lanes of a path that is held back */
	/* The code in which it waits: see again_note_waits */
	bool *waits;      /* per pc */
	uint64_t *issued; /* per pc, at the last look: lanes */
	uint64_t successes;
	bool waits_succeed; /* locks are taken or polling loops left even while it hangs */
	uint64_t ended;     /* threads of launches that have completed */
};

#endif
