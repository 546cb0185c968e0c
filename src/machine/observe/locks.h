/* The ledger of locks: which lock words the lanes of a core's warps were seen to take and have not given back since.
 *
 * A word is taken by an atomic in a test-and-set loop that succeeds (INSN_LOCK_TRY) or by a lock instruction; it is given back by a
 * store, an atomic that is no such attempt, or the release of a lock instruction, of the warp or, if the lock is one for all threads of a
 * work-group, of any warp of the group.  The counters lock_success and lock_fail_..., the report of hangs and experiments with
 * hanging programs read it. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_LOCKS_H
#define LOCKSTEP_MACHINE_OBSERVE_LOCKS_H

#include "machine/core.h"

#define WARP_LOCKS 64 /* lock words a warp's lanes may be seen to hold; more are forgotten */
#define LEFT_LOCKS 16 /* per core: that ended warps still held; older ones are forgotten */

/* A lock word, and which lane took it where. */
struct held_lock {
	uint64_t address; /* of shared memory: the offset */
	uint64_t since;   /* cycle */
	uint64_t order;   /* a lock taken later has more, on whatever core */
	uint32_t pc;      /* of the instruction that took it */
	uint16_t lane;
	bool of_group; /* for all threads of its work-group */
};

/* The locks of a warp slot.  Those of a warp that has ended stay until the slot has another one. */
struct warp_locks {
	uint32_t held;     /* of `at` */
	uint32_t in_reach; /* that its stores may release: those held, and those that other warps hold for the group */
	uint64_t waiting_since;   /* cycle of the first attempt that failed since the last success; 0: none */
	uint64_t lowest, highest; /* no held one is outside; when any is held */
	struct held_lock at[WARP_LOCKS];
};

/* A lock that a warp still held when it ended. */
struct left_lock {
	const struct launch *launch; /* null: it was given back later */
	uint64_t address, order;     /* see struct held_lock */
	uint32_t group, thread, pc;  /* flat */
};

struct lock_ledger {
	uint64_t reaching;                 /* warp slots with a lock in reach: what a store tests */
	struct warp_locks *warps;          /* per slot */
	struct left_lock left[LEFT_LOCKS]; /* the last of them, a ring */
	uint32_t left_count;               /* ever */
};

void lock_ledger_create(struct core *core, struct arena *arena);
void lock_ledger_clear(struct core *core, struct arena *arena); /* for core_clear */
/* A warp begins in the slot, or its last lane has exited. */
void lock_ledger_begin(struct core *core, const struct resident *r);
void lock_ledger_end(struct core *core, const struct resident *r);

/* An atomic, which may be an attempt to take a lock, has found `old` in the words of these lanes, in their order. */
void lock_ledger_answered(struct core *core, const struct operation *op, lane_mask lanes, const uint64_t *old);
/* A lock instruction has answers for lanes (not none), at `address` of each. */
void lock_ledger_attempted(struct core *core, const struct resident *r, const struct insn *i, const uint64_t *address,
	lane_mask winners, lane_mask losers);
/* Gives back what the lanes hold at their addresses; see lock_ledger_written. */
void lock_ledger_give_back(struct core *core, const struct resident *r, const uint64_t *address, lane_mask lanes);

static inline const struct warp_locks *lock_ledger_of(const struct core *core, const struct resident *r)
{
	return &core->locks->warps[r->warp.slot];
}

/* The lanes write to these addresses, not by an attempt to take a lock. */
static inline void lock_ledger_written(
	struct core *core, const struct resident *r, const uint64_t *address, lane_mask lanes)
{
	if (core->locks->reaching & r->bit)
		lock_ledger_give_back(core, r, address, lanes);
}

#endif
