/* What each warp has done at named barriers: see barrier_trace.h. */
#include "machine/core/barrier_trace.h"

#include "machine/state/machine.h"

#include <assert.h>

static bool is_of(const struct barrier_trace *trace, const struct group *group)
{
	assert(group->used);
	return trace && trace->launch == group->launch && trace->group == group->number;
}

static struct barrier_trace *trace_at(struct core *core, struct group *group, uint32_t warp)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];
	struct barrier_trace **trace;

	assert(warp < CORE_WARPS);
	if (!group->barrier_traces)
		group->barrier_traces = arena_new_array(arena, struct barrier_trace *, CORE_WARPS);
	trace = &group->barrier_traces[warp];
	if (!*trace)
		*trace = arena_new(arena, struct barrier_trace);
	if (!is_of(*trace, group))
		**trace = (struct barrier_trace){.launch = group->launch, .group = group->number};
	return *trace;
}

void barrier_trace_add(struct core *core, struct group *group, uint32_t warp, struct barrier_event what)
{
	struct barrier_trace *trace = trace_at(core, group, warp);

	assert(what.number < NAMED_BARRIERS);
	assert(what.count);
	trace->at[trace->count++ % BARRIER_EVENTS] = what;
	(what.waits ? trace->waits : trace->arrivals)[what.number]++;
	trace->has_waited |= what.waits;
	trace->first[what.number] += !trace->has_waited;
}

void barrier_trace_credit(struct core *core, struct group *group, uint32_t warp, struct barrier_event what)
{
	struct barrier_trace *trace = trace_at(core, group, warp);
	struct barrier_event *last;

	assert(!what.waits);
	barrier_trace_add(core, group, warp, what);
	last = &trace->at[(trace->count - 2) % BARRIER_EVENTS];
	if (trace->count < 2 || !last->waits || barrier_was_passed(group, last))
		return;
	trace->at[(trace->count - 1) % BARRIER_EVENTS] = *last;
	*last = what;
}

const struct barrier_trace *barrier_trace_of(const struct group *group, uint32_t warp)
{
	const struct barrier_trace *trace = group->barrier_traces ? group->barrier_traces[warp] : NULL;

	assert(warp < CORE_WARPS);
	return is_of(trace, group) ? trace : NULL;
}
