/* The threads of a launch that hangs, and where each of them is. */
#ifndef LOCKSTEP_CHECK_THREAD_H
#define LOCKSTEP_CHECK_THREAD_H

#include "machine/observe/watch.h"
#include "machine/state/core.h"
#include "machine/state/machine.h"

/* A thread: a lane of a warp on a core. */
struct thread {
	struct core *core;
	struct warp_slot *r; /* null: its warp has ended */
	uint32_t lane;
	uint32_t group, number; /* flat */
};

enum thread_state {
	THREAD_RUNS,             /* it can run: as the kernel hangs, it spins */
	THREAD_AT_BARRIER,       /* waits at a barrier of its work-group */
	THREAD_AWAITS_LOCK,      /* its lock instruction has not been answered, or its atomic waits for a lock bit */
	THREAD_PARKED,           /* does not run until other lanes of its warp continue */
	THREAD_AT_WARP_BARRIER,  /* waits for other lanes at a barrier of its warp */
	THREAD_AWAITS_REGISTERS, /* waits in setmaxnreg.inc for registers of its work-group */
	THREAD_AWAITS_GRIDS,     /* waits for what its work-group has launched on the GPU */
	THREAD_PASSED,           /* waits to reconverge with lanes that can never arrive (paper 1, 4.5) */
	THREAD_ENDED,
};

struct position {
	enum thread_state state;
	uint32_t pc;         /* at a barrier: the barrier's */
	uint32_t next_pc;    /* of the instruction that it executes next: at a barrier, the one after it */
	const char *waiting; /* what it waits for, in the words of the divergence model; null: it runs */
};

/* The code from `first` to `last`, which a thread executes again and again. */
struct code_range {
	uint32_t first, last; /* pcs */
};

struct thread thread_at(struct core *core, struct warp_slot *r, uint32_t lane);
/* What a register of its warp, or a constant, has in its lane: 8 bytes, or of other widths the first 4. */
uint64_t thread_register(const struct thread *t, slot_ref slot, uint32_t bytes);
struct position thread_position(const struct thread *t);
/* The lanes of its warp whose atomic waits for lock bits that programs have, and the atomic's pc; 0: none.  If the
 * thread's own does, the word is at *address of shared memory. */
lane_mask thread_stopped_atomic(const struct thread *t, uint32_t *pc, uint64_t *address);
/* Whether its state is THREAD_PARKED. */
bool thread_is_parked(const struct thread *t);

/* A lower lane of its warp is at the same pc in the same state. */
bool thread_is_repeated(const struct thread *t);

/* Each warp of the launch that has not ended, as one of its lanes (an active one, else any that has not ended):
 *     EACH_WARP(launch, at)
 *         use(&at); */
bool thread_next_warp(const struct launch *launch, uint32_t *core, uint32_t *slot, struct thread *t);
#define EACH_WARP(launch, at)                                                                                          \
	uint32_t at##_core = 0, at##_slot = 0;                                                                         \
	for (struct thread at; thread_next_warp(launch, &at##_core, &at##_slot, &at);)

/* What hang detection has recorded of its warp; null: nothing. */
const struct watched_warp *thread_watched(const struct thread *t);
/* The number of the barrier that it waits at. */
uint32_t thread_barrier(const struct thread *t);

/* warp_wait.c: lanes that wait for others of their warp: at bar.warp.sync, a shuffle, a vote, a match or a reduction,
 * for the lanes that its member mask names; or at an operation on matrices, for all. */
struct warp_wait {
	uint32_t pc;       /* of the instruction */
	bool has_mask;     /* it has one, and its value is known */
	uint32_t mask;     /* as the program gives it: of the upper half of a warp of 64 lanes, for that half */
	lane_mask missing; /* lanes that it waits for: they live, and have not arrived with the same members */
	lane_mask ended;   /* members that it no longer waits for */
};

/* False: the thread does not wait so. */
bool warp_wait_of(const struct thread *t, struct warp_wait *wait);

#endif
