/* Stack allocation of variable size: alloca, stacksave, stackrestore. */
#ifndef LOCKSTEP_MACHINE_CORE_DYNAMIC_STACK_H
#define LOCKSTEP_MACHINE_CORE_DYNAMIC_STACK_H

#include "machine/state/core.h"

/* A new warp: nothing is taken. */
void dynamic_stack_start(struct warp *w);
/* Whether a call to `target` leaves the calling lanes' allocations whole. */
bool dynamic_stack_has_room(const struct warp *w, const struct insn *call, lane_mask lanes, uint32_t target);
/* The lanes have entered a function: what they take from now on is free again when they return. */
void dynamic_stack_enter(struct warp *w, lane_mask lanes);

#endif
