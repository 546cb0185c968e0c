/* Waits for phases of mbarriers: see phases.h. */
#include "race/phase_parts.h"

#include <assert.h>

/* ---- Objects ---- */

/* Null: it was not initialised. */
static struct phase_object *object_at(const struct phases_group *group, uint64_t offset)
{
	assert(group->shape.warps);
	for (uint32_t k = 0; k < group->objects.count; k++)
		if (group->objects.at[k].offset == offset)
			return &group->objects.at[k];
	return NULL;
}

static void forget(struct phases *phases, struct phase_object *o)
{
	phase_drop(phases, &o->pending);
	phase_drop(phases, &o->over[0]);
	phase_drop(phases, &o->over[1]);
	o->by[0] = o->by[1] = (struct completion){0};
	assert(o->pending == CLOCK_NOTHING);
}

static void forget_looks(struct phases_group *group, const struct phase_object *o)
{
	uint32_t kept = 0, number = (uint32_t)(o - group->objects.at);

	assert(number < group->objects.count);
	for (uint32_t k = 0; k < group->looks.count; k++)
		if (group->looks.at[k].object != number)
			group->looks.at[kept++] = group->looks.at[k];
	group->looks.count = kept;
}

/* Lanes of `at` that name the same object as the first; that object. */
static struct phase_object *same_object(struct phases_at *at, const uint64_t *object)
{
	uint64_t offset = object[__builtin_ctzll(at->lanes)];
	lane_mask same = 0;

	assert(at->lanes);
	EACH_LANE(l, at->lanes)
		same |= (lane_mask)(object[l] == offset) << l;
	at->lanes = same;
	return object_at(at->group, offset);
}

/* What is known of the object with this clock. */
static uint32_t entry_known(const struct phases_group *group, const struct phase_object *o, vector_clock clock)
{
	uint32_t entry = clock == CLOCK_NOTHING ? 0 : clock_at(clock, entry_of(group, o));

	assert(entry <= o->most);
	return o->known > entry ? o->known : entry;
}

/* So many phases are complete when that is which a thread with this clock waits for by parity.  False: it does not
 * even know of the object. */
static bool means(
	const struct phases_group *group, const struct phase_object *o, vector_clock clock, bool odd, uint32_t *done)
{
	uint32_t entry = entry_known(group, o, clock), known = entry - o->base;

	assert(o->base);
	*done = known + ((known & 1) == odd);
	return entry >= o->base;
}

/* Those of the lanes that know the same as the first, and are in `odd` if that is. */
static lane_mask alike(const struct phases_at *at, lane_mask odd, vector_clock *knows)
{
	const struct phase_warp *warp = &at->group->warp[at->warp];
	lane_mask first = at->lanes & -at->lanes, same = at->lanes & (first & odd ? odd : ~odd);
	uint32_t k = 0;

	assert(first);
	while (!(warp->parts.at[k].lanes & first))
		k++;
	assert(k < warp->parts.count);
	*knows = warp->parts.at[k].knows;
	return same & warp->parts.at[k].lanes;
}

/* The lanes know so much of the object. */
static void know_object(struct phases *phases, const struct phases_at *at, struct phase_object *o, uint32_t entry)
{
	vector_clock known = clock_set(&phases->clocks, CLOCK_NOTHING, entry_of(at->group, o), 1, entry);

	assert(entry >= o->base);
	o->most = entry > o->most ? entry : o->most;
	phase_learn(phases, at, known);
	clock_drop(&phases->clocks, known);
}

void phases_object(struct phases *phases, const struct phases_at *at, const uint64_t *object)
{
	EACH_LANE(l, at->lanes) {
		struct phases_at one = {.group = at->group, .warp = at->warp, .lanes = (lane_mask)1 << l};
		struct phase_object *o = object_at(at->group, object[l]);

		if (!o)
			o = vector_push(phases->arena, &at->group->objects);
		forget_looks(at->group, o);
		forget(phases, o);
		o->offset = object[l];
		o->base = o->most + 1;
		o->done = 0;
		o->starting++;
		assert(o->base > o->known);
		know_object(phases, &one, o, o->base);
	}
}

