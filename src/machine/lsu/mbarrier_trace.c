/* What each warp has done at mbarriers: see mbarrier_trace.h. */
#include "machine/lsu/mbarrier_trace.h"

#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>

struct mbarrier_traces {
	const struct group *places; /* the core's */
	uint32_t count;
	/* Each place's warps; null: none of that number has been there.  Null as a whole while no warp of the core has
	 * done anything at mbarriers. */
	struct mbarrier_trace *(*of)[CORE_WARPS];
};

struct mbarrier_traces *mbarrier_traces_create(const struct core *core, struct arena *arena)
{
	struct mbarrier_traces *traces = arena_new(arena, struct mbarrier_traces);

	assert(core->groups.count);
	traces->places = core->groups.at;
	traces->count = core->groups.count;
	return traces;
}

static uint32_t warp_of(const struct warp_slot *r)
{
	assert(r->warp.first_thread / r->warp.lanes < CORE_WARPS);
	return r->warp.first_thread / r->warp.lanes;
}

static bool is_of(const struct mbarrier_trace *trace, const struct group *group)
{
	assert(group->used);
	return trace && trace->launch == group->launch && trace->group == group->number;
}

static struct mbarrier_trace *trace_at(struct core *core, const struct warp_slot *r)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];
	struct mbarrier_traces *traces = mbarrier_traces_of(core);
	struct mbarrier_trace **trace;

	assert(r->group >= traces->places && r->group < traces->places + traces->count);
	if (!traces->of)
		traces->of = arena_array(arena, traces->count, sizeof *traces->of);
	trace = &traces->of[r->group - traces->places][warp_of(r)];
	if (!*trace)
		*trace = arena_new(arena, struct mbarrier_trace);
	if (!is_of(*trace, r->group)) {
		(*trace)->launch = r->group->launch;
		(*trace)->group = r->group->number;
		(*trace)->count = 0;
	}
	return *trace;
}

void mbarrier_trace_add(struct core *core, const struct warp_slot *r, struct mbarrier_event what)
{
	struct mbarrier_trace *trace = trace_at(core, r);

	assert(what.lanes && !(what.lanes >> (r->warp.lanes - 1) >> 1));
	trace->at[trace->count++ % MBARRIER_EVENTS] = what;
}

void mbarrier_trace_credit(struct core *core, const struct group *group, uint32_t warp, struct mbarrier_event what)
{
	const struct mbarrier_traces *traces = mbarrier_traces_of(core);
	struct mbarrier_trace *trace = traces->of[group - traces->places][warp];

	assert(warp < CORE_WARPS && is_of(trace, group));
	trace->at[trace->count++ % MBARRIER_EVENTS] = what;
}

void mbarrier_trace_move(struct core *core, const struct group *group, uint32_t warp, uint32_t k, uint32_t rank)
{
	struct mbarrier_trace *trace = mbarrier_traces_of(core)->of[group - mbarrier_traces_of(core)->places][warp];
	struct mbarrier_event *e = &trace->at[(trace->count - mbarrier_events(trace) + k) % MBARRIER_EVENTS];

	assert(is_of(trace, group) && k < mbarrier_events(trace));
	assert(e->step == STEP_ARRIVED);
	e->rank = (uint8_t)rank;
	e->ranks = (uint16_t)(1u << rank);
}

const struct mbarrier_trace *mbarrier_trace_of(const struct core *core, const struct group *group, uint32_t warp)
{
	const struct mbarrier_traces *traces = mbarrier_traces_of(core);
	const struct mbarrier_trace *trace = traces->of ? traces->of[group - traces->places][warp] : NULL;

	assert(warp < CORE_WARPS);
	return is_of(trace, group) ? trace : NULL;
}

int mbarrier_last_passed(const struct mbarrier_trace *trace, const struct warp_slot *r, uint32_t lane,
	const uint32_t *from, uint32_t count)
{
	uint32_t own = launch_cluster_rank(r->warp.launch, r->warp.group);

	assert(lane < r->warp.lanes);
	assert(from && count);
	for (uint32_t k = trace ? mbarrier_events(trace) : 0; k > 0; k--) {
		const struct mbarrier_event *e = mbarrier_event(trace, k - 1);

		for (uint32_t j = 0; j < count && e->step == STEP_PASSED && e->rank == own && e->lanes >> lane & 1; j++)
			if (from[j] == e->offset)
				return (int)j;
	}
	return -1;
}
