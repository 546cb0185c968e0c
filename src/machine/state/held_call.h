/* A call of a function that the machine provides, served between quanta (runtime/held_call.h). */
#ifndef LOCKSTEP_MACHINE_STATE_HELD_CALL_H
#define LOCKSTEP_MACHINE_STATE_HELD_CALL_H

#include "warp/warp.h"

struct warp_slot;

struct held_call {
	uint64_t cycle; /* in which it was made */
	struct warp_slot *slot;
	const struct insn *insn;
	lane_mask lanes;
};

#endif
