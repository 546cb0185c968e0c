/* The lock instructions (paper 1, chapters 4 and 5): what they ask of memory, and what happens to the lanes when they
 * are answered.
 *
 * The divergence model decides how lanes wait if it has hooks for that (`lock`, `answered`) and the lock unit wants
 * them; else the whole warp waits until all are answered, and branches.  A try_lock and a try_lock_for always wait as a
 * whole warp: they need no entry, since the program itself diverges by their results.  Lanes of one warp then wait for
 * each other's time-outs.
 *
 * Requests go to memory as atomics (compare-and-swap of -1 and the thread's number; a semaphore's is ATOMIC_TAKE), or,
 * where locks queue, as MESSAGE_LOCK.  Fences of the group do not wait for a request that waits in a queue: the lock
 * may be released after the fence. */
#ifndef LOCKSTEP_MACHINE_LSU_LOCK_H
#define LOCKSTEP_MACHINE_LSU_LOCK_H

#include "machine/state/core.h"
#include "memory/message.h"

/* The addresses of the lanes' locks. */
void lock_addresses(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask lanes);

/* What a lane asked for last. */
struct lock_wait {
	uint64_t address;
	uint64_t deadline; /* of a try_lock_for that is going on */
	uint32_t pc;
};
/* The lanes that have asked for locks and are not answered; those and the ones whose last answer was no. */
lane_mask lock_lanes_asking(const struct core *core, const struct warp_slot *r);
lane_mask lock_lanes_waiting(const struct core *core, const struct warp_slot *r);
/* Null: the lane does not wait for a lock. */
const struct lock_wait *lock_wait_of(const struct core *core, const struct warp_slot *r, uint32_t lane);

#endif