void phases_begun(const struct phases_at *at, const uint64_t *object)
{
	EACH_LANE(l, at->lanes) {
		struct phase_object *o = object_at(at->group, object[l]);

		assert(o);
		assert(o->starting);
		o->starting--;
	}
}

/* ---- Marks ---- */

static void unmark(struct phase_marks *marks, const struct phases_at *at, const struct phase_object *o)
{
	uint32_t number = (uint32_t)(o - at->group->objects.at);

	assert(number < at->group->objects.count);
	for (uint32_t k = 0; k < marks->list.count;) {
		struct phase_mark *m = &marks->list.at[k];

		m->lanes &= m->object == number ? ~at->lanes : ~(lane_mask)0;
		if (m->lanes)
			k++;
		else
			*m = marks->list.at[--marks->list.count];
	}
}

static bool is_now(const struct phase_mark *m, const struct phases_at *at, const struct phase_object *o, uint32_t done)
{
	assert(m->lanes);
	return m->object == (uint32_t)(o - at->group->objects.at) && m->base == o->base && m->done == done;
}

/* The lanes have done it now, in place of what they did to the object before. */
static void mark(
	struct phases *phases, struct phase_marks *marks, const struct phases_at *at, const struct phase_object *o)
{
	struct phase_mark *same = NULL;

	unmark(marks, at, o);
	for (uint32_t k = 0; k < marks->list.count; k++)
		if (is_now(&marks->list.at[k], at, o, o->done))
			same = &marks->list.at[k];
	if (!same)
		same = vector_push(phases->arena, &marks->list);
	assert(!(same->lanes & at->lanes));
	*same = (struct phase_mark){.object = (uint32_t)(o - at->group->objects.at),
		.base = o->base,
		.done = o->done,
		.lanes = same->lanes | at->lanes};
}

/* Those of the lanes that have done it when so many phases were complete. */
static lane_mask marked(
	const struct phase_marks *marks, const struct phases_at *at, const struct phase_object *o, uint32_t done)
{
	assert(at->lanes);
	for (uint32_t k = 0; k < marks->list.count; k++)
		if (is_now(&marks->list.at[k], at, o, done))
			return marks->list.at[k].lanes & at->lanes;
	return 0;
}

/* Those of the lanes that have got the same state of the object as the first; so many phases are complete when the
 * phase of that is.  False: it has got none, or another one than that by which it waits. */
static bool has_state(struct phases_at *at, const struct phase_object *o, bool odd, uint32_t *done)
{
	const struct phase_marks *states = &at->group->warp[at->warp].states;
	lane_mask first = at->lanes & -at->lanes;

	assert(first);
	for (uint32_t k = 0; k < states->list.count; k++) {
		const struct phase_mark *m = &states->list.at[k];

		if (!is_now(m, at, o, m->done) || !(m->lanes & first))
			continue;
		at->lanes &= m->lanes;
		*done = m->done + 1;
		return (m->done & 1) == odd;
	}
	at->lanes = first;
	return false;
}

/* ---- Arrivals ---- */

/* Each of the parts knows that the phase in progress has got an arrival; or the one after, if it knows of one in this:
 * that may be over when the new one is carried out. */
static void know_arrival(struct phases *phases, const struct phases_at *at, struct phase_object *o)
{
	struct phases_at part = *at;

	assert(at->lanes);
	for (lane_mask left = at->lanes; left; left &= ~part.lanes) {
		vector_clock knows;
		uint32_t entry;

		part.lanes = left;
		part.lanes = alike(&part, 0, &knows);
		entry = entry_known(at->group, o, knows);
		know_object(phases, &part, o, (entry > o->base + o->done ? entry : o->base + o->done) + 1);
	}
}

static void come(struct phases *phases, const struct phases_at *at, const uint64_t *object, bool arrives, bool gives)
{
	struct phases_at part = *at;

	assert(at->lanes);
	for (lane_mask left = at->lanes; left; left &= ~part.lanes) {
		struct phase_object *o;
		vector_clock given;

		part.lanes = left;
		o = same_object(&part, object);
		if (!o)
			continue;
		given = phase_given(phases, &part);
		phase_add(phases, &o->pending, given);
		clock_drop(&phases->clocks, given);
		if (gives)
			mark(phases, &part.group->warp[part.warp].states, &part, o);
		if (arrives)
			know_arrival(phases, &part, o);
	}
}

