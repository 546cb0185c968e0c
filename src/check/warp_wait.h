/* Lanes that wait for others of their warp: at bar.warp.sync, a shuffle, a vote, a match or a reduction, for the lanes
 * that its member mask names; or at an operation on matrices, for all. */
#ifndef LOCKSTEP_CHECK_WARP_WAIT_H
#define LOCKSTEP_CHECK_WARP_WAIT_H

#include "check/thread.h"

struct warp_wait {
	uint32_t pc;       /* of the instruction */
	bool has_mask;     /* it has one, and its value is known */
	uint32_t mask;     /* as the program gives it: of the upper half of a warp of 64 lanes, for that half */
	lane_mask missing; /* lanes that it waits for: they live, and have not arrived with the same members */
	lane_mask ended;   /* members that it no longer waits for */
};

/* False: the thread does not wait so. */
bool warp_wait_of(const struct thread *t, struct warp_wait *wait);

#endif
