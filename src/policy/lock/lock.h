/* Lock units: what answers the lock instructions (paper 1). */
#ifndef LOCKSTEP_POLICY_LOCK_H
#define LOCKSTEP_POLICY_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lock_unit {
	const char *name, *summary;
	/* A divergence model that has entries for lanes that hold a lock, or try again, uses them; else a lock instruction is a
	 * compare-and-swap in a loop. */
	bool has_entries;
	/* Requests wait in the memory partition, and are answered when it is their turn; else they are atomics, answered at once, and
	 * the core tries again. */
	bool queues;
};

extern const struct lock_unit *const lock_units[]; /* null-terminated, from list.def */

#endif
