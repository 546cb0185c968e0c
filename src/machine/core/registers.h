/* setmaxnreg: the registers that warps of a work-group give back and ask for. */
#ifndef LOCKSTEP_MACHINE_CORE_REGISTERS_H
#define LOCKSTEP_MACHINE_CORE_REGISTERS_H

#include "machine/state/core.h"

/* Of a group that begins: each of its warps has so many registers for each thread. */
void registers_begin(struct core *core, struct group *group, uint32_t each);
/* Whether the warp waits for registers. */
static inline bool registers_awaited(const struct warp_slot *r)
{
	return r->waiting_lanes[REGISTER_WAIT] != 0;
}
/* Whether the instruction gives a warp that has `has` registers a thread the `count` that it asks for: .inc at least as
 * many as before, .dec at most.  Else the ISA calls it undefined, and it does nothing. */
static inline bool registers_are_given(const struct insn *i, uint32_t has, uint32_t count)
{
	return i->op == OP_setmaxnreg_inc ? count >= has : count <= has;
}
/* Between quanta: warps of the group get all that they ask for, now and from now on.  False: none waits. */
bool registers_give_all(struct core *core, struct group *group);

#endif
