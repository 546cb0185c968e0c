/* The state that decides a warp's next steps, apart from memory that others can change: two warps with the same bytes
 * here continue alike. */
#ifndef LOCKSTEP_MACHINE_CORE_WARP_STATE_H
#define LOCKSTEP_MACHINE_CORE_WARP_STATE_H

#include "machine/state/core.h"

#define STATE_PIECES 8

struct piece {
	void *at;
	size_t bytes;
};

/* Registers, predicates, local memory, divergence state: fills `piece` and returns how many there are. */
uint32_t state_pieces(const struct core *core, struct warp_slot *r, struct piece piece[STATE_PIECES]);

#endif
