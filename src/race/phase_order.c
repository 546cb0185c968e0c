/* What the threads of a work-group know of each other's looks at mbarriers. */
#include "race/phase_parts.h"

#include <string.h>

/* ---- Clocks ---- */

void phase_add(struct phases *phases, vector_clock *into, vector_clock other)
{
	assert(phases->clocks.arena);
	*into = clock_join(&phases->clocks, *into, other);
}

void phase_drop(struct phases *phases, vector_clock *clock)
{
	clock_drop(&phases->clocks, *clock);
	*clock = CLOCK_NOTHING;
}

/* The clock with the moment for these lanes of the warp; takes over the reference. */
static vector_clock with_lanes(
	struct phases *phases, vector_clock clock, uint32_t first, lane_mask lanes, uint32_t moment)
{
	assert(moment);
	while (lanes) {
		uint32_t from = (uint32_t)__builtin_ctzll(lanes);
		lane_mask rest = ~(lanes >> from);
		uint32_t count = rest ? (uint32_t)__builtin_ctzll(rest) : 64;

		clock = clock_set(&phases->clocks, clock, first + from, count, moment);
		lanes &= from + count >= 64 ? 0 : ~(lane_mask)0 << (from + count);
	}
	return clock;
}

/* ---- Parts of a warp ---- */

/* Lanes that go together know the same at once. */
static lane_mask together(const struct phases_at *at)
{
	assert(!(at->lanes & ~lanes_of(at->group, at->warp)));
	return at->group->shape.lockstep ? lanes_of(at->group, at->warp) : at->lanes;
}

static void forget_parts(struct phases *phases, struct phase_warp *warp)
{
	assert(warp->parts.count <= 64);
	for (uint32_t k = 0; k < warp->parts.count; k++)
		clock_drop(&phases->clocks, warp->parts.at[k].knows);
	warp->parts.count = 0;
}

/* The warp knows nothing but what all know. */
static void begin_warp(struct phases *phases, const struct phases_group *group, uint32_t number)
{
	struct phase_warp *warp = &group->warp[number];

	forget_parts(phases, warp);
	*vector_push(phases->arena, &warp->parts) = (struct part){.lanes = lanes_of(group, number)};
	assert(warp->parts.count == 1);
}

void phase_split(struct phases *phases, const struct phases_at *at)
{
	struct phase_warp *warp = &at->group->warp[at->warp];
	uint32_t count = warp->parts.count;

	assert(count);
	for (uint32_t k = 0; k < count; k++) {
		struct part inside = warp->parts.at[k];

		inside.lanes &= at->lanes;
		if (!inside.lanes || inside.lanes == warp->parts.at[k].lanes)
			continue;
		warp->parts.at[k].lanes &= ~at->lanes;
		clock_keep(inside.knows);
		*vector_push(phases->arena, &warp->parts) = inside;
	}
}

static bool is_same(const struct part *a, const struct part *b)
{
	assert(!(a->lanes & b->lanes));
	return a->knows == b->knows && a->looked == b->looked && a->apart == b->apart;
}

/* Parts that have come to know the same become one. */
static void unite(struct phases *phases, struct phase_warp *warp)
{
	assert(warp->parts.count);
	for (uint32_t k = 0; k < warp->parts.count; k++)
		for (uint32_t n = k + 1; n < warp->parts.count;) {
			if (!is_same(&warp->parts.at[k], &warp->parts.at[n])) {
				n++;
				continue;
			}
			warp->parts.at[k].lanes |= warp->parts.at[n].lanes;
			clock_drop(&phases->clocks, warp->parts.at[n].knows);
			warp->parts.at[n] = warp->parts.at[--warp->parts.count];
		}
}

vector_clock phase_given(struct phases *phases, const struct phases_at *at)
{
	const struct phase_warp *warp = &at->group->warp[at->warp];
	vector_clock all = CLOCK_NOTHING;

	assert(warp->parts.count);
	for (uint32_t k = 0; k < warp->parts.count; k++) {
		const struct part *part = &warp->parts.at[k];
		lane_mask inside = part->lanes & together(at);
		vector_clock own = CLOCK_NOTHING;

		if (!inside)
			continue;
		if (part->apart)
			own = with_lanes(
				phases, clock_keep(part->knows), first_of(at->group, at->warp), inside, part->looked);
		phase_add(phases, &all, part->apart ? own : part->knows);
		clock_drop(&phases->clocks, own);
	}
	return all;
}

