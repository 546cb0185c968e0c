/* Misuse of barriers and of instructions with a member mask: what PTX calls undefined or forbids, seen in a run.
 *
 * THE RULES are those of PTX ISA 8.5, 9.7.13 ("Parallel Synchronization and Communication Instructions").
 *   - bar, barrier (9.7.13.1).  `.aligned`, which all forms of bar are: all threads execute the same instruction; in
 *     conditional code only if all evaluate the condition alike, else the behaviour is undefined.  A barrier waits for
 *     the threads of a warp that have not exited.  For sm_6x and below the forms without .aligned are like those with
 *     it, and a warp executes them in convergence.  A thread count is a multiple of the warp size; arrive needs one
 *     that is not 0; warps may use different forms "using the same barrier name and thread count"; red is not to be
 *     mixed with sync or arrive on an active barrier.  Whether a barrier without a count, at which all threads
 *     participate, has the same one as a barrier with that number is not said; an H200 takes it for wrong: suspected.
 *   - bar.warp.sync (9.7.13.2), shfl.sync (9.7.8.6), vote.sync (9.7.13.9), match.sync, redux.sync: undefined if the
 *     executing thread is not in the member mask; they wait until all its threads that have not exited have executed
 *     the instruction with the same mask.  For sm_6x and below all execute it in convergence.
 *   - shfl: a value from a thread that is inactive, or not in the mask, is undefined.  Asked for alone: a sum over a
 *     part of a warp reads such values and does not use them.
 *
 * WHAT COUNTS AS PROOF.  Lanes may exit where others go on to a barrier, and a run shows whether they do only in the
 * end.  So lanes that are missing are remembered, and told when they are seen elsewhere: together with lanes that
 * executed it, at another barrier, or at this one later.  Lanes that exit without more are told nothing of.
 *
 * The rules of sm_6x hold where the GPU has a reconvergence stack, which cannot wait for lanes of another path.  It
 * includes nothing of the machine: an observer (machine/observe/sync.c) says what happens. */
#ifndef LOCKSTEP_SYNC_SYNC_H
#define LOCKSTEP_SYNC_SYNC_H

#include "found/found.h"

/* What the user asks for. */
struct syncs_asked {
	bool sources; /* shuffles that read undefined values, too */
};

/* Lanes of a warp that are missing at an instruction which others have executed. */
struct sync_absence {
	uint32_t pc;
	lane_mask executed, missing;
	bool is_barrier;
};
#define SYNC_ABSENCES 8 /* of a warp; of more the oldest is forgotten, and what its missing lanes do from then on */

/* A warp; all zero when it begins. */
struct sync_warp {
	struct sync_absence absence[SYNC_ABSENCES]; /* the oldest first */
	uint32_t count;
	lane_mask lost;     /* lanes of which it is not known any more which barriers they have missed */
	uint32_t parted_pc; /* a .sync instruction that its lanes execute one mask after another: judged */
	lane_mask parted;   /* for these, which have yet to execute it */
};

/* A barrier of a work-group; all zero when it is not in use. */
struct sync_barrier {
	uint32_t pc, expected;
	bool used, counted, is_reduction;
};

/* Where something happens, and where what is found goes. */
struct sync_place {
	struct found_list *list;
	struct sync_warp *warp;
	const struct kernel *kernel;
	uint64_t launch;
	uint32_t pc, group, first_thread;
	lane_mask live; /* lanes that have not exited */
	bool stack;     /* the GPU has a reconvergence stack */
	bool sources;
};

/* Lanes come to a barrier; `aligned`: as it is written. */
void sync_come(const struct sync_place *at, lane_mask lanes, bool aligned);
/* The barrier that they come to, with this thread count; `counted`: it is written there, else it is that of all. */
enum sync_form { SYNC_WAITS, SYNC_ARRIVES, SYNC_REDUCES };
void sync_use(const struct sync_place *at, struct sync_barrier *barrier, lane_mask lanes, enum sync_form form,
	bool counted, uint32_t expected);
/* Lanes execute an instruction with member masks, one for each lane; `vary`: they are in a register. */
void sync_meet(const struct sync_place *at, lane_mask lanes, const uint32_t *masks, bool vary);
/* Lanes execute anything together that shows that they do. */
void sync_pass(const struct sync_place *at, lane_mask lanes);
/* A shuffle of lanes would take its value from these sources (a lane number within the half warp; above 31: its own).
 * `masks` null: it has none. */
void sync_shuffle(const struct sync_place *at, lane_mask lanes, const uint8_t *source, const uint32_t *masks);

#endif
