/* What kernels launch: what happens before it, and what it happens before. */
#include "race/parts.h"

#include <assert.h>

struct race_grid *races_grid(struct races *races, bool ends)
{
	struct race_grid *grid = races->free_grids;

	if (grid)
		races->free_grids = grid->next;
	else
		grid = arena_new(races->arena, struct race_grid);
	*grid = (struct race_grid){.open = ends, .next = races->grids};
	races->grids = grid;
	races->open_grids += ends;
	return grid;
}

struct race_grid *races_grid_of(struct races *races, struct race_launch *launch)
{
	assert(!launch->grid);
	launch->grid = races_grid(races, true);
	known_become(&races->clocks, &launch->grid->known, &(struct known){.clock = launch->start});
	return launch->grid;
}

void races_begin_grid(struct races *races, struct race_launch *launch, struct race_grid *grid)
{
	assert(!launch->grid);
	assert(!launch->ended);
	clock_drop(&races->clocks, launch->start);
	launch->start = clock_keep(grid->known.clock);
	launch->grid = grid;
}

void races_launches(struct races *races, struct race_warp *warp, uint32_t lane, struct race_grid *grid)
{
	struct knowledge what = KNOWLEDGE_NOTHING;

	assert(grid);
	order_give(races, warp, lane, &what);
	EACH_PART(part, &what)
		known_join(&races->clocks, &grid->known, part);
	knowledge_forget(&races->clocks, &what);
}

void races_follow(struct races *races, struct race_grid *grid, const struct race_grid *ended)
{
	assert(grid != ended);
	known_join(&races->clocks, &grid->known, &ended->known);
}

void races_grid_ends(struct races *races, struct race_grid *grid)
{
	assert(races->open_grids >= grid->open);
	races->open_grids -= grid->open;
	grid->open = false;
}

void races_awaited(struct races *races, struct race_warp *warp, lane_mask lanes, const struct race_grid *grid)
{
	const struct knowledge what = {.count = 1, .one = grid->known};

	EACH_LANE(lane, lanes)
		order_get(races, warp, (uint32_t)lane, &what);
}

void races_may_overlap(struct race_launch *launch, uint64_t ordinal)
{
	assert(!launch->after);
	assert(launch->ordinal != ordinal);
	launch->after = ordinal + 1;
}

/* All its threads may know from then on what those of the other have done. */
void races_overlap_over(struct races *races, struct race_warp *warp, lane_mask lanes, uint64_t ordinal)
{
	const struct race_launch *other = races_launch(races, ordinal);
	uint32_t shift = warp->group->launch->shift;
	struct known known = {.epoch = 0};
	struct knowledge what = {.count = 1};

	assert(warp->group->launch->after == ordinal + 1);
	assert(lanes);
	if (!other)
		return;
	known.clock =
		clock_set(&races->clocks, known.clock, other->first >> shift, other->threads >> shift, UINT32_MAX);
	what.one = known;
	EACH_LANE(lane, lanes)
		order_get(races, warp, (uint32_t)lane, &what);
	known_forget(&races->clocks, &known);
}

void grid_group_ends(struct races *races, struct race_group *group, bool is_last)
{
	const struct race_launch *launch = group->launch;
	struct known *known = &launch->grid->known;

	assert(launch->grid);
	assert(launch->ended < launch->groups);
	for (uint32_t w = 0; w < launch->warps; w++)
		for (uint32_t k = 0; k < group->warp[w].strands; k++)
			known_join(&races->clocks, known, &group->warp[w].strand[k].knows);
	if (!is_last)
		return;
	known->clock = clock_set(&races->clocks, known->clock, launch->first >> launch->shift,
		launch->threads >> launch->shift, UINT32_MAX);
	known->epoch = 0; /* no thread knew that */
}

void grids_forget(struct races *races)
{
	while (races->grids) {
		struct race_grid *grid = races->grids;

		known_forget(&races->clocks, &grid->known);
		races->grids = grid->next;
		grid->next = races->free_grids;
		races->free_grids = grid;
	}
	races->open_grids = 0;
}
