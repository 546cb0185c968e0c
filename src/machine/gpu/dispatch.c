/* Groups of a launch go to cores: the policy's choice, and the launch's part of a core. */
#include "machine/gpu/launch.h"

#include "machine/core/cluster.h"
#include "machine/core/code_cache.h"
#include "machine/gpu/machine.h"
#include "machine/nodes/start.h"
#include "policy/contract.h"

#include <assert.h>

/* How many of a core's places for groups the launch will take at the same time, if it is spread evenly. */
static uint32_t groups_expected(const struct launch *launch, uint32_t places_of_core)
{
	uint64_t share = (launch->total_groups + launch->machine->cores.count - 1) / launch->machine->cores.count;

	assert(places_of_core);
	assert(places_of_core <= 64);
	return share < places_of_core ? (uint32_t)share : places_of_core;
}

/* The launch's part of a core, made when it is first asked for. */
static struct core_launch *on_core(struct launch *launch, uint32_t core)
{
	struct arena *arena = &launch->arena;
	struct core_launch *on = launch->on[core];
	uint32_t groups = launch_groups_on(launch, core), warps = groups * launch->group.warps;

	assert(warps <= CORE_WARPS);
	assert(!on || on->launch == launch);
	if (on)
		return on;
	assert(groups);
	on = launch->on[core] = arena_new(arena, struct core_launch);
	on->launch = launch;
	on->next = launch->used;
	launch->used = on;
	on->expected = groups_expected(launch, groups) * launch->group.warps;
	on->code_line_bits = code_line_bits(launch->machine->model);
	on->code = code_cache_lines(launch->machine->gpu, launch->kernel);
	if (!on->code)
		on->code_line_ready =
			arena_new_array(arena, uint64_t, (launch->kernel->code_count >> on->code_line_bits) + 1);
	on->parameter_line_ready =
		arena_new_array(arena, uint64_t, launch->values.parameter_bytes / PARAMETER_LINE + 1);
	on->issued = arena_new_array(arena, struct issue_count, launch->kernel->code_count);
	on->drops = launch->machine->gpu->options.on_fault == LOCKSTEP_CONTINUE ? arena_new(arena, struct drops) : NULL;
	on->warp_bytes = core_warp_bytes(launch);
	on->warps = arena_alloc(arena, on->warp_bytes * on->expected);
	on->locals = arena_reserve(arena, launch_local_bytes(launch) * warps);
	on->free_warps = first_bits(warps);
	on->shared_stride = ((size_t)launch->group.shared_bytes + 1 + 63) & ~(size_t)63;
	on->shared = arena_array(arena, groups, on->shared_stride);
	on->free_groups = first_bits(groups);
	return on;
}

static int first_with_room(const struct dispatch_view *view)
{
	for (uint32_t c = 0; c < view->core_count; c++)
		if (view->room[c])
			return (int)c;
	return -1;
}

static void start_later(struct launch *launch, uint32_t core, uint32_t number, uint64_t at)
{
	assert(core < launch->core_count);
	assert(launch->dispatch.next_group < launch->total_groups);
	assert(number < launch->total_groups);
	launch->dispatch.next_group++;
	core_promise_group(on_core(launch, core), core, number, at);
}

static struct group *start_now(struct launch *launch, uint32_t core, uint32_t number, uint64_t at)
{
	struct machine *machine = launch->machine;
	struct group *group;

	start_later(launch, core, number, at);
	machine->nodes.at[core].is_due = false;
	group = core_start_promised(machine, core);
	assert(machine->cores.starts.count);
	machine->cores.starts.count--; /* it was the last that was promised */
	return group;
}

/* The first cycle from `at` on that is at least dispatch.interval after the last start. */
static uint64_t next_start(struct machine *machine, uint64_t at)
{
	if (!machine->time.delays.dispatch_interval)
		return at;
	assert(at >= machine->time.cycle);
	at = at > machine->time.next_start ? at : machine->time.next_start;
	machine->time.next_start = at + machine->time.delays.dispatch_interval;
	return at;
}

