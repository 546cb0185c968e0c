/* All placements of launches that run together: which of them take the free places for work-groups, and in which order.
 *
 * Groups of one launch start in the order of their numbers.  Those that have a place run as ever in functional mode, in
 * one order of steps that the seed chooses: other orders are not tried.  So what is said is about placements: a hang
 * is one, proved in the run in which it was seen, and that none was seen does not mean that there is none.
 *
 * First each launch in turn takes places before all others.  Then the choices are varied one by one, beginning with
 * those that are made first.  Where groups of several launches take places one right after another and nothing runs in
 * between, their order only decides which core has which, so one order stands for all that place as many of each; but
 * not if they take so much, and not as much as each other, that it matters to which core they go. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_PLACEMENTS_H
#define LOCKSTEP_MACHINE_PROGRESS_PLACEMENTS_H

#include "machine/gpu/placement.h"
#include "machine/progress/schedule_list.h"
#include "machine/progress/search.h"

struct placements_outcome {
	enum search_verdict verdict; /* SEARCH_MAY_HANG, SEARCH_FAULTS: under `list`; SEARCH_UNDECIDED */
	uint64_t tried, finished;    /* finished: of these, in so many all launches completed */
	bool all;                    /* no placement is left that was not tried */
	struct schedule_list list;   /* whose groups take places, launch by launch: PART_LAUNCH */
};

/* Runs the launches together, under at most `most` placements; memory is as before afterwards.  Results are in the
 * arena.  Nothing runs or waits on the GPU. */
void gpu_try_placements(struct gpu *gpu, const struct gpu_launch *const *launches, uint32_t count, uint64_t most,
	struct arena *arena, struct placements_outcome *outcome);

/* The placement that a list says, which stays; a launch that has no place when it is its turn is skipped.  Behind the
 * list the launch that was started first comes first. */
struct placement *placement_of_list(struct arena *arena, uint64_t first, const struct schedule_list *list);

#endif
