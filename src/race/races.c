/* Launches, work-groups and warps of the race check: how threads are numbered, and what is forgotten when. */
#include "race/parts.h"

#include <assert.h>

struct races *races_create(
	struct found_list *found, const struct races_asked *asked, uint64_t global_base, uint64_t global_bytes)
{
	struct arena *arena = found->arena;
	struct races *races = arena_new(arena, struct races);

	assert(global_bytes);
	races->arena = races->clocks.arena = arena;
	races->asked = *asked;
	races->found = found;
	for (uint32_t k = 0; k < RACES_APART; k++)
		races->apart[k].arena = arena;
	shadow_create(races, &races->global, global_base, global_bytes);
	vector_push(arena, &races->sites); /* number 0 is none; likewise: */
	vector_push(arena, &races->crowds);
	return races;
}

uint64_t races_apart(const struct races *races, enum races_apart what)
{
	assert(what < RACES_APART);
	return races->apart[what].of.count + races->apart[what].more;
}

#define MOST_RANKS 16 /* groups of a cluster */

/* ---- Launches ---- */

struct race_launch *races_launch(struct races *races, uint64_t ordinal)
{
	for (struct race_launch *l = races->launches; l; l = l->next)
		if (l->ordinal == ordinal)
			return l;
	return NULL;
}

struct race_launch *launch_of(const struct races *races, uint32_t thread)
{
	for (struct race_launch *l = races->launches; l; l = l->next)
		if (thread - l->first < l->threads)
			return l;
	return NULL;
}

/* All launches have ended, and the next one is behind them: nothing that they did can race with it. */
static void forget_all(struct races *races, uint64_t strands)
{
	assert(!races->open_grids);
	for (struct race_launch *l = races->launches; l; l = l->next)
		clock_drop(&races->clocks, l->start);
	grids_forget(races);
	maps_forget(races);
	shadow_clear(races, &races->global);
	sync_clear(races, &races->words);
	races->sites.count = 1;
	races->launches = NULL;
	races->next_thread = 0;
	chain_forget_all(races, strands);
}

/* The numbers of a group's threads: a branch of a clock, or several of them (clock.h). */
static uint32_t to_power(uint32_t count)
{
	assert(count);
	assert(count <= 1u << 31);
	return count == 1 ? 1 : 1u << (32 - __builtin_clz(count - 1));
}

struct race_launch *races_begin_launch(struct races *races, uint64_t ordinal, const struct kernel *kernel,
	bool lockstep, uint32_t groups, uint32_t group_threads)
{
	uint32_t lanes = kernel->lanes, warps = (group_threads + lanes - 1) / lanes;
	uint32_t threads = to_power(warps * lanes);
	uint32_t stride = copy_numbers(kernel, threads);
	struct race_launch *launch = arena_new(races->arena, struct race_launch);
	uint32_t strand_lanes = lockstep && !races->asked.strict ? lanes : 1;
	bool idle = !races->open_grids;

	assert(groups);
	assert(group_threads);
	assert(lanes);
	assert(lanes <= 64);
	for (struct race_launch *l = races->launches; l; l = l->next)
		idle &= l->ended == l->groups;
	if (idle)
		forget_all(races, (uint64_t)groups * stride / strand_lanes);
	else if (races->next_thread < CLOCK_FAN * (uint64_t)races->chain_base * strand_lanes)
		races->next_thread = CLOCK_FAN * (uint64_t)races->chain_base * strand_lanes; /* beyond the chains */
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
		.shift = (uint32_t)__builtin_ctz(strand_lanes),
		.groups = groups,
		.group_threads = group_threads,
		.warps = warps,
		.strands = lanes / strand_lanes,
		.cluster = 1,
		.reaches = REACH_CLUSTER,
		.narrow = kernel_is_narrow(races, kernel),
		.meets_sc = kernel_meets_sc(kernel),
		.credit = stride == threads ? PUT_OFF_CREDIT : 0,
		.site = arena_new_array(races->arena, uint16_t, 3 * (size_t)kernel->code_count)};
	for (const struct race_launch *l = races->launches; l; l = l->next)
		if (l->ended == l->groups && !(l->grid && l->grid->open))
			launch->start = clock_set(&races->clocks, launch->start, l->first >> launch->shift,
				l->threads >> launch->shift, UINT32_MAX);
	assert(launch->first % lanes == 0);
	assert(stride % lanes == 0);
	races->next_thread += launch->threads;
	races->launches = launch;
	return launch;
}

void races_have_clusters(struct races *races, struct race_launch *launch, uint32_t size)
{
	assert(size);
	assert(size <= MOST_RANKS);
	assert(launch->groups % size == 0);
	assert(!launch->clusters);
	launch->cluster = size;
	launch->reaches = REACHES;
	launch->number = arena_new_array(races->arena, uint32_t, launch->groups);
	launch->credit = 0; /* others may read what a group's own barrier would let it forget */
}

/* ---- Clusters ---- */

/* Of the launch, made when its first group begins. */
static struct race_cluster *cluster_of(struct races *races, struct race_launch *launch, uint32_t number)
{
	struct race_cluster *cluster = launch->clusters;

