/* The schedule of a seed: some steps at random, then a period that gives turns to those that are guaranteed progress,
 * and others none or now and then, until a group finishes or another group is guaranteed progress; then another
 * period. */
#include "machine/progress/progress.h"

#include "util/text.h"

#include <assert.h>

#define MOST_REPEATS 3 /* steps of one group in a row, in a period */

struct adversary {
	struct schedule base;
	uint64_t random;
	uint32_t prefix; /* steps still to take before the first period */
	uint32_t last;   /* group that ran last */
	uint32_t *word;  /* the period: groups in order */
	uint32_t length, at;
	bool *in_word;
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

static void add_to_word(struct adversary *a, uint32_t group, uint32_t times)
{
	assert(times);
	a->in_word[group] = true;
	while (times--)
		a->word[a->length++] = group;
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

/* Group by group in some order, each once or several times; or all steps in any order. */
static void draw_word(struct adversary *a, const struct progress *p)
{
	uint32_t count = choose_runners(a, p);

	for (uint32_t k = 0; k < p->view.groups; k++)
		a->in_word[k] = false;
	a->at = a->length = 0;
	shuffle(a, a->candidates, count);
	for (uint32_t k = 0; k < count; k++)
		add_to_word(a, a->candidates[k], 1 + (draw(a, 4) ? 0 : (uint32_t)draw(a, MOST_REPEATS)));
	assert(a->length <= (uint64_t)p->view.groups * MOST_REPEATS);
	if (draw(a, 2))
		shuffle(a, a->word, a->length);
	a->base.period++;
}

/* Whether the period can go on for ever: no group in it has finished, no other group is guaranteed progress. */
static bool word_holds(const struct adversary *a, const struct progress *p)
{
	assert(a->at <= a->length);
	if (!a->length)
		return false;
	for (uint32_t k = 0; k < p->view.groups; k++) {
		if (a->in_word[k] && p->groups[k].finished)
			return false;
		if (!a->in_word[k] && progress_can_run(p, k) && progress_guarantees(p, k))
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
		if (a->taken < run->count && progress_can_run(p, run->group)) {
			a->taken++;
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

/* The part that repeats itself becomes the period. */
static void take_loop(struct adversary *a)
{
	assert(!a->length);
	assert(a->list->loop <= a->list->count);
	for (uint32_t k = a->list->loop; k < a->list->count; k++)
		add_to_word(a, a->list->runs[k].group, a->list->runs[k].count);
	a->list = NULL;
	a->base.period++;
	a->base.repeats = true;
}

/* ---- All ---- */

static uint32_t next(struct schedule *schedule, const struct progress *p)
{
	struct adversary *a = (struct adversary *)schedule;
	uint32_t group;

	assert(a->at <= a->length);
	a->base.repeats = false;
	if (a->list) {
		group = step_of_list(a, p);
		if (group != SCHEDULE_END)
			return group;
		take_loop(a);
	}
	if (a->prefix)
		return step_of_prefix(a, p);
	if (a->at == a->length || a->base.repeats) {
		if (!word_holds(a, p))
			draw_word(a, p);
		a->at = 0;
		a->base.repeats = true;
	}
	for (; a->at < a->length; a->at++)
		if (progress_can_run(p, a->word[a->at]))
			return a->word[a->at++];
	return any_that_can_run(a, p); /* those of the period wait within their groups */
}

struct schedule *adversary_create(struct arena *arena, uint32_t groups, uint64_t seed, const struct schedule_list *list)
{
	struct adversary *a = arena_new(arena, struct adversary);
	uint64_t loop = loop_steps(list), word = (uint64_t)groups * MOST_REPEATS;

	assert(groups);
	*a = (struct adversary){.base.next = next, .random = seed, .last = groups, .list = list};
	a->word = arena_new_array(arena, uint32_t, loop > word ? loop : word);
	a->in_word = arena_new_array(arena, bool, groups);
	a->candidates = arena_new_array(arena, uint32_t, groups);
	if (!list && draw(a, 2))
		a->prefix = (uint32_t)draw(a, 4 * (uint64_t)groups + 1);
	return &a->base;
}
