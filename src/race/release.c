/* What the mbarriers of a work-group say of a race: a stage of a pipeline is overwritten that its readers have not
 * released.
 *
 * The thread that overwrites it is ordered after all arrivals of the last phase that it has found complete.  So if a
 * warp has arrived in that phase, and a read of it races, that arrival does not come after the read.  Only of groups
 * without a cluster, whose objects are their own. */
#include "race/parts.h"

#include <assert.h>
#include <string.h>

static uint32_t number_of(const struct race_warp *warp)
{
	assert(warp >= warp->group->warp);
	assert(warp < warp->group->warp + warp->group->launch->warps);
	return (uint32_t)(warp - warp->group->warp);
}

void release_arrives(struct race_warp *warp, struct object *object)
{
	assert(number_of(warp) < 64);
	object->arrived[object->done % ARRIVED_PHASES] |= 1ull << number_of(warp);
}

void release_found(
	struct races *races, struct race_warp *warp, uint32_t lane, const struct object *object, uint32_t number)
{
	uint32_t strand = lane >> warp->group->launch->shift;

	assert(strand < warp->strands);
	if (!warp->waited)
		warp->waited = arena_new_array(races->arena, struct waited, warp->group->strands);
	warp->waited[strand] = (struct waited){.object = number + 1, .done = object->done};
}

void release_begin_warp(struct race_warp *warp)
{
	assert(warp->strands <= warp->group->strands);
	if (warp->waited)
		memset(warp->waited, 0, warp->group->strands * sizeof *warp->waited);
}

/* Null: it has found none, or its object has had too many phases since. */
static const struct object *last_of(const struct race_warp *warp, const struct strand *u, uint32_t *done)
{
	const struct waited *waited = warp->waited ? &warp->waited[u - warp->strand] : NULL;
	const struct object *object;

	assert(!warp->group->cluster);
	if (!waited || !waited->object)
		return NULL;
	object = &warp->group->objects.list.at[waited->object - 1];
	*done = waited->done;
	return *done && *done <= object->done && object->done - *done < ARRIVED_PHASES - 1 ? object : NULL;
}

enum found_cause release_detail(const struct race_warp *warp, const struct strand *u, uint32_t reader)
{
	const struct race_group *group = warp->group;
	uint32_t of = (reader - group->first) / group->launch->lanes, done;
	const struct object *object;

	if (group->cluster || !group->objects.list.count)
		return FOUND_NO_CAUSE;
	assert(of < group->launch->warps);
	if (!warp->waited || !warp->waited[u - warp->strand].object)
		return RACE_DETAIL_NO_WAIT;
	object = last_of(warp, u, &done);
	if (!object)
		return FOUND_NO_CAUSE;
	return object->arrived[(done - 1) % ARRIVED_PHASES] >> of & 1 ? RACE_DETAIL_RELEASED : RACE_DETAIL_NOT_RELEASED;
}

void release_tell(const struct race_warp *warp, const struct strand *u, struct found *found)
{
	uint32_t done;
	const struct object *object = last_of(warp, u, &done);

	assert(object);
	found->has_heard = true;
	found->heard = object->offset;
	found->heard_space = space_SHARED;
	found->side[1].value = done - 1;
}
