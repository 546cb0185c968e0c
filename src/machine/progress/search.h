/* All schedules of a small kernel: walks through the graph of its states (state_graph.h), each walk a run from the
 * start, until every step of every actor from every state that matters is known or as many walks have been made as are
 * allowed.  Every step is followed, whatever the model: any finite beginning is allowed by each of them.
 *
 * Actors are the groups; where they have several warps, these and the copies that have begun, as long as a node has
 * bits for all.  So are some of the other paths of a diverged warp that can run, by their places behind that which
 * runs (diverge.h).  A step ends where others can run than before; so whichever path does something that others may
 * notice, it could have been another.  With more paths than actors the search gives up.
 *
 * While a warp has other paths that can run, or that another warp may let go on, all that it does is LOUD (below), and
 * none of its paths learns from what another has waited for.  Where the other paths wait for it to reconverge, or for a
 * barrier that it has to come to as well, it is as one thread: when they go on is a matter of what it does itself.
 *
 * THE REDUCTION, where warps are the actors.  Loads, stores, atomics, barriers, arrivals at mbarriers, waits for a
 * phase, and bulk copies that an mbarrier tracks are hoped to be QUIET (observe/steps.h): it makes no difference when
 * they are carried out.  All else that others may notice is LOUD.  A step goes on over quiet instructions up to and
 * including a loud one, and then up to the next that others may notice.  It ends earlier behind what may let others go
 * on: an arrival, a look at an mbarrier, the begin or end of a copy, a barrier that opens.  A step in which nothing was
 * loud is the only one that is followed from its state.  Whether the hope was in vain is looked at in all that is seen:
 *
 *   1. two steps from one state must not conflict, unless by what is loud in both;
 *   2. no step may conflict with quiet accesses of another actor behind its last loud instruction of which its own
 *      actor does not know.  What these are, and which actors know of them, is part of the state.
 *
 * If they do, the quiet instructions in the conflict are loud from now on, and the search begins anew.
 *
 * An actor KNOWS of an access if it cannot do what it does next without that: its own; what those know that came to a
 * barrier where it waited; what those know that arrived in phases of an mbarrier which it has found complete; of a
 * copy, what the warp knows that began it.
 *
 * Two accesses to bytes conflict if they overlap and one writes.  Two arrivals at a barrier conflict if they ask for
 * different numbers of threads, or belong to different phases.  At an mbarrier, of two of which the later does not know
 * of the earlier:
 *
 *   - arrivals, and bytes that copies complete, conflict if they are in different phases, if a register gets the state
 *     before, or if the phase has more bytes than are expected and no arrival to come.  Else they commute, with all of
 *     their phase in any order: while an arrival is missing the phase does not end; if bytes of copies alone are, the
 *     count of bytes is above zero.  So each order ends the phase with the same last state, and never earlier.
 *   - a phase that was found complete conflicts with what ends the next one: a wait that may be lapped.
 *   - a look conflicts with what ended a phase before the last one, if it succeeds, or any, if it fails: it might have
 *     come before that.
 *   - anything else that is done there (init, inval, expect_tx alone, a drop) conflicts with all.
 *
 * A wait is quiet only if a look that fails leads straight back to itself (await.h): then nothing has happened, and the
 * wait is as if it were blocked.  Any other look is loud.
 *
 * Loads and stores whose values cannot come to where they decide about control, and copies where no load decides, are
 * no accesses at all (slice.h): whatever they read, all goes the same way.
 *
 * Why check 2 is not enough: behind a loud instruction the accesses before it are forgotten.  Two steps, each quiet
 * accesses and then something loud, may be seen in both orders as wholes, but others come between what is in them; only
 * check 1 sees that these are in conflict (stored_in_passing of tests/warp_orders.py).
 *
 * Why this is enough.  Call a race a state in which two actors come next to accesses in conflict, one of them quiet.
 * Assume that a run of the kernel comes to one, and take from all states of the graph a shortest run to one.  If the
 * state is left by all actors, the first step of that run is in the graph, and the rest is shorter.  If it is left by
 * one actor alone, its step is quiet and commutes with what the run does up to the race, in which it has no part or
 * comes later; so it may come first, and the run from behind it is not longer.  No circle of states is made of such
 * steps alone (graph_follow_one), so in the end a state is left by all, or the race is next.  Its quiet access has then
 * been made by a step that is followed alone, and is still open to the other actor: that could do without it, so does
 * not know of it.  What forgets it is a loud step of its own actor, and that is taken from states which all leave: the
 * other has been seen there, too.  Or it is in the same step as something loud, and check 1 sees it.
 *
 * Where there is no race, each run can be changed into one of the graph by exchanging neighbours that commute.  Both
 * end in the same way; and of an endless one, each actor takes as many steps in the other and what others see is the
 * same, so the model allows both or none: that a group starts or ends is kept (no step with which that happens is
 * followed alone), and so is what may let others go on, of groups to which the model guarantees no progress.
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
