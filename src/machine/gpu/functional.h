/* The functional mode: the machine without time. */
#ifndef LOCKSTEP_MACHINE_GPU_FUNCTIONAL_H
#define LOCKSTEP_MACHINE_GPU_FUNCTIONAL_H

#include "machine/state.h"

/* As machine_run. */
struct launch *functional_run(struct machine *machine);
/* A ready warp runs up to and with one instruction that others may notice (an access to memory, a barrier), and on to
 * before the next one; at most `most` instructions.  Returns how many. */
uint32_t functional_step(struct core *core, struct warp_slot *r, uint32_t most);
/* Nothing runs but what sleeps or waits with a time limit: the time passes.  False: nothing does. */
bool functional_pass_time(struct machine *machine);

/* A load, a store or an atomic of a space that is written down, which needs nothing of the load-store unit. */
static inline bool functional_is_short(const struct insn *i)
{
	uint8_t space = i->access.space;

	if (i->kind != INSN_LOAD && i->kind != INSN_STORE && (i->kind != INSN_ATOMIC || i->access.elements > 1))
		return false;
	return !i->access.cluster &&
	       (space == space_GLOBAL || space == space_SHARED || space == space_PARAM || space == space_CONST);
}

#endif
