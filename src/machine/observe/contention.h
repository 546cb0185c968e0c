/* How lanes wait for locks, for --profile: of each lock word that lanes were seen to try for, by the ledger of locks
 * (locks.h): atomics in test-and-set loops, and lock instructions.  A word of shared memory is a lock of each
 * work-group that has it; these are reported as one, by their place there.
 *
 * An observer beside profile.h, which keeps what it finds.  Cores write down what happens, and between quanta one
 * thread adds it up in the order of time, of one cycle in that of the cores; so it does not depend on the number of
 * threads. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_CONTENTION_H
#define LOCKSTEP_MACHINE_OBSERVE_CONTENTION_H

#include "machine/observe/profile.h"
#include "util/lookup.h"
#include "util/vector.h"

#include <stdbool.h>
#include <stdint.h>

/* An instruction that tries for a lock. */
struct contention_site {
	uint32_t pc;
	uint64_t acquires, failed; /* lanes */
};

/* Where a lock had been taken last before it was taken now. */
enum contention_from { FROM_SAME_WARP, FROM_SAME_CORE, FROM_OTHER_CORE, CONTENTION_FROM };

struct contended {
	uint64_t address;
	uint64_t acquires, failed;     /* lanes */
	uint64_t group_key;            /* a lock of shared memory: of which group, plus 1; else, and in the end, 0 */
	uint64_t groups;               /* in the end, of shared memory: work-groups that had it; else 0 */
	uint64_t queue, longest_queue; /* lanes that wait now, and at most at a time */
	uint64_t waited;               /* lane cycles, from a lane's first failed attempt to its success */
	uint64_t held;                 /* cycles, from taking to giving back */
	uint64_t handovers[CONTENTION_FROM]; /* acquires but the first */
	uint64_t worst;                      /* cycles that the lane waited that waited longest; 0: none has waited */
	uint32_t worst_group, worst_thread;  /* which is, flat */
	VECTOR(struct contention_site) sites;
	bool was_taken;
	uint32_t core, group, warp; /* the last that took it; the warp is its first thread */
};

/* Of a launch. */
struct contention {
	VECTOR(struct contended) locks; /* in the order of their first attempts */
	struct lookup places;           /* of each, plus one */
	uint32_t shared;                /* of them, in shared memory */
};

/* Once summed up, locks of shared memory are one for each place there. */
static inline struct contention *profile_contention(const struct launch_profile *profile)
{
	return profile->part[PROFILE_PART_contention];
}

#endif
