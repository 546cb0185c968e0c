/* Launches, work-groups and warps of the race check: how threads are numbered, and what is forgotten when. */
#include "race/parts.h"

struct races *races_create(
	struct arena *arena, const struct races_asked *asked, uint64_t global_base, uint64_t global_bytes)
{
	struct races *races = arena_new(arena, struct races);

	races->arena = races->clocks.arena = arena;
	races->asked = *asked;
	shadow_create(races, &races->global, global_base, global_bytes);
	vector_push(arena, &races->sites); /* number 0 is none */
	return races;
}

/* ---- Launches ---- */

struct race_launch *races_launch(struct races *races, uint64_t ordinal)
{
	for (struct race_launch *l = races->launches; l; l = l->next)
		if (l->ordinal == ordinal)
			return l;
	return NULL;
}

/* All launches have ended, and the next one is behind them: nothing that they did can race with it. */
static void forget_all(struct races *races, uint64_t strands)
{
	for (struct race_launch *l = races->launches; l; l = l->next)
		clock_drop(&races->clocks, l->start);
	shadow_clear(races, &races->global);
	sync_clear(races, &races->words);
	races->sites.count = 1;
	races->launches = NULL;
	races->next_thread = 0;
	chain_forget_all(races, strands);
}

/* Threads of a launch beside others. */
static void number_behind_chains(struct races *races, uint32_t strand_lanes)
{
	uint64_t first = CLOCK_FAN * (uint64_t)races->chain_base * strand_lanes;

	if (races->next_thread < first)
		races->next_thread = first;
}

static uint32_t to_power(uint32_t count)
{
	uint32_t power = 1;

	while (power < count)
		power *= 2;
	return power;
}

static struct race_shape *shape_of(struct races *races, uint32_t warps, uint32_t strands)
{
	struct race_shape *shape = races->shapes;

	while (shape && (shape->warps != warps || shape->strands != strands))
		shape = shape->next;
	if (shape)
		return shape;
	shape = arena_new(races->arena, struct race_shape);
	*shape = (struct race_shape){.warps = warps, .strands = strands, .next = races->shapes};
	races->shapes = shape;
	return shape;
}

struct race_launch *races_begin_launch(struct races *races, uint64_t ordinal, const struct kernel *kernel,
	bool lockstep, uint32_t groups, uint32_t group_threads)
{
	uint32_t lanes = kernel->lanes, warps = (group_threads + lanes - 1) / lanes;
	/* numbers of a group are a branch of a clock, or several: see clock.h */
	uint32_t threads = to_power(warps * lanes);
	uint32_t stride = copy_is_used(kernel) ? copy_numbers(threads) : threads;
	struct race_launch *launch = arena_new(races->arena, struct race_launch);
	bool idle = true;

	for (struct race_launch *l = races->launches; l; l = l->next)
		idle &= l->ended == l->groups;
	if (idle)
		forget_all(races, (uint64_t)groups * stride / (lockstep && !races->asked.strict ? lanes : 1));
	else
		number_behind_chains(races, lockstep && !races->asked.strict ? lanes : 1);
	if (races->next_thread + (uint64_t)groups * stride > UINT32_MAX)
		return NULL;
	*launch = (struct race_launch){.ordinal = ordinal,
		.kernel = kernel,
		.next = races->launches,
		.first = (uint32_t)races->next_thread,
		.threads = groups * stride,
		.group_stride = stride,
		.group_lanes = threads,
		.lanes = lanes,
		.shift = lockstep && !races->asked.strict ? (uint32_t)__builtin_ctz(lanes) : 0,
		.groups = groups,
		.group_threads = group_threads,
		.warps = warps,
		.shape = shape_of(races, warps, lockstep && !races->asked.strict ? 1 : lanes),
		.narrow = kernel_is_narrow(races, kernel),
		.credit = stride == threads ? PUT_OFF_CREDIT : 0,
		.start = CLOCK_NOTHING,
		.site = arena_new_array(races->arena, uint16_t, 2 * (size_t)kernel->code_count)};
	for (const struct race_launch *l = races->launches; l; l = l->next)
		if (l->ended == l->groups)
			launch->start = clock_set(&races->clocks, launch->start, l->first >> launch->shift,
				l->threads >> launch->shift, UINT32_MAX);
	races->next_thread += launch->threads;
	races->launches = launch;
	return launch;
}

/* ---- Work-groups ---- */

static struct race_group *group_new(struct races *races, struct race_launch *launch)
{
	struct race_group *group = arena_new(races->arena, struct race_group);

	shadow_create(races, &group->shared, 0, UINT16_MAX * 4u);
	group->shared.group = group;
	group->warp = arena_new_array(races->arena, struct race_warp, launch->warps);
	for (uint32_t k = 0; k < launch->warps; k++)
		group->warp[k].strand = arena_new_array(races->arena, struct strand, launch->shape->strands);
	return group;
}

struct race_group *races_begin_group(struct races *races, struct race_launch *launch, uint32_t number)
{
	struct race_group *group = launch->shape->free;

	if (group)
		launch->shape->free = group->next_free;
	else
		group = group_new(races, launch);
	group->launch = launch;
	group->number = number;
	group->first = launch->first + number * launch->group_stride;
	for (uint32_t k = 0; k < launch->warps; k++) {
		struct race_warp *warp = &group->warp[k];
		uint32_t left = launch->group_threads - k * launch->lanes;

		warp->group = group;
		warp->first = group->first + k * launch->lanes;
		warp->strands = launch->shift ? 1 : left < launch->lanes ? left : launch->lanes;
		order_begin_warp(races, warp);
	}
	return group;
}

void races_end_group(struct races *races, struct race_group *group)
{
	put_off_forget(group);
	for (uint32_t k = 0; k < group->launch->warps; k++)
		order_end_warp(races, &group->warp[k]);
	for (uint32_t b = 0; b < 16; b++)
		meet_close_barrier(races, &group->barrier[b]);
	shadow_clear(races, &group->shared);
	word_forget_met(races, group);
	sync_clear(races, &group->words);
	copy_end_group(races, group);
	group->next_free = group->launch->shape->free;
	group->launch->shape->free = group;
	group->launch->ended++;
}

void races_end_launches(struct races *races)
{
	for (struct race_launch *l = races->launches; l; l = l->next) {
		l->ended = l->groups;
		l->ordinal = UINT64_MAX; /* the next one may have the same: a kernel that is run again and again */
	}
}

struct race_warp *races_warp(struct race_group *group, uint32_t warp)
{
	return &group->warp[warp];
}

struct race_group *races_group(const struct race_warp *warp)
{
	return warp->group;
}
