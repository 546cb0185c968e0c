/* The phases of barriers that are open: see barrier_phases.h. */
#include "machine/observe/barrier_phases.h"

#include <assert.h>

static bool is_of(const struct barrier_phase *p, const struct group *group)
{
	assert(group->used);
	return (p->open.is_begun || p->open.number) && p->open.launch == group->launch &&
	       p->open.group == group->number;
}

static uint32_t place_of(const struct core *core, const struct group *group)
{
	assert(group >= core->groups.at && (size_t)(group - core->groups.at) < core->groups.count);
	return (uint32_t)(group - core->groups.at);
}

struct barrier_phase *barrier_phases_at(
	const struct core *core, const struct barrier_phases *phases, const struct group *group, uint32_t number)
{
	struct barrier_phase *of = phases->of[place_of(core, group)];

	assert(number < GROUP_BARRIERS);
	return of && is_of(&of[number], group) ? &of[number] : NULL;
}

struct barrier_phase *barrier_phases_come(struct core *core, struct arena *arena, struct barrier_phases *phases,
	const struct warp_slot *r, uint32_t number, lane_mask lanes)
{
	const struct group *group = r->group;
	struct barrier_phase **of = &phases->of[place_of(core, group)], *p;

	assert(number <= CLUSTER_BARRIER && lanes);
	if (!*of)
		*of = arena_new_array(arena, struct barrier_phase, GROUP_BARRIERS);
	p = &(*of)[number];
	if (!is_of(p, group))
		*p = (struct barrier_phase){.open = {.launch = group->launch,
						    .group = group->number,
						    .start = group->since < core->now ? group->since : core->now}};
	open_phase_come(&p->open, core->now, r->warp.path->pc);
	p->open.arrivals = number == CLUSTER_BARRIER ? p->open.arrivals + (uint32_t)__builtin_popcountll(lanes)
						     : group->barriers[number].arrived;
	p->last_warp = r->warp.first_thread / r->warp.lanes;
	p->live = group->live_threads;
	return p;
}

void barrier_phases_next(const struct core *core, struct barrier_phase *phase)
{
	assert(phase->open.is_begun);
	phase->idle = phase->open.first - phase->open.start;
	phase->filling = core->now - phase->open.first;
	open_phase_next(&phase->open, core->now);
}

bool barrier_phase_ends_by_exit(const struct barrier_phase *phase, const struct group *group, uint32_t number)
{
	assert(number < NAMED_BARRIERS && phase->live >= group->live_threads);
	return !group->barriers[number].expected && group->live_threads < phase->live;
}
