/* A launch that is run again, for the files that carry out what again.h says. */
#ifndef LOCKSTEP_EXPLORE_AGAIN_PARTS_H
#define LOCKSTEP_EXPLORE_AGAIN_PARTS_H

#include "explore/again.h"

struct again {
	struct arena arena;
	struct machine *machine; /* that hangs, and has the launches that are run again */
	struct gpu gpu;
	struct gpu_model model;
	double until; /* by again_clock; of the run in progress */
	bool time_is_over;
	uint64_t random; /* of shuffling */
	lane_mask *held; /* per core and warp slot: of a path that is put aside */
	/* What waiting is: see again_note_waits */
	bool *waits;      /* per pc */
	uint64_t *issued; /* per pc, when last looked: lanes */
	uint64_t successes;
	bool waits_succeed; /* some locks are had and some loops left while it hangs */
	uint64_t ended;     /* threads of launches that are over */
};

#endif
