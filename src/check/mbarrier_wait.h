/* The mbarrier that a thread of a launch which hangs waits for, the phase that it means, and what is missing there. */
#ifndef LOCKSTEP_CHECK_MBARRIER_WAIT_H
#define LOCKSTEP_CHECK_MBARRIER_WAIT_H

#include "check/thread.h"
#include "machine/lsu/mbarrier_ledger.h"

#include "warp/mbarrier.h"

struct mbarrier_wait {
	uint32_t pc; /* of the test_wait or try_wait */
	uint64_t offset;
	bool odd, by_parity;
	struct mbarrier now;
	const struct mbarrier_object *object;
	/* The phase that the thread means: the first one of that parity behind those that it knows to be over, if it
	 * waits by parity; else the present one.  -1: the one "before the first". */
	int64_t means;
};

/* The lanes whose last look at an mbarrier was in vain: of no others mbarrier_wait_of is true. */
lane_mask mbarrier_lanes_waiting(const struct core *core, const struct warp_slot *r);
/* False: it waits for none, or for one that is not valid, or of which nothing is known. */
bool mbarrier_wait_of(const struct thread *t, struct mbarrier_wait *wait);
/* That phase is over, and so is the next one: the thread has missed it. */
static inline bool mbarrier_wait_is_lapped(const struct mbarrier_wait *wait)
{
	return wait->means < wait->object->phase;
}

#endif
