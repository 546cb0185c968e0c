/* Races as they are found: the threads and places of both sides. */
#include "race/parts.h"

const struct race_launch *launch_of(const struct races *races, uint32_t thread)
{
	for (const struct race_launch *l = races->launches; l; l = l->next)
		if (thread - l->first < l->threads)
			return l;
	return NULL;
}

static struct found_side side_of(const struct races *races, const struct record *y)
{
	const struct race_launch *launch = launch_of(races, y->thread);
	const struct site *site = &races->sites.at[y->site];
	assert(launch);
	assert(y->site);
	assert(y->site < races->sites.count);
	uint32_t number = y->thread - launch->first;

	return (struct found_side){.kernel = site->kernel,
		.pc = site->pc,
		.launch = launch->ordinal,
		.group = launch->number ? launch->number[number / launch->group_stride] : number / launch->group_stride,
		.thread = site->is_copy ? y->value : number % launch->group_stride,
		.reads_source = site->is_copy && site->reads};
}

/* Of shared memory that a cluster has: whose it is, and the offset there. */
static void say_owner(struct found *f, const struct race_group *group)
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

void race_add(struct races *races, const struct race_warp *warp, const struct record *later,
	const struct record *earlier, uint8_t space, uint64_t address, enum found_cause cause, enum found_cause detail,
	const struct heard *heard)
{
	struct found f = {.cause = cause,
		.detail = detail,
		.side = {side_of(races, earlier), side_of(races, later)},
		.places = 2,
		.threads = 2,
		.space = space,
		.address = address,
		.count = 1,
		.launch = warp->group->launch->ordinal,
		.has_heard = heard != NULL};

	assert(later->site);
	assert(earlier->site);
	assert(later->epoch);
	assert(earlier->epoch);
	if (heard)
		f.heard = word_of_name(heard->name, &f.heard_space);
	if (f.has_heard && warp->group->cluster && f.heard_space == space_SHARED)
		f.heard &= (1u << RACE_SHARED_BITS) - 1;
	say_owner(&f, warp->group);
	found_add(races->found, &f);
}
