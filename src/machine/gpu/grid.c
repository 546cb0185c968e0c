/* Launches whose work-groups are a grid, from the host or from the GPU: see state/launch_kind.h. */
#include "machine/gpu/children.h"
#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"

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

/* Its work-groups may have ended, so that it has no part in the hang. */
static bool explain(struct machine *machine, struct launch *launch, bool proved)
{
	struct finding_detail *detail;

	assert(launch->machine == machine);
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