void phases_copy(struct phases *phases, const struct phases_at *at, const uint64_t *object)
{
	assert(!(at->lanes & (at->lanes - 1)));
	come(phases, at, object, false, false);
}

void phases_arrive_at(struct phases *phases, const struct phases_at *at, const uint64_t *object, bool gives)
{
	assert(at->warp < at->group->shape.warps);
	come(phases, at, object, true, gives);
}

void phases_arrive_outside(struct phases *phases, struct phases_group *group, uint64_t object)
{
	struct phase_object *o = object_at(group, object);
	vector_clock all = o ? phase_all(phases, group) : CLOCK_NOTHING;

	assert(!o || all != CLOCK_NOTHING);
	if (o)
		phase_add(phases, &o->pending, all);
	clock_drop(&phases->clocks, all);
}

/* ---- What is found ---- */

/* A wait for the phase before the `done`-th completes, and who completed the next one. */
static void tell(struct phases *phases, const struct phases_at *at, const struct phase_object *o, uint32_t done,
	enum found_cause cause)
{
	const struct phases_group *group = at->group;
	const struct completion *by = &o->by[(done + 1) & 1];
	bool is_known = by->done == done + 1;
	struct found_side side = {.kernel = group->shape.kernel,
		.pc = at->pc,
		.group = group->shape.number,
		.thread = first_of(group, at->warp),
		.launch = group->shape.launch,
		.lanes = at->lanes,
		.value = done - 1};
	struct found found = {.cause = cause,
		.side = {side, side},
		.places = is_known ? 2 : 1,
		.threads = is_known && by->lanes ? 2 : 1,
		.space = space_SHARED,
		.address = o->offset,
		.launch = group->shape.launch,
		.count = 1};

	assert(at->lanes);
	if (is_known) {
		found.side[1].pc = by->pc;
		found.side[1].thread = first_of(group, by->warp);
		found.side[1].lanes = by->lanes;
		found.side[1].value = done;
	}
	found_add(phases->found, &found);
}

/* ---- Looks ---- */

/* The phase that they ask for is over and the next one, too: they do not know of that, and wait for a later one. */
static void come_late(struct phases *phases, const struct phases_at *at, struct phase_object *o, uint32_t done)
{
	assert(o->done > done);
	assert(!o->starting);
	tell(phases, at, o, done, SYNC_LATE);
	know_object(phases, at, o, o->base + o->done); /* told once */
	unmark(&at->group->warp[at->warp].states, at, o);
}

/* Lanes that know the same wait until so many phases are complete, or at least ask by the parity of that; `certain`: by
 * parity they mean that.  Those that have found just that complete before may mean it again, or have forgotten to flip
 * the parity: that is not judged. */
static void look_alike(struct phases *phases, const struct phases_at *at, struct phase_object *o, bool odd,
	bool certain, uint32_t done)
{
	struct phases_at fresh = *at;
	struct phase_marks *seen = &at->group->warp[at->warp].seen;

	assert(!certain || (done & 1) != odd);
	fresh.lanes &= certain ? ~marked(seen, at, o, done) : 0;
	if (fresh.lanes && o->done > done)
		come_late(phases, &fresh, o, done);
	if ((o->done & 1) == odd)
		return;
	if (fresh.lanes && o->done == done)
		*vector_push(phases->arena, &at->group->looks) =
			(struct look){.object = (uint32_t)(o - at->group->objects.at),
				.warp = at->warp,
				.pc = at->pc,
				.moment = at->group->moment,
				.lanes = fresh.lanes};
	mark(phases, seen, at, o);
	phase_learn(phases, at, o->over[o->done & 1]);
	phase_looked(phases, at);
}

void phases_look(
	struct phases *phases, const struct phases_at *at, const uint64_t *object, const struct phases_asked *asked)
{
	struct phases_at part = *at;

