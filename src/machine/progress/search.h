/* All schedules of a small kernel: walks through the graph of its states (state_graph.h), each walk a run from the
 * start, until every step of every group from every state is known or as many walks have been made as are allowed.
 * Every step is followed, whatever the model: any finite beginning is allowed by each of them. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_SEARCH_H
#define LOCKSTEP_MACHINE_PROGRESS_SEARCH_H

#include "found/found.h"
#include "machine/progress/schedule_list.h"
#include "machine/state/gpu.h"
#include "util/vector.h"

enum search_verdict {
	SEARCH_FINISHES,  /* under every schedule that the model allows */
	SEARCH_MAY_HANG,  /* under `list`; under others it finishes */
	SEARCH_HANGS,     /* under every schedule */
	SEARCH_FAULTS,    /* under `list` */
	SEARCH_UNDECIDED, /* no hang is known, and not everything has been seen */
};

struct search_outcome {
	enum search_verdict verdict;
	uint64_t walks, states;
	struct schedule_list list;
	/* With the checks for races and barriers: of each finding that they had when the search ended, by its number,
	 * the steps until it was found; of those from before, none. */
	VECTOR(struct schedule_list) shown[FOUND_KINDS];
};

/* Runs `what`, at most `most` walks; memory is as before afterwards.  Results are in the arena.  The checks for races
 * and barriers see every walk; with one of them a walk goes on when it comes to where all steps are known, to the
 * kernel's end, so that what it did is judged with what follows. */
void gpu_search(struct gpu *gpu, const struct gpu_launch *what, uint64_t most, struct arena *arena,
	struct search_outcome *outcome);

#endif
