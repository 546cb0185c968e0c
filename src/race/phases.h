/* Phases of mbarriers that threads wait for, and whether they can be lapped.
 *
 * THE RULE.  A wait by parity or by state can tell only the phase in progress and the one before (PTX ISA,
 * "mbarrier.test_wait / mbarrier.try_wait": "the phase indicated is either the current phase or the immediately
 * preceding phase").  So a thread that waits for phase k must have seen it complete before phase k + 1 does: else the
 * object has the parity that it had during phase k, and the thread waits for phase k + 2, which may never complete.
 * Nothing else makes sure of that than order: the wait that found phase k complete must come before one of the arrivals
 * without which phase k + 1 cannot complete.  A phase completes by all of its arrivals, and by all bytes that it
 * expects, so any arrival or copy of phase k + 1 does.
 *
 * WHICH PHASE IS MEANT.  A thread that waits for phase k by its parity must know that phase k - 1 is complete, as the
 * parity would be taken for that of phase k - 2 before.  If it knows of phase k + 1, the wait is for nothing.  So a
 * wait is for the last phase that the thread knows to be complete, or for the next one: the parity says which.  That
 * the phase before the first is complete is known to all that know of the initialisation.  A thread that does not is
 * not judged.  A thread that knows of an arrival in a phase is taken to know that the phase completes: it may know of
 * all arrivals.  A thread that is taken to know too much is taken to wait for a later phase, and nothing is reported. A
 * thread that asks again for the phase that it has found complete itself is not judged: it may mean the next one, and
 * not have flipped the parity.  A wait by state is for the phase of the thread's last arrival that gave it one.
 *
 * ORDER here is that in which threads execute, not that of memory: what no thread can do before another has done
 * something.  So relaxed operations count as others; vote, shfl, match, elect and matrix operations make lanes wait for
 * each other; strong accesses of a word order all that write it before all that read it then.  That is more than
 * happens-before (race.h): what is called unordered is so by either.  Threads of a cluster's other work-groups are
 * taken to know all that has happened so far.
 *
 * It includes nothing of the machine: an observer (machine/observe/phases.c) says what happens in a work-group, in the
 * order of time. */
#ifndef LOCKSTEP_RACE_PHASES_H
#define LOCKSTEP_RACE_PHASES_H

#include "found/found.h"

struct phases;
struct phases_group;

/* What is found goes to `found`, in whose arena everything lies. */
struct phases *phases_create(struct found_list *found);

/* A work-group begins. */
struct phases_shape {
	const struct kernel *kernel;
	uint64_t launch;       /* ordinal */
	uint32_t number;       /* of the group */
	uint32_t warps, lanes; /* of the group; of a warp */
	uint32_t threads;
	bool lockstep; /* the lanes of a warp go together: the GPU has a reconvergence stack */
};
struct phases_group *phases_begin_group(struct phases *phases, const struct phases_shape *shape);
void phases_end_group(struct phases *phases, struct phases_group *group);

/* Lanes of a warp of the group at an instruction. */
struct phases_at {
	struct phases_group *group;
	uint32_t warp; /* in the group */
	lane_mask lanes;
	uint32_t pc;
};

/* ---- Order ---- */

/* The lanes go on, for which all of them have waited. */
void phases_meet(struct phases *phases, const struct phases_at *at);
/* They come to a barrier of the group, which opens. */
void phases_arrive(struct phases *phases, const struct phases_at *at, uint32_t barrier, bool waits);
void phases_open(struct phases *phases, struct phases_group *group, uint32_t barrier);
/* They know all that has happened in the group: a barrier of the cluster has opened. */
void phases_know_all(struct phases *phases, const struct phases_at *at);
/* They write words strongly, or read them; a key by lane. */
void phases_give(struct phases *phases, const struct phases_at *at, const uint64_t *word);
void phases_get(struct phases *phases, const struct phases_at *at, const uint64_t *word);

/* ---- mbarriers, by their offsets in the group's shared memory, one by lane ---- */

/* They are about to initialise objects; have done so.  In between, what happens to the objects is of those before. */
void phases_object(struct phases *phases, const struct phases_at *at, const uint64_t *object);
void phases_begun(const struct phases_at *at, const uint64_t *object);
/* They are about to start a copy that the current phase waits for; to arrive; `gives`: and get its state. */
void phases_copy(struct phases *phases, const struct phases_at *at, const uint64_t *object);
void phases_arrive_at(struct phases *phases, const struct phases_at *at, const uint64_t *object, bool gives);
/* Something outside of the group does. */
void phases_arrive_outside(struct phases *phases, struct phases_group *group, uint64_t object);
/* They ask for phases; lanes of `odd` by parity 1, of `complete` with the answer that it is complete.  `goes_on`: those
 * of the others, too, have their answer; else they keep waiting.  By state: `odd` is what they have from the last
 * arrival at the object that gave them one, or they are not judged. */
struct phases_asked {
	lane_mask odd, complete;
	bool goes_on, by_state;
};
void phases_look(
	struct phases *phases, const struct phases_at *at, const uint64_t *object, const struct phases_asked *asked);
/* The current phase completes, by an instruction of these lanes; no lanes: of another group's. */
void phases_end_phase(struct phases *phases, const struct phases_at *at, uint64_t object);

#endif
