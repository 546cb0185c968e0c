/* Tensor maps in global memory (PTX ISA, "membar / fence": fence.proxy.tensormap::generic; CUDA C++ Programming Guide,
 * "Using a modified tensor map").
 *
 * A tensor copy reads its map by a proxy of its own, which sees a change only if it is released, by
 * tensormap.cp_fenceproxy or by the fence after the change, and then acquired, by the fence with the map's address in
 * the copy's work-group.  Any thread's fence counts, as those of the asynchronous proxy do (copy.c).  Otherwise the map
 * is read as by a load of the thread that begins the copy, when it begins: the ISA does not say until when a copy may
 * read it. */
#include "race/judge.h"

#include "util/tensor_map.h"

#include <assert.h>

/* What the strand knows and did. */
static vector_clock add_strand(struct races *races, vector_clock clock, struct race_warp *warp, const struct strand *u)
{
	assert(u->epoch);
	return clock_set(
		&races->clocks, clock_join(&races->clocks, clock, u->knows.clock), order_number(warp, u), 1, u->epoch);
}

void races_map_release(struct races *races, struct race_warp *warp, lane_mask lanes)
{
	assert(lanes);
	EACH_LANE(k, order_strands(warp, lanes)) {
		struct strand *u = &warp->strand[k];

		races->released_maps = add_strand(races, races->released_maps, warp, u);
		u->epoch++;
	}
}

static struct acquired_map *acquired_at(struct races *races, struct race_group *group, uint64_t address)
{
	struct acquired_map *map;

	assert(address);
	for (uint32_t k = 0; k < group->maps.count; k++)
		if (group->maps.at[k].address == address)
			return &group->maps.at[k];
	map = vector_push(races->arena, &group->maps);
	*map = (struct acquired_map){.address = address, .known = CLOCK_NOTHING};
	return map;
}

void races_map_acquire(struct races *races, struct race_warp *warp, lane_mask lanes, const uint64_t *address)
{
	assert(lanes);
	assert(address);
	EACH_LANE(l, lanes) {
		struct acquired_map *map = acquired_at(races, warp->group, address[l]);

		map->known = add_strand(races, map->known, warp, strand_of(warp, (uint32_t)l));
	}
	EACH_LANE(k, order_strands(warp, lanes))
		warp->strand[k].epoch++;
}

void races_map_read(struct races *races, struct race_warp *warp, uint32_t pc, uint32_t lane, uint64_t address)
{
	struct strand *u = strand_of(warp, lane);
	uint16_t site = judge_map_site(races, warp->group->launch, pc);

	assert(lane < warp->group->launch->lanes);
	assert(address);
	order_go_past_write(u);
	if (site)
		judge_block(races, warp, lane,
			&(struct record){.thread = warp->first + lane, .epoch = u->epoch, .site = site}, space_GLOBAL,
			address, TENSOR_MAP_BYTES);
}

/* Whether the group has acquired the map with these bytes, and so sees the change; *ever: whether it has at all. */
static bool is_acquired(
	const struct races *races, const struct access *x, const struct record *y, uint64_t address, bool *ever)
{
	const struct race_group *group = x->warp->group;

	assert(y->epoch);
	*ever = false;
	for (uint32_t k = 0; k < group->maps.count; k++) {
		const struct acquired_map *map = &group->maps.at[k];

		if (address - map->address >= TENSOR_MAP_BYTES)
			continue;
		*ever = true;
		if (chain_knows(races, map->known, strand_number(group->launch, y->thread), y->epoch))
			return true;
	}
	return false;
}

/* A map that no thread of the group has acquired is the barriers' check's, which also knows of maps that came before
 * the launch. */
enum found_cause map_detail(const struct races *races, const struct access *x, const struct record *y, uint64_t address)
{
	const struct site *site = &races->sites.at[y->site];
	uint32_t strand = strand_number(x->warp->group->launch, y->thread);
	bool ever;

	assert(x->site->is_map);
	assert(site->writes);
	assert(y->epoch);
	if (site->kernel->code[site->pc].kind != INSN_MAP_COPY &&
		!chain_knows(races, races->released_maps, strand, y->epoch))
		return RACE_DETAIL_MAP_RELEASE;
	return is_acquired(races, x, y, address, &ever) || !ever ? FOUND_NO_CAUSE : RACE_DETAIL_MAP_ACQUIRE;
}

void maps_end_group(struct races *races, struct race_group *group)
{
	assert(group->launch);
	for (uint32_t k = 0; k < group->maps.count; k++)
		clock_drop(&races->clocks, group->maps.at[k].known);
	group->maps.count = 0;
}

void maps_forget(struct races *races)
{
	assert(!races->open_grids);
	clock_drop(&races->clocks, races->released_maps);
	races->released_maps = CLOCK_NOTHING;
}
