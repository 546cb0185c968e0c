/* A launch that hangs, run again from its own start on a GPU of its own with one thing changed.
 *
 * The GPU is as that of the hang: model, policies, seed, clock and memory, as they were when the machine began.  Only
 * its caches begin empty, as they do at the first launch of a GPU.  Where the machine had run several launches, all
 * that still run are started anew, together. Memory is lent: while such a GPU exists, memory holds what it makes of it,
 * and when it goes, all is as it was. */
#ifndef LOCKSTEP_EXPLORE_AGAIN_H
#define LOCKSTEP_EXPLORE_AGAIN_H

#include "machine/state.h"

struct again;

enum again_outcome {
	AGAIN_COMPLETED,
	/* it is paused as it hangs, and can be changed by again_word and the others below; then again_run goes on */
	AGAIN_HANGS,
	AGAIN_FAULT,
	AGAIN_LIMIT,     /* neither ended nor was found to hang in `cycles`; it is paused, too */
	AGAIN_TIME_OVER, /* nor in the host's time */
};

/* Bounds of one run.  Cycles since its start; in functional mode warp instructions. */
struct again_limits {
	uint64_t cycles;
	double until; /* by again_clock */
};
/* Seconds of the process's own time, from some moment. */
double again_clock(void);

/* Why the launches of `machine` cannot be run again; null: they can. */
const char *again_refuses(const struct machine *machine);

/* Begins: `change` is called with the new GPU, and its model, before it is made; it may be null.  Memory is as at the
 * machine's start from now on, until again_end. */
struct again *again_begin(struct machine *machine,
	void (*change)(struct gpu *gpu, struct gpu_model *model, void *context), void *context);
void again_end(struct again *again);
/* From now on warps are held up now and then, for up to AGAIN_DELAY cycles, and turns of paths and warps get other
 * lengths, as `seed` has it. */
#define AGAIN_DELAY 512
void again_shuffle(struct again *again, uint64_t seed);

enum again_outcome again_run(struct again *again, struct again_limits limits);
/* How far it is, in what the limits count. */
uint64_t again_elapsed(const struct again *again);
/* Threads of all its launches that have ended so far. */
uint64_t again_ended(const struct again *again);
/* The same of a machine whose launches hang. */
uint64_t again_ended_on(const struct machine *machine);
/* While it hangs: lets it go on until it is seen to hang once more, or to the limit, and notes what is issued
 * meanwhile, which is what waiting is.  False: it does not hang any more. */
bool again_note_waits(struct again *again, struct again_limits limits);
/* Whether since then, or since the last call, somebody has got beyond that: has issued something else, got a lock, or
 * left a loop of waiting. */
bool again_left_waits(struct again *again);
/* Whether it has got further than `machine`, which hangs: an instruction has been issued that never was there; or
 * clearly more lane instructions beside those of the code in which that waits.  False in functional mode, which does
 * not count them. */
bool again_is_further(const struct again *again, const struct machine *machine);

/* While it hangs.  False: there is no such group, barrier or thread any more, or no such memory. */
bool again_word(struct again *again, const struct change *change, uint64_t value);
bool again_end_phase(struct again *again, const struct change *change);
bool again_open_barrier(struct again *again, const struct change *change);
/* Ends the thread and all that go through the same endless loop, and gives back the locks that they hold; how many
 * threads. */
uint32_t again_end_loop(struct again *again, const struct change *change);
/* Ends the thread at a moment when it holds no lock and tries for none, for which it may go on for a while.  If no
 * quantum ends at one, but the thread does give its locks back, it is ended while it holds some, and *gives_back: they
 * are free then.  False: there is no such moment; *gives_back says nothing. */
bool again_remove_thread(struct again *again, const struct change *change, bool *held_locks);

#endif
