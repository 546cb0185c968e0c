/* The races that were found: one for each pair of places and cause. */
#include "race/parts.h"

const struct race_cause_text race_causes[RACE_CAUSES] = {
#define RACE_CAUSE(id, name, missing, remedy) [RACE_##id] = {name, missing, remedy},
#include "race/causes.def"
#undef RACE_CAUSE
};

const struct race_detail_text race_details[RACE_DETAILS] = {
#define RACE_DETAIL(id, missing, remedy) [RACE_DETAIL_##id] = {missing, remedy},
#include "race/details.def"

#include <assert.h>
#undef RACE_DETAIL
};

const struct race_launch *launch_of(const struct races *races, uint32_t thread)
{
	for (const struct race_launch *l = races->launches; l; l = l->next)
		if (thread - l->first < l->threads)
			return l;
	return NULL;
}

static struct race_side side_of(const struct races *races, const struct record *y)
{
	const struct race_launch *launch = launch_of(races, y->thread);
	const struct site *site = &races->sites.at[y->site];
	assert(launch);
	assert(y->site);
	assert(y->site < races->sites.count);
	uint32_t number = y->thread - launch->first;

	return (struct race_side){.kernel = site->kernel,
		.pc = site->pc,
		.launch = launch->ordinal,
		.group = launch->number ? launch->number[number / launch->group_stride] : number / launch->group_stride,
		.thread = site->is_copy ? y->value : number % launch->group_stride,
		.reads_source = site->is_copy && site->reads};
}

static bool is_place(const struct race_side *a, const struct race_side *b)
{
	return a->kernel == b->kernel && a->pc == b->pc && a->reads_source == b->reads_source;
}

static bool is_line(const struct race_side *a, const struct race_side *b)
{
	return a->kernel == b->kernel && a->kernel && a->reads_source == b->reads_source &&
	       a->kernel->code[a->pc].kind == b->kernel->code[b->pc].kind && kernel_same_line(a->kernel, a->pc, b->pc);
}

typedef bool is_same_side(const struct race_side *a, const struct race_side *b);

/* Either way, since which came first is chance. */
static bool is_pair(const struct race_side *earlier, const struct race_side *later, const struct race_found *f,
	is_same_side *is_same)
{
	return (is_same(earlier, &f->earlier) && is_same(later, &f->later)) ||
	       (is_same(earlier, &f->later) && is_same(later, &f->earlier));
}

/* The finding for a pair of places that is not known yet: one of the same lines; UINT32_MAX: none. */
static uint32_t of_lines(const struct races *races, const struct race_found *f)
{
	for (uint32_t k = 0; k < races->found.count; k++) {
		const struct race_found *known = &races->found.at[k];

		if (known->cause == f->cause && known->detail == f->detail && known->space == f->space &&
			is_pair(&f->earlier, &f->later, known, is_line))
			return k;
	}
	return UINT32_MAX;
}

/* The finding for a pair of places; UINT32_MAX: none yet. */
static uint32_t of_places(const struct races *races, const struct race_found *f)
{
	for (uint32_t k = 0; k < races->pairs.count; k++) {
		const struct race_pair *pair = &races->pairs.at[k];

		if (pair->places.cause == f->cause && pair->places.detail == f->detail &&
			pair->places.space == f->space && is_pair(&f->earlier, &f->later, &pair->places, is_place))
			return pair->found;
	}
	return UINT32_MAX;
}

static void enter(struct races *races, const struct race_found *f)
{
	uint32_t found = of_lines(races, f);

	if (found == UINT32_MAX) {
		found = races->found.count;
		*vector_push(races->arena, &races->found) = *f;
	} else {
		assert(found < races->found.count);
		races->found.at[found].count++;
	}
	*vector_push(races->arena, &races->pairs) = (struct race_pair){.places = *f, .found = found};
}

/* Of shared memory that a cluster has: whose it is, and the offset there. */
static void say_owner(struct race_found *f, const struct race_group *group)
{
	const struct race_launch *launch = group->launch;
	uint32_t at = (group->first - launch->first) / launch->group_stride;

	if (!group->cluster || f->space != space_SHARED)
		return;
	assert(f->address >> RACE_SHARED_BITS < launch->cluster);
	f->owner = launch->number[at - at % launch->cluster + (uint32_t)(f->address >> RACE_SHARED_BITS)];
	f->has_owner = true;
	f->address &= (1u << RACE_SHARED_BITS) - 1;
}

void found_add(struct races *races, const struct race_warp *warp, const struct record *later,
	const struct record *earlier, uint8_t space, uint64_t address, enum race_cause cause, enum race_detail detail,
	const struct heard *heard)
{
	struct race_found f = {.cause = cause,
		.detail = detail,
		.earlier = side_of(races, earlier),
		.later = side_of(races, later),
		.space = space,
		.address = address,
		.count = 1,
		.launch = warp->group->launch->ordinal,
		.has_heard = heard != NULL};
	uint32_t known;

	assert(later->site);
	assert(earlier->site);
	assert(later->epoch);
	assert(earlier->epoch);
	if (heard)
		f.heard = word_of_name(heard->name, &f.heard_space);
	if (f.has_heard && warp->group->cluster && f.heard_space == space_SHARED)
		f.heard &= (1u << RACE_SHARED_BITS) - 1;
	say_owner(&f, warp->group);
	known = of_places(races, &f);
	if (known == UINT32_MAX)
		enter(races, &f);
	else
		races->found.at[known].count++;
}

static void forget_side(struct race_side *side, const struct ptx_module *module)
{
	if (side->kernel && side->kernel->module == module)
		side->kernel = NULL;
}

void races_forget(struct races *races, const struct ptx_module *module)
{
	for (uint32_t k = 0; k < races->found.count; k++) {
		forget_side(&races->found.at[k].earlier, module);
		forget_side(&races->found.at[k].later, module);
	}
	for (uint32_t k = 0; k < races->pairs.count; k++) {
		forget_side(&races->pairs.at[k].places.earlier, module);
		forget_side(&races->pairs.at[k].places.later, module);
	}
}

const struct race_found *races_found(const struct races *races, uint32_t *count)
{
	*count = races->found.count;
	return races->found.at;
}
