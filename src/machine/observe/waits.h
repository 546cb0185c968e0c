/* How long warps wait at barriers of work-groups and in fences, for --profile: of each instruction that is one, and of
 * accesses with a release.
 *
 * An observer beside profile.h, which keeps what it finds.  Each core adds to sites of its own; they are merged when
 * the result of the launch is made, and equal waits are ordered by group and thread: so it does not depend on the
 * number of threads. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_WAITS_H
#define LOCKSTEP_MACHINE_OBSERVE_WAITS_H

#include "machine/observe/profile.h"

#include <stdint.h>

struct wait_site {
	uint32_t pc;
	uint64_t phases;        /* of a barrier: those that a warp ended which came here */
	uint64_t idle, filling; /* of these: cycles until the first thread came, and from there to the end */
	uint64_t waits;         /* of a barrier: those of warps that are over */
	uint64_t fences;        /* that are over */
	uint64_t waited;        /* warp cycles */
	uint64_t worst;         /* cycles that the warp waited that waited longest */
	uint32_t worst_group, worst_thread; /* which it is, by its first thread, flat */
	uint64_t awaited[AWAITED];          /* of `waited`, in fences */
	uint64_t missed;                    /* likewise, those whose last answer the L2 did not have */
	uint64_t fixed;      /* warp cycles that a fence takes once all is answered; turns are not in it */
	uint64_t emptied;    /* fences that have emptied the L1 */
	uint64_t last_times; /* once merged: what is the most in `last`, */
	uint32_t last_warp;  /* and of which warp */
	uint64_t *last;      /* barriers: of each warp of a group, how often it ended a phase; null: it never waits */
};

/* Of a core's part of a launch, and of a launch: in the order of pcs. */
struct waits {
	struct waits *next; /* of another core; of a launch: of the first core */
	uint32_t count;
	struct wait_site *sites;
	struct wait_site **at; /* of a core's: by pc; null: none is known to wait there */
};

/* Of a launch, once summed up: without the sites where nothing has been. */
static inline struct waits *profile_waits(const struct launch_profile *profile)
{
	return profile->part[PROFILE_PART_waits];
}

#endif
