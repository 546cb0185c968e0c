/* How threads wait at mbarriers, for --profile: of each instruction that initialises some, what their phases took, and
 * who waited for them.
 *
 * An observer beside profile.h, which keeps what it finds.  Each core adds to sites of its own; they are merged when
 * the launch has ended, and equal waits are ordered by group and thread: so it does not depend on the number of
 * threads. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_MBARRIERS_H
#define LOCKSTEP_MACHINE_OBSERVE_MBARRIERS_H

#include "machine/observe/profile.h"
#include "util/vector.h"

#include <stdint.h>

/* An instruction that waits for objects of a site. */
struct mbarrier_wait {
	uint32_t pc;
	uint64_t passed;    /* times that a warp found the phase complete, */
	uint64_t waits;     /* and of them those when it had found it open before */
	uint64_t failed;    /* answers that it is open */
	uint64_t waited;    /* warp cycles, from the first look at an open phase until it is complete, or the warp looks
			     * elsewhere */
	uint64_t suspended; /* of all cycles those within try_wait */
	uint64_t worst;     /* cycles that the warp waited that waited longest */
	uint32_t worst_group, worst_thread; /* which it is, by its first thread, flat */
};

/* An instruction that initialises objects.  Times are cycles, summed over objects. */
struct mbarrier_site {
	uint32_t pc;
	uint64_t objects;                 /* initialisations */
	uint64_t lowest, highest;         /* offsets of objects in shared memory */
	uint64_t phases, arrivals, bytes; /* that are over; that came */
	uint64_t idle;        /* of these phases, until the first arrival or byte, or that one is expected */
	uint64_t filling;     /* and from there to the end */
	uint64_t ready, seen; /* from the end of a phase until a wait found it complete; how many were */
	uint64_t unseen;      /* phases that no wait had found complete when the next one was over */
	VECTOR(struct mbarrier_wait) waits;
};

/* Of a launch, in the order of pcs once it has ended; so are the waits. */
struct mbarriers {
	VECTOR(struct mbarrier_site) sites;
};

static inline struct mbarriers *profile_mbarriers(const struct launch_profile *profile)
{
	return profile->part[PROFILE_PART_mbarriers];
}

#endif