/* Functional mode: a core gets another group when all warps there have had a turn. */
static uint32_t room_on(const struct launch *launch, uint32_t core)
{
	const struct machine *machine = launch->machine;

	assert(core < machine->cores.count);
	return machine->mode->takes_turns && machine_uses_core(machine, core) && machine->cores.at[core].fresh &&
			       launch->dispatch.policy->next
		       ? 0
		       : core_free_groups(launch, core);
}

bool launch_has_room(const struct launch *launch)
{
	assert(launch->machine);
	for (uint32_t c = 0; c < launch->machine->cores.count; c++)
		if (room_on(launch, c))
			return true;
	return false;
}

static void look_for_room(const struct launch *launch, uint32_t *room)
{
	assert(room);
	assert(launch->machine->cores.count <= MACHINE_CORES);
	for (uint32_t c = 0; c < launch->machine->cores.count; c++)
		room[c] = room_on(launch, c);
}

/* The core that the policy chooses for the next group; -1: none. */
static int next_core(struct launch *launch, const uint32_t *room)
{
	struct machine *machine = launch->machine;
	struct dispatch_view view = {.room = room,
		.core_count = machine->cores.count,
		.next = launch->dispatch.next_group,
		.total = launch->total_groups,
		.now = machine->time.cycle,
		.port_cores = machine->model->crossbar_cores};

	int core;

	if (!launch->dispatch.policy->next)
		return first_with_room(&view);
	core = launch->dispatch.policy->next(launch->dispatch.state, &view);
	if (core >= 0 && !((uint32_t)core < machine->cores.count && room[core]))
		contract_broken(POLICY_dispatch, launch->dispatch.policy,
			"next returned core %d, expected -1 or one of the %u cores that has room", core,
			machine->cores.count);
	return core;
}

struct group *launch_place(struct launch *launch, uint64_t *at, struct core **on)
{
	uint32_t room[MACHINE_CORES];
	int core;

	assert(launch->dispatch.next_group < launch->total_groups);
	look_for_room(launch, room);
	core = next_core(launch, room);
	if (core < 0)
		return NULL;
	*at = next_start(launch->machine, *at);
	*on = &launch->machine->cores.at[core];
	return start_now(launch, (uint32_t)core, launch->dispatch.next_group, *at);
}

/* Cores are looked at only if their room may be another. */
static uint32_t *room_now(struct launch *launch)
{
	const struct machine *machine = launch->machine;
	struct launch_dispatch *d = &launch->dispatch;

	if (!d->room)
		d->room = arena_new_array(&launch->arena, uint32_t, machine->cores.count);
	if (d->rooms != machine->cores.rooms || machine->mode->takes_turns)
		look_for_room(launch, d->room);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		assert(d->room[c] == room_on(launch, c));
	return d->room;
}

/* One after another.  A group takes room on its own core alone. */
static bool place_groups(struct launch *launch, uint64_t at)
{
	struct launch_dispatch *d = &launch->dispatch;
	uint32_t *room = room_now(launch);
	bool any = false;
	int core;

	assert(launch_cluster_size(&launch->values) == 1);
	while (d->next_group < launch->total_groups && (core = next_core(launch, room)) >= 0) {
		uint64_t when = next_start(launch->machine, at);

		assert(room[core]);
		if (launch->machine->cores.start_apart)
			start_later(launch, (uint32_t)core, d->next_group, when);
		else
			start_now(launch, (uint32_t)core, d->next_group, when);
		room[core] = room_on(launch, (uint32_t)core);
		any = true;
	}
	d->rooms = launch->machine->cores.rooms;
	return any;
}

/* ---- Clusters ---- */

/* The flat index of the group of a rank in a cluster of a flat index. */
static uint32_t group_number(const struct launch_values *values, uint32_t cluster, uint32_t rank)
{
	uint32_t at[3];

	assert(rank < launch_cluster_size(values));
	for (uint32_t k = 0; k < 3; k++) {
		uint32_t clusters = values->grid[k] / values->cluster[k];

		at[k] = cluster % clusters * values->cluster[k] + rank % values->cluster[k];
		cluster /= clusters;
		rank /= values->cluster[k];
	}
	return at[0] + values->grid[0] * (at[1] + values->grid[1] * at[2]);
}

