/* The timeline file of a GPU: what the machine tells of, drawn in it, and its end. */
#include "api/api.h"

#include "report/trace.h"

#include <stdio.h>

static void draw(void *context, const struct timeline_event *e)
{
	static const enum trace_wait waits[] = {[TIMELINE_BARRIER] = TRACE_BARRIER,
		[TIMELINE_LOCK_HELD] = TRACE_LOCK_HELD,
		[TIMELINE_LOCK_WAITING] = TRACE_LOCK_WAITING};
	struct lockstep *lockstep = context;
	char name[64], address[24];
	struct trace_argument arguments[2] = {{.name = "work-group", .number = e->group}};

	if (!lockstep->trace)
		return; /* the file is complete: the process ends */
	if (!lockstep->trace_named[e->core]) {
		lockstep->trace_named[e->core] = true;
		trace_core(lockstep->trace, e->core, lockstep->gpu.model->schedulers);
	}
	snprintf(name, sizeof name, "warp %u", e->warp);
	if (e->kind == TIMELINE_ISSUE) {
		arguments[1] = (struct trace_argument){.name = "instructions", .number = e->detail};
		trace_slice(lockstep->trace, e->core, e->lane, name, e->start, e->end, arguments, 2);
		return;
	}
	snprintf(address, sizeof address, "0x%llx", (unsigned long long)e->detail);
	arguments[1] = (struct trace_argument){.name = "address", .text = address};
	trace_span(lockstep->trace, e->core, waits[e->kind], e->lane, name, e->start, e->end, arguments,
		e->kind == TIMELINE_BARRIER ? 1 : 2);
}

void api_open_timeline(struct lockstep *lockstep, const char *file, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;

	lockstep->trace = trace_open(&lockstep->arena, file, diagnostic);
	lockstep->trace_named = arena_new_array(&lockstep->arena, bool, gpu->model->core_count);
	lockstep->sink = (struct timeline_sink){.context = lockstep, .event = draw};
	gpu->observe[OBSERVER_timeline] = &lockstep->sink;
}

bool lockstep_end_trace(struct lockstep *lockstep, struct lockstep_error *error)
{
	struct diagnostic diagnostic = {0};
	struct trace *trace = lockstep->trace;

	lockstep->trace = NULL;
	return !trace || trace_close(trace, &diagnostic) || api_fail(error, &diagnostic);
}
