/* Warps, work-groups and kernels by their names. */
#include "debug/engine.h"
#include "machine/core/path.h"
#include "machine/observe/locks.h"
#include "machine/state/launch_state.h"

#include <assert.h>

struct warp_name name_of(const struct warp_slot *r)
{
	assert(r->group);
	return (struct warp_name){.known = true,
		.launch = r->core_launch->launch->ordinal,
		.group = r->group->number,
		.warp = r->warp.first_thread / r->warp.lanes};
}

bool has_name(const struct warp_slot *r, const struct warp_name *name)
{
	assert(r->group);
	return name->known && r->group->number == name->group && r->warp.first_thread / r->warp.lanes == name->warp &&
	       r->core_launch->launch->ordinal == name->launch;
}

struct group *find_group(const struct debugger *d, uint64_t launch, uint32_t number, struct core **core)
{
	struct machine *machine = d->gpu->machine;

	if (!machine)
		return NULL;
	EACH_USED_CORE(machine, c) {
		*core = &machine->cores.at[c];
		for (uint64_t m = core_warps(*core); m; m &= m - 1) {
			struct warp_slot *r = &(*core)->slots[__builtin_ctzll(m)];

			if (r->group && r->group->used && r->group->number == number &&
				r->core_launch->launch->ordinal == launch)
				return r->group;
		}
	}
	return NULL;
}

struct warp_slot *find_warp(const struct debugger *d, const struct warp_name *name, struct core **core)
{
	const struct group *group = name->known ? find_group(d, name->launch, name->group, core) : NULL;

	for (uint64_t m = group ? group->slots & core_warps(*core) : 0; m; m &= m - 1) {
		struct warp_slot *r = &(*core)->slots[__builtin_ctzll(m)];

		if (r->warp.first_thread / r->warp.lanes == name->warp)
			return r;
	}
	return NULL;
}

struct warp_slot *find_focus(struct debugger *d, struct core **core)
{
	struct warp_slot *r = find_warp(d, &d->focus, core);

	if (r)
		return r;
	if (!d->focus.known)
		text_print(&d->out, "no warp is chosen: choose one that `warps` lists by `warp GROUP.WARP`\n");
	else
		text_print(&d->out, "warp %u.%u is on no core here: choose one that `warps` lists\n", d->focus.group,
			d->focus.warp);
	return NULL;
}

void each_locks(const struct debugger *d,
	void (*visit)(void *context, const struct warp_slot *r, const struct warp_locks *locks), void *context)
{
	const struct machine *machine = d->gpu->machine;

	if (!machine)
		return;
	EACH_USED_CORE(machine, c) {
		const struct core *core = &machine->cores.at[c];

		for (uint64_t m = core_warps(core); m; m &= m - 1) {
			const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

			if (r->group)
				visit(context, r, locks_of(core, r));
		}
	}
}

static void take_path(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct lane_place *place = context;

	if (lanes >> place->lane & 1) {
		place->pc = pc;
		place->waiting = waiting;
	}
}

struct lane_place find_lane(const struct warp_slot *r, uint32_t lane)
{
	struct lane_place place = {.lane = lane, .pc = UINT32_MAX};

	path_each(r, take_path, &place);
	return place;
}

const struct kernel *find_kernel(const struct debugger *d)
{
	const struct machine *machine = d->gpu->machine;
	struct core *core;
	const struct warp_slot *r = find_warp(d, &d->focus, &core);

	if (r)
		return r->warp.kernel;
	if (machine && machine->launches.first)
		return machine->launches.first->kernel;
	if (d->gpu->waiting)
		return d->gpu->waiting->kernel;
	return d->kernel;
}
