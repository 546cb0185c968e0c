/* Programmatic dependent launch: see early.h. */
#include "machine/gpu/early.h"

#include "machine/core/schedule.h"
#include "machine/gpu/machine.h"
#include "machine/observe/grids.h"
#include "machine/observe/watch.h"
#include "machine/state/child.h"
#include "machine/state/launch_state.h"

#include <assert.h>

void early_join(struct machine *machine, struct launch *launch)
{
	struct launch *primary = machine->launches.first;

	assert(launch->machine == machine);
	assert(!launch->early.primary);
	if (!launch->early.after)
		return;
	while (primary && primary->ordinal + 1 != launch->early.after)
		primary = primary->next;
	if (!primary)
		return;
	assert(primary != launch);
	launch->early.primary = primary;
	launch->early.is_held = true;
	launch->early.ready_at = launch->ready_at;
	launch->ready_at = NEVER;
	machine->launches.held++;
}

/* What it counts it counts from now on. */
static void begin(struct machine *machine, struct launch *launch)
{
	assert(launch->early.is_held);
	assert(machine->launches.held);
	machine->launches.held--;
	launch->early.is_held = false;
	launch->ready_at = launch->early.ready_at;
	if (launch->ready_at < machine->time.cycle)
		launch->ready_at = machine->time.cycle;
	launch->start = machine->time.cycle;
	launch->before = machine_core_totals(machine);
	if (!machine->mode->at_once)
		launch->partitions_before = machine_partition_totals(machine);
}

static bool has_triggered(const struct launch *primary)
{
	uint64_t count = launch_groups_done(primary);

	assert(count <= primary->total_groups);
	for (const struct core_launch *on = primary->used; on; on = on->next)
		count += on->triggered;
	assert(count <= primary->total_groups);
	return primary->dispatch.next_group == primary->total_groups && count == primary->total_groups;
}

void early_begin(struct machine *machine)
{
	assert(machine->launches.held <= machine->launches.joined);
	for (struct launch *l = machine->launches.held ? machine->launches.active : NULL; l; l = l->course.next_active)
		if (l->early.is_held && has_triggered(l->early.primary))
			begin(machine, l);
}

static void let_go(struct machine *machine, struct launch *launch)
{
	assert(!launch->early.primary);
	for (uint32_t c = 0; c < launch->core_count; c++) {
		struct core *core = &machine->cores.at[c];
		struct core_launch *on = launch->on[c];
		uint64_t slots = on ? on->awaiting : 0;

		for (uint64_t m = slots; m; m &= m - 1) {
			struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

			assert(r->held && r->core_launch == on);
			on->awaiting &= ~r->bit;
			r->held = false;
			watch_break(core, PREMISE_COURSE);
			grids_awaited(core, r);
			r->hold_until = machine->time.cycle;
			core_schedule(core, r);
		}
	}
}

void early_follow(struct machine *machine, const struct launch *primary, bool completed)
{
	assert(primary->machine == machine);
	assert(!completed || !primary->early.is_held);
	machine->launches.held -= primary->early.is_held;
	for (struct launch *l = machine->launches.first; l; l = l->next) {
		if (l->early.primary != primary)
			continue;
		l->early.primary = NULL;
		if (!completed)
			continue;
		if (l->early.is_held)
			begin(machine, l);
		let_go(machine, l);
		if (l->course.groups_over && children_ended(l))
			machine_note_done(l);
	}
}
