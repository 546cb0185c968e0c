/* Observers watch instructions and change nothing.
 *
 * They cost nothing when absent: a launch that has one runs a copy of the code in which every instruction's kind is
 * INSN_OBSERVED, whose case calls the observers and then carries out the original. */
#ifndef LOCKSTEP_WARP_OBSERVER_H
#define LOCKSTEP_WARP_OBSERVER_H

#include "warp/warp.h"

struct observer {
	void *context;
	/* Before the instruction takes effect; `lanes` are active with a true guard, and may be none.  w->now is the cycle. */
	void (*issue)(void *context, const struct warp *w, const struct insn *i, lane_mask lanes);
};

#endif
