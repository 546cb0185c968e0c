/* Faults of kernels. */
#include "machine/core/fault.h"

#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
	const char *name, *kind;
} rows[FAULT_CAUSES] = {
#define FAULT(cause, kind, what) [FAULT_##cause] = {#cause, #kind},
#include "machine/core/faults.def"
#undef FAULT
};

const char *fault_name(enum fault_cause cause)
{
	assert(cause < FAULT_CAUSES);
	return rows[cause].name;
}

const char *fault_kind(enum fault_cause cause)
{
	assert(cause < FAULT_CAUSES);
	return rows[cause].kind;
}

void core_fault(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, enum fault_cause cause,
	const char *format, ...)
{
	struct finding *f = &core->finding;
	va_list list;

	if (core->stopped)
		return;
	core->stopped = true;
	f->found = true;
	f->launch = r->core_launch->launch;
	f->kernel = f->launch->kernel;
	f->cycle = core->now;
	f->kind = fault_kind(cause);
	f->cause = fault_name(cause);
	f->pc = launch_pc(f->launch, i); /* the warp may be further on by now */
	assert(f->pc < f->kernel->code_count);
	f->group = r->group->number;
	f->thread = r->warp.first_thread + lane;
	va_start(list, format);
	vsnprintf(f->message, sizeof f->message, format, list);
	va_end(list);
}