void phase_learn(struct phases *phases, const struct phases_at *at, vector_clock clock)
{
	struct phase_warp *warp = &at->group->warp[at->warp];
	struct phases_at all = *at;

	if (clock == CLOCK_NOTHING)
		return;
	all.lanes = together(at);
	assert(all.lanes);
	phase_split(phases, &all);
	for (uint32_t k = 0; k < warp->parts.count; k++)
		if (warp->parts.at[k].lanes & all.lanes)
			phase_add(phases, &warp->parts.at[k].knows, clock);
	unite(phases, warp);
	assert(warp->parts.count);
}

void phases_meet(struct phases *phases, const struct phases_at *at)
{
	struct phase_warp *warp = &at->group->warp[at->warp];
	struct part met = {.lanes = at->lanes};

	assert(at->lanes);
	for (uint32_t k = 0; k < warp->parts.count; k++)
		if (!(at->lanes & ~warp->parts.at[k].lanes) && !warp->parts.at[k].apart)
			return;
	phase_split(phases, at);
	met.knows = phase_given(phases, at);
	for (uint32_t k = 0; k < warp->parts.count;) {
		struct part *part = &warp->parts.at[k];

		if (!(part->lanes & at->lanes)) {
			k++;
			continue;
		}
		met.looked = part->looked > met.looked ? part->looked : met.looked;
		clock_drop(&phases->clocks, part->knows);
		*part = warp->parts.at[--warp->parts.count];
	}
	*vector_push(phases->arena, &warp->parts) = met;
	assert(met.looked <= at->group->moment);
}

void phase_looked(struct phases *phases, const struct phases_at *at)
{
	struct phase_warp *warp = &at->group->warp[at->warp];

	assert(at->group->moment);
	phase_split(phases, at);
	for (uint32_t k = 0; k < warp->parts.count; k++)
		if (warp->parts.at[k].lanes & at->lanes) {
			warp->parts.at[k].looked = at->group->moment;
			warp->parts.at[k].apart = true;
		}
	unite(phases, warp);
	if (at->group->shape.lockstep)
		phases_meet(phases, &(struct phases_at){.group = at->group, .warp = at->warp, .lanes = together(at)});
}

/* ---- Barriers ---- */

void phases_arrive(struct phases *phases, const struct phases_at *at, uint32_t barrier, bool waits)
{
	struct phase_barrier *b = &at->group->barrier[barrier];
	vector_clock given;

	assert(barrier < sizeof at->group->barrier / sizeof *at->group->barrier);
	if (waits) { /* what it knows stays as it is until the barrier opens */
		at->group->warp[at->warp].waits[barrier] |= together(at);
		return;
	}
	given = phase_given(phases, at);
	phase_add(phases, &b->arrived, given);
	clock_drop(&phases->clocks, given);
}

/* All threads know all that there is. */
static void know_all(struct phases *phases, struct phases_group *group)
{
	group->floor = group->moment;
	for (uint32_t w = 0; w < group->shape.warps; w++)
		begin_warp(phases, group, w);
	for (uint32_t k = 0; k < group->objects.count; k++) {
		struct phase_object *o = &group->objects.at[k];

		o->known = o->most;
		phase_drop(phases, &o->pending);
		phase_drop(phases, &o->over[0]);
		phase_drop(phases, &o->over[1]);
	}
	assert(group->floor <= group->moment);
}

/* Those that wait know what all know that have come. */
static void know_others(struct phases *phases, struct phases_group *group, uint32_t barrier)
{
	vector_clock all = clock_keep(group->barrier[barrier].arrived);

	assert(barrier < sizeof group->barrier / sizeof *group->barrier);
	for (uint32_t w = 0; w < group->shape.warps; w++) {
		struct phases_at at = {.group = group, .warp = w, .lanes = group->warp[w].waits[barrier]};
		vector_clock given = at.lanes ? phase_given(phases, &at) : CLOCK_NOTHING;

		phase_add(phases, &all, given);
		clock_drop(&phases->clocks, given);
	}
	for (uint32_t w = 0; w < group->shape.warps; w++) {
		struct phases_at at = {.group = group, .warp = w, .lanes = group->warp[w].waits[barrier]};

		if (!at.lanes)
			continue;
		phases_meet(phases, &at);
		phase_learn(phases, &at, all);
	}
	assert(group->shape.warps);
	clock_drop(&phases->clocks, all);
}