	assert(number < launch->groups / launch->cluster);
	while (cluster && cluster->number != number)
		cluster = cluster->next;
	if (cluster)
		return cluster;
	cluster = races->free_clusters;
	if (cluster) {
		races->free_clusters = cluster->next;
	} else {
		cluster = arena_new(races->arena, struct race_cluster);
		shadow_create(races, &cluster->shared, 0, race_shared(MOST_RANKS, 0));
	}
	cluster->number = number;
	cluster->ended = 0;
	cluster->next = launch->clusters;
	launch->clusters = cluster;
	return cluster;
}

/* A group has ended; with the last one the cluster has. */
static void end_in_cluster(struct races *races, struct race_launch *launch, struct race_cluster *cluster)
{
	struct race_cluster **at = &launch->clusters;

	assert(cluster->ended < launch->cluster);
	if (++cluster->ended < launch->cluster)
		return;
	shadow_clear(races, &cluster->shared);
	sync_clear(races, &cluster->words);
	copy_forget_objects(races, &cluster->objects);
	for (uint32_t k = 0; k < 2; k++)
		meet_close(races, &cluster->phase[k].meeting);
	while (*at != cluster)
		at = &(*at)->next;
	assert(*at);
	*at = cluster->next;
	cluster->next = races->free_clusters;
	races->free_clusters = cluster;
}

/* ---- Work-groups ---- */

/* One that has ended, with as many warps and strands; or a new one. */
static struct race_group *group_take(struct races *races, const struct race_launch *launch)
{
	struct race_group **at = &races->free_groups, *group;

	while (*at && ((*at)->warps != launch->warps || (*at)->strands != launch->strands))
		at = &(*at)->next_free;
	group = *at;
	if (group) {
		*at = group->next_free;
		assert(!group->shared.touched.count);
		return group;
	}
	group = arena_new(races->arena, struct race_group);
	group->warps = launch->warps;
	group->strands = launch->strands;
	shadow_create(races, &group->shared, 0, UINT16_MAX * 4u);
	group->shared.group = group;
	group->warp = arena_new_array(races->arena, struct race_warp, launch->warps);
	for (uint32_t k = 0; k < launch->warps; k++)
		group->warp[k].strand = arena_new_array(races->arena, struct strand, launch->strands);
	return group;
}

/* `at`: the place of its threads' numbers among those of the launch's groups. */
static struct race_group *begin_group(
	struct races *races, struct race_launch *launch, uint32_t at, struct race_cluster *cluster)
{
	struct race_group *group = group_take(races, launch);

	assert(at < launch->groups);
	assert(launch->ended < launch->groups);
	group->launch = launch;
	group->cluster = cluster;
	group->first = launch->first + at * launch->group_stride;
	for (uint32_t k = 0; k < launch->warps; k++) {
		struct race_warp *warp = &group->warp[k];
		uint32_t left = launch->group_threads - k * launch->lanes;

		warp->group = group;
		warp->first = group->first + k * launch->lanes;
		warp->strands = launch->shift ? 1 : left < launch->lanes ? left : launch->lanes;
		order_begin_warp(warp);
	}
	return group;
}

struct race_group *races_begin_group(struct races *races, struct race_launch *launch, uint32_t number)
{
	assert(launch->cluster == 1);
	return begin_group(races, launch, number, NULL);
}

struct race_group *races_begin_member(
	struct races *races, struct race_launch *launch, uint32_t number, uint32_t cluster, uint32_t rank)
{
	uint32_t at = cluster * launch->cluster + rank;

	assert(rank < launch->cluster);
	assert(at < launch->groups);
	assert(number < launch->groups);
	launch->number[at] = number;
	return begin_group(races, launch, at, cluster_of(races, launch, cluster));
}

void races_end_group(struct races *races, struct race_group *group)
{
	assert(group->launch->ended < group->launch->groups);
	put_off_forget(races, group);
	if (group->launch->grid)
		grid_group_ends(races, group, group->launch->ended + 1 == group->launch->groups);
	for (uint32_t k = 0; k < group->launch->warps; k++)
		order_end_warp(races, &group->warp[k]);
	for (uint32_t b = 0; b < 16; b++)
		meet_close(races, &group->barrier[b].meeting);
	shadow_clear(races, &group->shared);
	word_forget_met(races, group);
	sync_clear(races, &group->words);
	copy_end_group(races, group);
	maps_end_group(races, group);
	for (uint32_t k = 0; k < 2; k++)
		meet_close(races, &group->phase[k].meeting);
	if (group->cluster)
		end_in_cluster(races, group->launch, group->cluster);
	group->next_free = races->free_groups;
	races->free_groups = group;
	group->launch->ended++;
}

void races_end_launches(struct races *races)
{
	for (struct race_launch *l = races->launches; l; l = l->next) {
		l->ended = l->groups;
		l->ordinal = UINT64_MAX; /* the next one may have the same: a kernel that is run again and again */
		l->grid = NULL;
	}
	grids_forget(races);
	assert(!races->open_grids);
}

struct race_warp *races_warp(struct race_group *group, uint32_t warp)
{
	assert(warp < group->launch->warps);
	return &group->warp[warp];
}

struct race_group *races_group(const struct race_warp *warp)
{
	return warp->group;
}
