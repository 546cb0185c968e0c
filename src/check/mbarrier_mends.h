/* What may be wrong with the mbarriers of a launch that hangs, each with the change that would mend just that. */
#ifndef LOCKSTEP_CHECK_MBARRIER_MENDS_H
#define LOCKSTEP_CHECK_MBARRIER_MENDS_H

#include "check/cause.h"
#include "check/mbarrier_wait.h"

/* The bytes that the present phase of an object expects, and those that have come. */
struct mbarrier_bytes {
	uint64_t expected, come;
};
struct mbarrier_bytes mbarrier_bytes_of(const struct mbarrier_wait *wait);

/* Flat in the group. */
static inline uint32_t mbarrier_first_thread(const struct mbarrier_record *r)
{
	return r->thread + (uint32_t)__builtin_ctzll(r->lanes);
}

/* Adds to e->detail->mends what the state of the mbarriers that threads wait for suggests, the likeliest first.  True:
 * there is something, and *at and *wait are the thread whose wait suggests it, and that wait. */
bool mbarrier_mends(struct explanation *e, struct thread *at, struct mbarrier_wait *wait);
/* Adds what nothing suggests, but is to be tried if nothing else lets the launch complete without races. */
void mbarrier_mends_last(struct explanation *e);

#endif
