/* The schedule of a seed: some steps at random, then a period that gives turns to those that are guaranteed progress,
 * and others none or now and then, until a group finishes or another group is guaranteed progress; then another
 * period. */
#include "machine/progress/progress.h"

#include "util/text.h"

#include <assert.h>

#define MOST_REPEATS 3 /* steps of one group in a row, in a period */

struct word_step {
	uint32_t group, part;
};

struct adversary {
	struct schedule base;
	uint64_t random;
	uint32_t prefix;        /* steps still to take before the first period */
	uint32_t last;          /* group that ran last */
	struct word_step *word; /* the period */
	uint32_t length, at;
	uint64_t *in_word; /* per group: parts with a step in the period, a bit each */
	uint32_t *candidates;
	const struct schedule_list *list; /* null: none, or done with */
	uint32_t run, taken;              /* of the list */
};

static uint64_t draw(struct adversary *a, uint64_t below)
{
	assert(below);
	return splitmix64(&a->random) % below;
}

/* ---- Steps before the period ---- */

static uint32_t any_that_can_run(struct adversary *a, const struct progress *p)
{
	uint32_t count = 0;

	assert(p->view.groups);
	for (uint32_t k = 0; k < p->view.groups; k++)
		if (progress_can_run(p, k))
			a->candidates[count++] = k;
	return count ? a->candidates[draw(a, count)] : SCHEDULE_NOBODY;
}

static uint32_t step_of_prefix(struct adversary *a, const struct progress *p)
{
	assert(a->prefix);
	a->prefix--;
	if (a->last >= p->view.groups || !progress_can_run(p, a->last) || draw(a, 2))
		a->last = any_that_can_run(a, p);
	return a->last;
}

/* ---- The period ---- */

#define BIT_COPIES (1ull << 62)
#define BIT_TURN (1ull << 63)

/* Of the parts that can have a bit: a warp beyond them is none that is seen to be in a period. */
static uint64_t part_bit(uint32_t part)
{
	if (part == PART_TURN)
		return BIT_TURN;
	if (part_is_path(part))
		part = PART_WARP(part_path_warp(part));
	assert(part != PART_LAUNCH);
	if (part & PART_COPY)
		return BIT_COPIES;
	return part - PART_WARP(0) < 62 ? 1ull << (part - PART_WARP(0)) : 0;
}

static void add_to_word(struct adversary *a, uint32_t group, uint32_t part, uint32_t times)
{
	assert(times);
	a->in_word[group] |= part_bit(part);
	while (times--)
		a->word[a->length++] = (struct word_step){group, part};
}

static void shuffle(struct adversary *a, uint32_t *at, uint32_t count)
{
	for (uint32_t k = count; k > 1; k--) {
		uint32_t other = (uint32_t)draw(a, k), kept = at[k - 1];

		assert(other < k);
		at[k - 1] = at[other];
		at[other] = kept;
	}
}

/* Which groups run in the period: those that are guaranteed progress, and of the others none, some or all; at least
 * one. */
static uint32_t choose_runners(struct adversary *a, const struct progress *p)
{
	enum { NONE, SOME, ALL, WAYS };
	uint64_t others = draw(a, WAYS);
	uint32_t count = 0;

	for (uint32_t k = 0; k < p->view.groups; k++)
		if (progress_can_run(p, k) &&
			(progress_guarantees(p, k) || others == ALL || (others == SOME && draw(a, 2))))
			a->candidates[count++] = k;
	if (!count) {
		a->candidates[0] = any_that_can_run(a, p);
		count = a->candidates[0] != SCHEDULE_NOBODY;
	}
	assert(count <= p->view.groups);
	return count;
}

/* Of no steps where nobody can run. */
static void shuffle_word(struct adversary *a)
{
	assert(a->word);
	for (uint32_t k = a->length; k > 1; k--) {
		uint32_t other = (uint32_t)draw(a, k);
		struct word_step kept = a->word[k - 1];

		assert(other < k);
		a->word[k - 1] = a->word[other];
		a->word[other] = kept;
	}
}

/* Group by group in some order, each once or several times; or all steps in any order. */
static void draw_word(struct adversary *a, const struct progress *p)
{
	uint32_t count = choose_runners(a, p);

	for (uint32_t k = 0; k < p->view.groups; k++)
		a->in_word[k] = 0;
	a->at = a->length = 0;
	shuffle(a, a->candidates, count);
	for (uint32_t k = 0; k < count; k++)
		add_to_word(a, a->candidates[k], PART_TURN, 1 + (draw(a, 4) ? 0 : (uint32_t)draw(a, MOST_REPEATS)));
	assert(a->length <= (uint64_t)p->view.groups * MOST_REPEATS);
	if (draw(a, 2))
		shuffle_word(a);
	a->base.period++;
}

