/* Warp schedulers: which ready warp issues next. */
#ifndef LOCKSTEP_POLICY_SCHEDULE_H
#define LOCKSTEP_POLICY_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a scheduler may look at, refreshed by the core before each pick.  Bit w is the w-th warp slot of this
 * scheduler. */
struct issue_view {
	uint64_t ready;          /* next instruction's operands, buffer and unit are free */
	uint64_t now;            /* core cycle */
	const uint64_t *arrived; /* sequence number of each warp's dispatch: smaller is older */
	uint64_t rotation;       /* cycles after which gto rotates the age order; 0: never */
	bool rotates_plainly;    /* at multiples of these, whoever leads since when */
	uint32_t slots;          /* warp slots of this scheduler, at most 64 */
	uint64_t resident;       /* hold an unfinished warp; zero counts as `ready` */
	const uint64_t *waiting; /* warps of the core that wait long, by enum long_wait */
};

enum long_wait { LONG_WAIT_MEMORY, LONG_WAIT_FENCE, LONG_WAIT_BARRIER, LONG_WAIT_LOCK, LONG_WAITS };

/* A warp executes a branch: which lanes go where.  Pcs count instructions. */
struct branch_outcome {
	uint32_t pc, target;
	bool taken, passed; /* by a lane at least: goes to the target; goes on */
};

/* A number that users may choose, with `--set SCHEDULER.NAME=VALUE`. */
struct schedule_field {
	const char *name, *unit, *meaning;
	uint32_t value, minimum, maximum; /* unless it is set; inclusive */
};

/* One state per scheduler, zeroed, in the launch arena. */
struct warp_scheduler {
	const char *name, *summary;
	size_t state_size;
	const struct schedule_field *fields; /* its own, ended by one without a name; null: none */
	/* Optional: once, with a seed of its own and the values of `fields` in their order. */
	void (*start)(void *state, uint64_t seed, const uint32_t *fields);
	/* The warp that issues in this cycle, one of view->ready, which is not empty; -1: none. */
	int (*pick)(void *state, const struct issue_view *view);
	/* Optional: a warp begins in this slot, in a kernel of so many instructions. */
	void (*begin)(void *state, int warp, uint32_t instructions, uint64_t now);
	/* Optional: before a warp's branch.  Not in functional mode. */
	void (*branch)(void *state, int warp, const struct branch_outcome *outcome);
	void (*retire)(void *state, int warp); /* optional: the warp in this slot has finished */
};

static inline uint64_t schedule_waiting(const struct issue_view *view)
{
	return view->waiting[LONG_WAIT_MEMORY] | view->waiting[LONG_WAIT_FENCE] | view->waiting[LONG_WAIT_BARRIER] |
	       view->waiting[LONG_WAIT_LOCK];
}

/* The warp of `set` (not empty) that was dispatched first. */
static inline int schedule_oldest(uint64_t set, const uint64_t *arrived)
{
	int oldest = __builtin_ctzll(set);
	for (set &= set - 1; set; set &= set - 1) {
		int warp = __builtin_ctzll(set);
		if (arrived[warp] < arrived[oldest])
			oldest = warp;
	}
	return oldest;
}

#endif
