/* The threads of a launch that hangs: who there is, and where each is. */
#ifndef LOCKSTEP_CHECK_THREAD_H
#define LOCKSTEP_CHECK_THREAD_H

#include "machine/core/core.h"
#include "machine/observe/watch.h"
#include "machine/state.h"

/* A thread: a lane of a warp on a core. */
struct thread {
	struct core *core;
	struct warp_slot *r; /* null: its warp has ended */
	uint32_t lane;
	uint32_t group, number; /* flat */
};

enum thread_state {
	THREAD_RUNS,            /* it can run: it spins, if the kernel hangs */
	THREAD_AT_BARRIER,      /* at a barrier of its work-group */
	THREAD_AWAITS_LOCK,     /* it has asked for a lock by an instruction */
	THREAD_PARKED,          /* other lanes of its warp run first */
	THREAD_AT_WARP_BARRIER, /* at a barrier of its warp */
	THREAD_PASSED,          /* so, and they can never come (paper 1, 4.5) */
	THREAD_ENDED,
};

struct position {
	enum thread_state state;
	uint32_t pc;         /* of a barrier: its own */
	uint32_t next_pc;    /* of what the thread does next: of one at a barrier, behind that */
	const char *waiting; /* for what, as the divergence model says; null: it runs */
	bool unrun;          /* parked: on a side of a branch that has yet to run */
};

struct thread thread_at(struct core *core, struct warp_slot *r, uint32_t lane);
struct position thread_position(const struct thread *t);
/* Of the divergence model: parked behind others, or at a barrier with them. */
bool thread_is_parked(const struct thread *t);

/* Each warp of the launch that has not ended, by one of its lanes that run, else of those that live:
 *     EACH_WARP(launch, at)
 *         use(&at); */
bool thread_next_warp(const struct launch *launch, uint32_t *core, uint32_t *slot, struct thread *t);
#define EACH_WARP(launch, at)                                                                                          \
	uint32_t at##_core = 0, at##_slot = 0;                                                                         \
	for (struct thread at; thread_next_warp(launch, &at##_core, &at##_slot, &at);)

/* What was seen of its warp while it went on; null: nothing. */
const struct watched_warp *thread_watched(const struct thread *t);
/* The barrier that it waits at, by its number. */
uint32_t thread_barrier(const struct thread *t);

#endif