uint32_t dispatch_number(const struct launch *launch, uint32_t k)
{
	uint32_t size = launch_cluster_size(&launch->values);

	assert(k < launch->total_groups);
	return size == 1 ? k : group_number(&launch->values, k / size, k % size);
}

uint32_t dispatch_turn(const struct launch *launch, uint32_t number)
{
	const struct launch_values *values = &launch->values;
	uint32_t size = launch_cluster_size(values), cluster = 0, at[3];

	assert(number < launch->total_groups);
	if (size == 1)
		return number;
	launch_place_group(values, number, at);
	for (uint32_t k = 3; k--;)
		cluster = cluster * (values->grid[k] / values->cluster[k]) + at[k] / values->cluster[k];
	return cluster * size + launch_cluster_rank(values, at);
}

/* Where a cluster could start: one group after another on the core of the part that has most room, the first of
 * several. False: there is not enough. */
static bool choose_cores(const struct launch *launch, uint32_t first, uint32_t size, uint32_t *chosen)
{
	struct machine *machine = launch->machine;
	uint32_t end = first + machine->model->cluster_cores, room[MACHINE_CORES];

	assert(first < machine->cores.count);
	assert(machine->cores.count <= MACHINE_CORES);
	end = end < machine->cores.count ? end : machine->cores.count;
	assert(size <= CLUSTER_GROUPS);
	assert(first < end);
	for (uint32_t c = first; c < end; c++)
		room[c] = room_on(launch, c);
	for (uint32_t k = 0; k < size; k++) {
		uint32_t best = first;

		for (uint32_t c = first; c < end; c++)
			best = room[c] > room[best] ? c : best;
		if (!room[best])
			return false;
		room[best]--;
		chosen[k] = best;
	}
	return true;
}

/* Starts the next cluster on the first part of the GPU that has room, from the part after the last cluster's on; false:
 * none has. */
static bool place_cluster(struct launch *launch, uint64_t at)
{
	struct machine *machine = launch->machine;
	uint32_t each = machine->model->cluster_cores, parts = (machine->cores.count + each - 1) / each;
	uint32_t size = launch_cluster_size(&launch->values), cluster = launch->dispatch.next_group / size;
	uint32_t chosen[CLUSTER_GROUPS], p = 0;
	struct core *cores[CLUSTER_GROUPS];
	struct group *groups[CLUSTER_GROUPS];

	assert(launch->dispatch.cluster_part < parts);
	assert(cluster < launch->total_groups / size);
	assert(size <= CLUSTER_GROUPS);
	assert(launch->dispatch.next_group % size == 0);
	while (p < parts && !choose_cores(launch, (launch->dispatch.cluster_part + p) % parts * each, size, chosen))
		p++;
	if (p == parts)
		return false;
	launch->dispatch.cluster_part = (launch->dispatch.cluster_part + p + 1) % parts;
	for (uint32_t k = 0; k < size; k++) {
		cores[k] = &machine->cores.at[chosen[k]];
		groups[k] = start_now(
			launch, chosen[k], group_number(&launch->values, cluster, k), next_start(machine, at));
	}
	cluster_begin(machine, cores, groups, size);
	return true;
}

uint32_t dispatch_cluster_room(const struct gpu_model *model, uint32_t groups_per_core)
{
	uint32_t cores = model->cluster_cores < model->core_count ? model->cluster_cores : model->core_count;

	assert(cores);
	return cores * groups_per_core;
}

static bool place_clusters(struct launch *launch, uint64_t at)
{
	bool any = false;

	assert(launch->machine->cores.peers || launch->machine->mode->at_once); /* clusters send to each other */
	while (launch->dispatch.next_group < launch->total_groups && place_cluster(launch, at))
		any = true;
	return any;
}

bool launch_dispatch(struct launch *launch, uint64_t at)
{
	assert(!launch->course.groups_over);
	assert(launch->dispatch.next_group <= launch->total_groups);
	if (launch->dispatch.next_group == launch->total_groups)
		return false;
	return launch_cluster_size(&launch->values) > 1 ? place_clusters(launch, at) : place_groups(launch, at);
}
