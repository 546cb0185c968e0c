/* The ledger of locks: which lock words the lanes of a core's warps were seen to take and have not given back since.
 *
 * A word is taken by an atomic in a test-and-set loop that succeeds (INSN_LOCK_TRY) or by a lock instruction; it is
 * given back by a store, an atomic that is no such attempt, or the release of a lock instruction, of the warp or, if
 * the lock is one for all threads of a work-group, of any warp of the group.  A fetch-or takes bits, which others of
 * the word may have taken beside it: it succeeds if it found them clear, and they are given back by what clears
 * them.  An observer that is always there: it
 * counts lock_success and lock_fail_..., and the report of hangs and experiments with hanging programs ask it. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_LOCKS_H
#define LOCKSTEP_MACHINE_OBSERVE_LOCKS_H

#include "machine/state/core.h"

#define WARP_LOCKS 64 /* lock words a warp's lanes may be seen to hold; more are forgotten */
#define LEFT_LOCKS 16 /* per core: that ended warps still held; older ones are forgotten */

/* A lock word, and which lane took it where. */
struct held_lock {
	uint64_t address; /* of shared memory: the offset */
	uint64_t since;   /* cycle */
	uint64_t order;   /* a lock taken later has more, on whatever core */
	uint64_t bits;    /* of the word, that a fetch-or took and that are still held; 0: the lock is the word */
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
	struct held_lock *at;     /* WARP_LOCKS; not here, as each answer looks at the rest */
};

/* A lock that a warp still held when it ended. */
struct left_lock {
	const struct launch *launch;   /* null: it was given back later */
	uint64_t address, order, bits; /* see struct held_lock */
	uint32_t group, thread, pc;    /* flat */
};

/* The locks of a warp's slot; and those that warps of the core still held when they ended, *count of them, in no order.
 */
const struct warp_locks *locks_of(const struct core *core, const struct warp_slot *r);
const struct left_lock *locks_left(const struct core *core, uint32_t *count);

#endif
