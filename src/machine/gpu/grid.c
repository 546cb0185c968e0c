/* Launches whose work-groups are a grid, from the host or from the GPU: see state/launch_kind.h. */
#include "machine/gpu/children.h"
#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"
#include "util/demangle.h"

#include <assert.h>

static bool dispatch(struct launch *launch)
{
	const struct machine *machine = launch->machine;

	assert(launch->ready_at <= machine->time.cycle);
	assert(!launch->parent);
	return launch_dispatch(launch, machine->time.cycle + machine->model->dispatch_latency);
}

/* All its work-groups have ended: of a thousand launches that wait for what they have launched none is looked at in
 * each quantum.  A group's place is free again only when all its requests are answered, so nothing is on its way for a
 * launch that is done. */
static void leave_cores(struct launch *launch)
{
	struct machine *machine = launch->machine;

	assert(!launch->course.groups_over);
	if (launch->dispatch.next_group != launch->total_groups || launch_groups_done(launch) != launch->total_groups)
		return;
	launch->course.over_instructions = launch_instructions(launch);
	launch->course.groups_over = true;
	machine->launches.over_instructions += launch->course.over_instructions;
	machine->launches.over_progress += launch_progress(launch);
	launch_deactivate(machine, launch);
	machine->children.tails_due = true;
	if (children_ended(launch))
		machine_note_done(launch);
}

/* It waits for the launch before it, which hangs: before its first group, or in some of its warps. */
static bool explain_early(struct machine *machine, struct launch *launch, bool proved)
{
	const struct launch *primary = launch->early.primary;
	struct finding_detail *detail;
	uint64_t waiting = 0;

	assert(primary);
	for (const struct core_launch *on = launch->used; on; on = on->next)
		waiting |= on->awaiting;
	if (!launch->early.is_held && !waiting)
		return false;
	detail = arena_new(machine->gpu->arena, struct finding_detail);
	detail->proved = proved;
	detail->message = arena_printf(machine->gpu->arena, "%s kernel %s of launch %llu, which hangs",
		launch->early.is_held ? "the kernel has not begun: it waits for griddepcontrol.launch_dependents of"
				      : "the kernel waits in griddepcontrol.wait for the end of",
		demangle_brief(machine->gpu->arena, primary->kernel->entry->name),
		(unsigned long long)primary->ordinal);
	machine_note_hang(machine, launch, detail);
	return true;
}

/* Its work-groups may have ended, so that it has no part in the hang. */
static bool explain(struct machine *machine, struct launch *launch, bool proved)
{
	struct finding_detail *detail;

	assert(launch->machine == machine);
	if (launch->early.primary && explain_early(machine, launch, proved))
		return true;
	if (!children_only_waits(launch))
		return false;
	detail = arena_new(machine->gpu->arena, struct finding_detail);
	detail->proved = proved;
	detail->message = "all work-groups have ended; the kernel waits for the grids that it has launched, and one of "
			  "them hangs or cannot begin";
	machine_note_hang(machine, launch, detail);
	return true;
}

const struct launch_kind launch_grid = {
	.complete = children_finish,
	.dispatch = dispatch,
	.leave_cores = leave_cores,
	.watch = machine_watch,
	.explain = explain,
};