/* Whether all warps of the group that can run have steps in the period. */
static bool covers(const struct adversary *a, const struct progress *p, uint32_t group)
{
	assert(group < p->view.groups);
	if (a->in_word[group] & BIT_TURN)
		return true;
	for (uint32_t k = 0; k < CORE_WARPS; k++)
		if (progress_part_can_run(p, group, PART_WARP(k)) && !(a->in_word[group] & part_bit(PART_WARP(k))))
			return false;
	return true;
}

/* Whether the period can go on for ever: no group in it has finished, no other group is guaranteed progress, nor a warp
 * of one. */
static bool word_holds(const struct adversary *a, const struct progress *p)
{
	assert(a->at <= a->length);
	if (!a->length)
		return false;
	for (uint32_t k = 0; k < p->view.groups; k++) {
		if (a->in_word[k] && p->groups[k].finished)
			return false;
		if (progress_can_run(p, k) && progress_guarantees(p, k) && !covers(a, p, k))
			return false;
	}
	return true;
}

/* ---- A list ---- */

/* The next step of the list; SCHEDULE_END when it repeats itself from here on, or is over. */
static uint32_t step_of_list(struct adversary *a, const struct progress *p)
{
	assert(a->run <= a->list->loop);
	while (a->run < a->list->loop) {
		const struct schedule_run *run = &a->list->runs[a->run];

		assert(a->taken <= run->count);
		if (a->taken < run->count && progress_part_can_run(p, run->group, run->part)) {
			a->taken++;
			a->base.part = run->part;
			return run->group;
		}
		a->run++;
		a->taken = 0;
	}
	return SCHEDULE_END;
}

static uint64_t loop_steps(const struct schedule_list *list)
{
	uint64_t steps = 0;

	assert(!list || list->loop <= list->count);
	for (uint32_t k = list ? list->loop : 0; list && k < list->count; k++)
		steps += list->runs[k].count;
	return steps;
}

static bool has_parts(const struct schedule_list *list)
{
	assert(!list || list->loop <= list->count);
	for (uint32_t k = 0; list && k < list->count; k++)
		if (list->runs[k].part != PART_TURN)
			return true;
	return false;
}

/* The part that repeats itself becomes the period. */
static void take_loop(struct adversary *a)
{
	assert(!a->length);
	assert(a->list->loop <= a->list->count);
	for (uint32_t k = a->list->loop; k < a->list->count; k++)
		add_to_word(a, a->list->runs[k].group, a->list->runs[k].part, a->list->runs[k].count);
	a->list = NULL;
	a->base.period++;
	a->base.repeats = true;
}

/* ---- All ---- */

/* Copies end, whatever the model: what has one that does not end in the period.  SCHEDULE_NOBODY: none has. */
static uint32_t end_of_copy(struct adversary *a, const struct progress *p)
{
	assert(a->at <= a->length);
	for (uint32_t k = 0; a->base.by_parts && k < p->view.groups; k++) {
		if (a->in_word[k] & BIT_COPIES || !progress_part_can_run(p, k, PART_COPY))
			continue;
		a->base.part = PART_COPY;
		return k;
	}
	return SCHEDULE_NOBODY;
}

static uint32_t next(struct schedule *schedule, const struct progress *p)
{
	struct adversary *a = (struct adversary *)schedule;
	uint32_t group;

	assert(a->at <= a->length);
	a->base.repeats = false;
	a->base.part = PART_TURN;
	if (a->list) {
		group = step_of_list(a, p);
		if (group != SCHEDULE_END)
			return group;
		take_loop(a);
	}
	group = end_of_copy(a, p);
	if (group != SCHEDULE_NOBODY)
		return group;
	if (a->prefix)
		return step_of_prefix(a, p);
	if (a->at == a->length || a->base.repeats) {
		if (!word_holds(a, p))
			draw_word(a, p);
		a->at = 0;
		a->base.repeats = true;
	}
	for (; a->at < a->length; a->at++)
		if (progress_part_can_run(p, a->word[a->at].group, a->word[a->at].part)) {
			a->base.part = a->word[a->at].part;
			return a->word[a->at++].group;
		}
	return any_that_can_run(a, p); /* those of the period wait within their groups */
}

struct schedule *adversary_create(struct arena *arena, uint32_t groups, uint64_t seed, const struct schedule_list *list)
{
	struct adversary *a = arena_new(arena, struct adversary);
	uint64_t loop = loop_steps(list), word = (uint64_t)groups * MOST_REPEATS;

	assert(groups);
	*a = (struct adversary){
		.base.next = next, .base.by_parts = has_parts(list), .random = seed, .last = groups, .list = list};
	a->word = arena_new_array(arena, struct word_step, loop > word ? loop : word);
	a->in_word = arena_new_array(arena, uint64_t, groups);
	a->candidates = arena_new_array(arena, uint32_t, groups);
	if (!list && draw(a, 2))
		a->prefix = (uint32_t)draw(a, 4 * (uint64_t)groups + 1);
	return &a->base;
}
