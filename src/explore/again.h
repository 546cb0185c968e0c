/* A launch that hangs, run again from its own start on a GPU of its own with one thing changed.
 *
 * The GPU equals that of the hang: model, policies, seed, clock and memory are as they were when the machine began.
 * Only its caches begin empty, as they do at the first launch of a GPU. If the machine ran several launches, all that
 * still run are started again, together.  Memory is borrowed: while such a GPU exists, memory has the new run's
 * contents, and afterwards those of the hang again. */
#ifndef LOCKSTEP_EXPLORE_AGAIN_H
#define LOCKSTEP_EXPLORE_AGAIN_H

#include "machine/state/machine.h"

struct again;

enum again_outcome {
	AGAIN_COMPLETED,
	/* it is paused at the hang, and can be changed by again_word and the functions below; again_run then continues
	   it */
	AGAIN_HANGS,
	AGAIN_FAULT,
	AGAIN_LIMIT,     /* it neither ended nor was found to hang within `cycles`; it is paused, too */
	AGAIN_TIME_OVER, /* nor within the host's time */
};

/* Bounds of one run.  Cycles since its start; in functional mode warp instructions. */
struct again_limits {
	uint64_t cycles;
	double until; /* by again_clock */
};
/* Processor time of the process in seconds, since some fixed moment. */
double again_clock(void);

/* Why the launches of `machine` cannot be run again; null: they can. */
const char *again_refuses(const struct machine *machine);

/* Begins: `change`, which may be null, is called with the new GPU and its model before the GPU is created.  Until
 * again_end memory is as at the machine's start, then as the new run leaves it. */
struct again *again_begin(struct machine *machine,
	void (*change)(struct gpu *gpu, struct gpu_model *model, void *context), void *context);
void again_end(struct again *again);
/* From now on the schedule is random, from `seed`: warps are sometimes delayed by up to AGAIN_DELAY cycles, paths are
 * held back, and turns of paths and warps change their lengths. */
#define AGAIN_DELAY 512
void again_shuffle(struct again *again, uint64_t seed);

enum again_outcome again_run(struct again *again, struct again_limits limits);
/* How long it has run, in the unit of the limits; and a machine whose launches hang. */
uint64_t again_elapsed(const struct again *again);
uint64_t again_elapsed_on(const struct machine *machine);
/* limits.cycles for such a machine: twice as long as it has run, as a changed GPU may be slower, and not too few; and
 * as long as it may take to see that it hangs. */
uint64_t again_limit_for(const struct machine *machine);
/* Tells those who wait how far a test of a cause is: lockstep_options.confirming. */
void again_show(const struct gpu *gpu, uint64_t cycles);
/* Threads of all its launches that have ended so far. */
uint64_t again_ended(const struct again *again);
/* The same of a machine whose launches hang. */
uint64_t again_ended_on(const struct machine *machine);
/* While it hangs: continues it until it is found to hang once more, or to the limit, and records which instructions are
 * issued: those are the code in which it waits.  False: it no longer hangs. */
bool again_note_waits(struct again *again, struct again_limits limits);
/* Whether since then, or since the last call, a thread has done more than wait: has issued another instruction, taken a
 * lock or left a polling loop. */
bool again_left_waits(struct again *again);
/* The same of instructions of the first launch alone, and of launches that have completed. */
bool again_first_left_waits(struct again *again);
/* Whether it has made more progress than `machine`, which hangs: it has issued an instruction that `machine` never did,
 * or clearly more lane instructions outside of the code in which `machine` waits.  False in functional mode, which does
 * not count them. */
bool again_is_further(const struct again *again, const struct machine *machine);
/* Whether more locks have been taken, or polling loops left, than in `machine`, which hangs and does not do so for
 * ever.
 */
bool again_has_taken_more(const struct again *again, const struct machine *machine);

/* Changes, made while it hangs.  False: there is no such group, barrier or thread any more, or no such memory. */
bool again_word(struct again *again, const struct change *change, uint64_t value);
bool again_free_bit(struct again *again, const struct change *change);
bool again_end_phase(struct again *again, const struct change *change);
bool again_open_barrier(struct again *again, const struct change *change);
/* From now on every setmaxnreg.inc gets what it asks for. */
bool again_give_registers(struct again *again, const struct change *change);
/* Carries out beside it what the host has queued behind it. False, too: it cannot be, or what it does is not known. */
bool again_let_past(struct again *again, const struct queued_work *work);
/* Ends the thread and all others in the same endless loop, and releases the locks that they hold.  Returns how many
 * threads. */
uint32_t again_end_loop(struct again *again, const struct change *change);
/* Ends the thread when it neither holds a lock nor tries to take one; until then it runs on for a while.  If that is
 * the case at no end of a quantum, but the thread does release its locks at times, it is ended while it holds some:
 * these are released, and *held_locks is true.  False: there was no such moment; *held_locks means nothing. */
bool again_remove_thread(struct again *again, const struct change *change, bool *held_locks);

/* At the start: when the thread of a CHANGE_RELEASE has ended and its lock is taken, the lock's bit is freed, or its
 * word gets `value`. */
void again_release_at_end(struct again *again, const struct change *change, uint64_t value);
/* At the start: the write of a CHANGE_UNDO is undone. */
void again_undo_write(struct again *again, const struct change *change);
/* At the start: arrivals are made, of a MEND_LEAVE or a MEND_ARRIVAL. */
void again_arrive(struct again *again, const struct change *change);
/* While it hangs: where threads wait at mbarriers for just the arrivals that warps of a MEND_GONE made earlier, these
 * are made.  False: nowhere. */
bool again_arrive_for_gone(struct again *again, const struct change *change);
/* Whether an arrival was made for a thread that has ended, or that is of another group: observers have not heard of it.
 */
bool again_is_untold(const struct again *again);
/* Whether what one of the first two is to do has been done. */
bool again_was_changed(const struct again *again);
/* While it hangs: the lock of a CHANGE_GIVE_BACK becomes free; and it gets the owner's value again when another thread
 * has taken and released it, unless the owner itself waits for it.  False: it is free already, or not there. */
bool again_give_back(struct again *again, const struct change *change);
/* Whether the thread of the change has ended. */
bool again_owner_has_ended(const struct again *again, const struct change *change);

#endif
