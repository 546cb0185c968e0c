/* Groups of a launch go to cores: the policy's choice, and the launch's part of a core. */
#include "machine/gpu/dispatch.h"

#include "machine/core/start.h"
#include "machine/gpu/launch_state.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/texture.h"
#include "machine/observe/observer.h"

static uint64_t places(uint32_t count)
{
	return count == 64 ? ~0ull : (1ull << count) - 1;
}

/* How many of a core's places for groups the launch will take at the same time, if it is spread evenly. */
static uint32_t groups_expected(const struct launch *launch, uint32_t places_of_core)
{
	uint64_t share = (launch->total_groups + launch->machine->core_count - 1) / launch->machine->core_count;

	return share < places_of_core ? (uint32_t)share : places_of_core;
}

/* The launch's part of a core, made when it is first asked for. */
static struct core_launch *on_core(struct launch *launch, struct core *core)
{
	struct arena *arena = &launch->arena;
	struct core_launch *on = launch->on[core->index];
	uint32_t groups = launch_groups_on(launch, core->index), warps = groups * launch->group_warps;

	if (on)
		return on;
	on = launch->on[core->index] = arena_new(arena, struct core_launch);
	on->launch = launch;
	on->code_line_ready = arena_new_array(arena, uint64_t, launch->kernel->code_count / FETCH_LINE + 1);
	on->parameter_line_ready =
		arena_new_array(arena, uint64_t, launch->values.parameter_bytes / PARAMETER_LINE + 1);
	on->issued = arena_new_array(arena, struct issue_count, launch->kernel->code_count);
	on->drops = launch->machine->gpu->options.on_fault == LOCKSTEP_CONTINUE ? arena_new(arena, struct drops) : NULL;
	on->warp_bytes = core_warp_bytes(launch);
	on->warps = arena_reserve_used(
		arena, on->warp_bytes * warps, on->warp_bytes * groups_expected(launch, groups) * launch->group_warps);
	on->locals = arena_reserve(arena, launch_local_bytes(launch) * warps);
	on->free_warps = places(warps);
	on->shared_stride = ((size_t)launch->shared_bytes + 1 + 63) & ~(size_t)63;
	on->shared = arena_array(arena, groups, on->shared_stride);
	on->free_groups = places(groups);
	observe_launch_begins(core, on);
	return on;
}

static int first_with_room(const struct dispatch_view *view)
{
	for (uint32_t c = 0; c < view->core_count; c++)
		if (view->room[c])
			return (int)c;
	return -1;
}

static struct group *start_group(struct core *core, struct launch *launch, uint64_t at)
{
	if (launch->kernel->fetches)
		texture_prepare(core, &launch->machine->core_arenas[core->index]);
	return core_start_group(core, on_core(launch, core), launch->next_group++, at);
}

/* The first cycle from `at` on that is dispatch.interval behind the start before.  Functional mode has no clock. */
static uint64_t next_start(struct machine *machine, const struct launch *launch, uint64_t at)
{
	if (launch->functional || !machine->model->dispatch_interval)
		return at;
	at = at > machine->next_start ? at : machine->next_start;
	machine->next_start = at + machine->model->dispatch_interval;
	return at;
}

/* The core that the policy chooses for the next group; -1: none. */
static int next_core(struct launch *launch)
{
	struct machine *machine = launch->machine;
	uint32_t room[256];
	struct dispatch_view view = {.room = room,
		.core_count = machine->core_count,
		.next = launch->next_group,
		.total = launch->total_groups,
		.now = machine->cycle};

	for (uint32_t c = 0; c < machine->core_count; c++)
		room[c] = launch->functional && machine->cores[c].fresh && launch->dispatcher->next
				  ? 0
				  : core_free_groups(&machine->cores[c], launch);
	return launch->dispatcher->next ? launch->dispatcher->next(launch->dispatcher_state, &view)
					: first_with_room(&view);
}

struct group *launch_place(struct launch *launch, uint64_t *at, struct core **on)
{
	int core = next_core(launch);

	if (core < 0)
		return NULL;
	*at = next_start(launch->machine, launch, *at);
	*on = machine_core(launch->machine, (uint32_t)core);
	return start_group(*on, launch, *at);
}

bool launch_dispatch(struct launch *launch, uint64_t at)
{
	bool any = false;

	while (launch->next_group < launch->total_groups) {
		uint64_t when = at;
		struct core *core;

		if (!launch_place(launch, &when, &core))
			break;
		any = true;
	}
	return any;
}