void phases_open(struct phases *phases, struct phases_group *group, uint32_t barrier)
{
	struct phase_barrier *b = &group->barrier[barrier];
	bool all = true;

	assert(barrier < sizeof group->barrier / sizeof *group->barrier);
	for (uint32_t w = 0; w < group->shape.warps; w++)
		all &= group->warp[w].waits[barrier] == lanes_of(group, w);
	if (all)
		know_all(phases, group);
	else
		know_others(phases, group, barrier);
	for (uint32_t w = 0; w < group->shape.warps; w++)
		group->warp[w].waits[barrier] = 0;
	phase_drop(phases, &b->arrived);
}

/* ---- All that has happened ---- */

vector_clock phase_all(struct phases *phases, struct phases_group *group)
{
	vector_clock all = CLOCK_NOTHING;

	for (uint32_t w = 0; w < group->shape.warps; w++)
		for (uint32_t k = 0; k < group->warp[w].parts.count; k++) {
			const struct part *part = &group->warp[w].parts.at[k];

			assert(part->looked <= group->moment);
			if (part->looked > group->floor)
				all = with_lanes(phases, all, first_of(group, w), part->lanes, part->looked);
		}
	for (uint32_t k = 0; k < group->objects.count; k++) {
		const struct phase_object *o = &group->objects.at[k];

		assert(o->base);
		all = clock_set(&phases->clocks, all, entry_of(group, o), 1, o->most);
	}
	return all;
}

void phases_know_all(struct phases *phases, const struct phases_at *at)
{
	vector_clock all = phase_all(phases, at->group);

	assert(at->lanes);
	phase_learn(phases, at, all);
	clock_drop(&phases->clocks, all);
}

/* ---- Words ---- */

void phases_give(struct phases *phases, const struct phases_at *at, const uint64_t *word)
{
	assert(!(at->lanes & ~lanes_of(at->group, at->warp)));
	EACH_LANE(l, at->lanes) {
		struct phases_at one = {.group = at->group, .warp = at->warp, .lanes = (lane_mask)1 << l};
		vector_clock given = phase_given(phases, &one);
		uint64_t *clock;

		if (given == CLOCK_NOTHING)
			continue;
		clock = lookup_at(phases->arena, &at->group->words, word[l]);
		if (!*clock)
			*vector_push(phases->arena, &at->group->keys) = word[l];
		*clock = clock_join(&phases->clocks, (vector_clock)*clock, given);
		clock_drop(&phases->clocks, given);
	}
}

void phases_get(struct phases *phases, const struct phases_at *at, const uint64_t *word)
{
	assert(!(at->lanes & ~lanes_of(at->group, at->warp)));
	if (!at->group->words.count)
		return;
	EACH_LANE(l, at->lanes) {
		struct phases_at one = {.group = at->group, .warp = at->warp, .lanes = (lane_mask)1 << l};

		phase_learn(phases, &one, (vector_clock)lookup_get(&at->group->words, word[l]));
	}
}

/* ---- Groups ---- */

void phase_begin(struct phases *phases, struct phases_group *group)
{
	assert(!group->moment);
	for (uint32_t w = 0; w < group->shape.warps; w++) {
		begin_warp(phases, group, w);
		memset(group->warp[w].waits, 0, sizeof group->warp[w].waits);
		group->warp[w].states.list.count = group->warp[w].seen.list.count = 0;
	}
}

void phase_end(struct phases *phases, struct phases_group *group)
{
	for (uint32_t w = 0; w < group->shape.warps; w++)
		forget_parts(phases, &group->warp[w]);
	for (uint32_t b = 0; b < sizeof group->barrier / sizeof *group->barrier; b++)
		phase_drop(phases, &group->barrier[b].arrived);
	for (uint32_t k = 0; k < group->keys.count; k++)
		clock_drop(&phases->clocks, (vector_clock)lookup_get(&group->words, group->keys.at[k]));
	group->keys.count = 0;
	lookup_clear(&group->words);
	assert(!group->words.count);
}
