/* Calls of CUDA's device runtime that last until something happens. */
#ifndef LOCKSTEP_MACHINE_RUNTIME_DEVICE_CALL_H
#define LOCKSTEP_MACHINE_RUNTIME_DEVICE_CALL_H

#include "machine/gpu/children.h"

/* What the warp waits for has ended. */
void device_call_over(const struct child_wait *wait);

/* Between quanta: whether the warp waits for what its group has launched. */
static inline bool device_call_waits(const struct warp_slot *r)
{
	const struct insn *i = &r->warp.kernel->code[r->warp.path->pc];

	return r->held && r->warp.path->active && i->kind == INSN_DEVICE && i->component == DEVICE_WAIT;
}

#endif
