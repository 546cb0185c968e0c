/* Faults of kernels. */
#include "machine/core/fault.h"

#include "machine/gpu/launch_state.h"
#include "machine/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void core_fault(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, const char *cause,
	const char *format, ...)
{
	struct finding *f = &core->finding;
	va_list list;

	if (core->stopped)
		return;
	core->stopped = true;
	f->found = true;
	f->launch = r->core_launch->launch;
	f->cycle = core->now;
	f->kind = !strcmp(cause, "trap") || !strcmp(cause, "assert") ? cause : "fault";
	f->cause = cause;
	f->pc = launch_pc(f->launch, i); /* the warp may be further on by now */
	f->group = r->group->number;
	f->thread = r->warp.first_thread + lane;
	va_start(list, format);
	vsnprintf(f->message, sizeof f->message, format, list);
	va_end(list);
}