	assert(!((asked->complete | asked->odd) & ~at->lanes));
	if (at->group->moment == UINT32_MAX) /* nothing more can be told apart */
		return;
	at->group->moment++;
	for (lane_mask left = asked->goes_on ? at->lanes : at->lanes & ~asked->complete; left; left &= ~part.lanes) {
		struct phase_object *o;
		vector_clock knows;
		uint32_t done;
		bool odd, certain;

		part.lanes = left;
		o = same_object(&part, object);
		part.lanes = alike(&part, asked->odd, &knows);
		assert(part.lanes);
		if (!o || o->starting)
			continue;
		odd = asked->odd & part.lanes;
		certain = asked->by_state ? has_state(&part, o, odd, &done) : means(at->group, o, knows, odd, &done);
		look_alike(phases, &part, o, odd, certain, done);
	}
}

/* ---- Ends of phases ---- */

/* Those that had found the phase before complete: their looks come before what is known. */
static void judge_looks(
	struct phases *phases, struct phases_group *group, const struct phase_object *o, vector_clock known)
{
	uint32_t kept = 0, number = (uint32_t)(o - group->objects.at);

	assert(o->done);
	for (uint32_t k = 0; k < group->looks.count; k++) {
		struct look look = group->looks.at[k];
		struct phases_at at = {.group = group, .warp = look.warp, .pc = look.pc};

		if (look.object != number) {
			group->looks.at[kept++] = look;
			continue;
		}
		if (look.moment > group->floor)
			at.lanes = clock_lacking(known, first_of(group, look.warp), look.lanes, look.moment);
		if (at.lanes)
			tell(phases, &at, o, o->done - 1, SYNC_LAPPED);
	}
	group->looks.count = kept;
}

void phases_end_phase(struct phases *phases, const struct phases_at *at, uint64_t object)
{
	struct phases_group *group = at->group;
	struct phase_object *o = object_at(group, object);
	vector_clock over;

	if (!o || o->starting)
		return;
	over = o->over[o->done & 1];
	phase_add(phases, &o->pending, over);
	over = clock_set(&phases->clocks, o->pending, entry_of(group, o), 1, o->base + o->done + 1);
	o->pending = CLOCK_NOTHING;
	assert(group->moment >= group->floor);
	o->done++;
	o->most = o->base + o->done > o->most ? o->base + o->done : o->most;
	o->by[o->done & 1] = (struct completion){.done = o->done, .warp = at->warp, .pc = at->pc, .lanes = at->lanes};
	judge_looks(phases, group, o, over);
	phase_drop(phases, &o->over[o->done & 1]);
	o->over[o->done & 1] = over;
	assert(o->pending == CLOCK_NOTHING);
}

/* ---- Groups ---- */

struct phases *phases_create(struct found_list *found)
{
	struct phases *phases = arena_new(found->arena, struct phases);

	assert(found->arena);
	phases->found = found;
	phases->arena = phases->clocks.arena = found->arena;
	return phases;
}

struct phases_group *phases_begin_group(struct phases *phases, const struct phases_shape *shape)
{
	struct phases_group **at = &phases->free_groups, *group;

	assert(shape->warps * shape->lanes >= shape->threads);
	while (*at && (*at)->warps < shape->warps)
		at = &(*at)->next_free;
	group = *at;
	if (group)
		*at = group->next_free;
	else
		group = arena_new(phases->arena, struct phases_group);
	if (!group->warp) {
		group->warp = arena_new_array(phases->arena, struct phase_warp, shape->warps);
		group->warps = shape->warps;
	}
	group->shape = *shape;
	group->moment = group->floor = 0;
	phase_begin(phases, group);
	return group;
}

void phases_end_group(struct phases *phases, struct phases_group *group)
{
	phase_end(phases, group);
	for (uint32_t k = 0; k < group->objects.count; k++)
		forget(phases, &group->objects.at[k]);
	assert(group->warps >= group->shape.warps);
	group->objects.count = group->looks.count = 0;
	group->next_free = phases->free_groups;
	phases->free_groups = group;
}
