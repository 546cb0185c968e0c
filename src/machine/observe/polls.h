/* How warps wait for words of global memory that they poll, for --profile: barriers that a kernel makes of such words,
 * flags, tickets.  Found by the loops that only poll (INSN_WAIT_BRANCH).
 *
 * An observer beside profile.h, which keeps what it finds.  Cores write down waits that begin and end, and writes to
 * words that some warp has been seen to wait for; between quanta one thread adds them up in the order of time, of one
 * cycle in that of the cores; so it does not depend on the number of threads. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_POLLS_H
#define LOCKSTEP_MACHINE_OBSERVE_POLLS_H

#include "machine/observe/profile.h"
#include "util/lookup.h"
#include "util/vector.h"

#include <stdbool.h>
#include <stdint.h>

#define POLL_WRITERS 256 /* of a site: of the first ones it is counted how often they came last */

/* A warp that wrote the word last before waiters went on, and how often. */
struct poll_writer {
	uint32_t group, warp; /* flat; its first thread */
	uint64_t times;
};

/* An instruction that polls. */
struct poll_site {
	uint32_t pc;
	uint64_t phases;                    /* times that waiters of a word began to go on */
	uint64_t waited;                    /* warp cycles, from the first poll in vain to the last poll */
	uint64_t words;                     /* that were waited for there */
	uint64_t worst;                     /* cycles that the warp waited that waited longest */
	uint32_t worst_group, worst_thread; /* which it is */
	VECTOR(struct poll_writer) writers;
};

struct polled_word {
	uint64_t address;
	uint64_t opened; /* cycle in which the first waiter of the current phase went on */
	uint32_t sites;  /* bits: of the first so many, those where it has been waited for */
	bool was_opened, is_written;
	uint32_t group, warp; /* that wrote it last */
};

/* Of a launch. */
struct polls {
	VECTOR(struct polled_word) words;
	struct lookup places;     /* by address, plus one */
	uint64_t lowest, highest; /* addresses of the words */
	VECTOR(struct poll_site) sites;
};

static inline struct polls *profile_polls(const struct launch_profile *profile)
{
	return profile->part[PROFILE_PART_polls];
}

#endif
