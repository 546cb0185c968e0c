/* All schedules of a small kernel: walks through the graph of its states (state_graph.h), each walk a run from the
 * start, until every step of every actor from every state that matters is known or as many walks have been made as are
 * allowed.  Every step is followed, whatever the model: any finite beginning is allowed by each of them.
 *
 * Actors are the groups; where they have several warps, these, as long as a node has bits for all.
 *
 * THE REDUCTION, where warps are the actors.  Loads, stores, atomics and barriers at which a warp waits are hoped to be
 * quiet (observe/steps.h); all else that others may notice is loud.  A step goes on over quiet instructions up to and
 * including a loud one, and then up to the next that others may notice.  A step in which nothing was loud, as the warp
 * waits at a barrier, has opened one, or has ended, is the only one that is followed from its state.  Whether the hope
 * was in vain is looked at in all that is seen:
 *
 *   - two steps from one state must not conflict, unless by what is loud in both;
 *   - no step may conflict with quiet accesses of another actor behind its last loud instruction, unless a barrier lies
 *     between.  What these are is part of the state.
 *
 * If they do, the quiet instructions in the conflict are loud from now on, and the search begins anew.
 *
 * Why this is enough.  Assume that a run of the kernel exists in which something quiet is in a conflict that nothing
 * orders, and take a shortest one.  In all of it but its last access, quiet instructions commute with what others do
 * between them and the next loud instruction of their actor, so they can be moved there: this makes of it steps as they
 * are followed.  A step without anything loud commutes with all others in the same way, so it may come first: the steps
 * that are left out there are taken later, and none is left out for ever, since no circle of states is made of such
 * steps alone (graph_follow_one).  So both accesses of the conflict are seen in the graph, in steps from one state, or
 * one in what is open: it would have been found.  Where there is none, each run can be changed into one of the graph by
 * exchanging neighbours that commute.  Both end in the same way; and of an endless one, each actor takes as many steps
 * in the other and what others see is the same, so the model allows both or none: that a group starts or ends is kept
 * (no step with which that happens is followed alone).
 *
 * A try_wait that fails, or any poll that changes nothing, leads back to its state: there is nothing to be seen behind
 * it, and the state is left only by steps of others.  Weak fairness asks for steps of the warp that polls, and these
 * are such. */
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
