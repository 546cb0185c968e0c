/* What happens to launches on the machine: they join, end, hang, pause; and what is counted of them. */
#include "machine/gpu/machine.h"

#include "machine/core/fault.h"
#include "machine/gpu/audit.h"
#include "machine/gpu/children.h"
#include "machine/gpu/early.h"
#include "machine/gpu/launch.h"
#include "machine/observe/watch.h"

#include <assert.h>
#include <string.h>

/* What was issued, in all and by class. */
static void count_instructions(struct counters *counters, const struct launch *launch)
{
	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
		struct issue_count issued = launch_issued(launch, pc);

		assert(!issued.warps || issued.lanes <= issued.warps * launch->machine->model->warp_size);
		counters->warp_instructions += issued.warps;
		counters->thread_instructions += issued.lanes;
		counters->vanished += launch->kernel->code[pc].flags & INSN_VANISHES ? issued.warps : 0;
		((uint64_t *)counters)[launch->rows[pc].counter] += issued.warps;
	}
}

/* What the launch's own instructions have counted. */
static void count_own(struct gpu_result *result, const struct launch *launch)
{
	assert(launch->core_count == launch->machine->cores.count);
	for (const struct core_launch *on = launch->used; on; on = on->next)
		counters_add(&result->counters, &on->counters, sizeof result->counters);
	if (!launch->runs)
		count_instructions(&result->counters, launch);
}

static uint64_t count_cores(const struct launch *launch)
{
	uint64_t used = 0;

	assert(launch->core_count == launch->machine->cores.count);
	for (uint32_t c = 0; c < launch->core_count; c++) {
		bool has = launch->on[c];

		for (uint32_t k = 0; k < launch->part_count && !has; k++)
			has = launch->parts[k]->on[c];
		used += has;
	}
	return used;
}

void machine_count(struct launch *launch)
{
	const struct machine *machine = launch->machine;
	struct gpu_result *result = &launch->result;

	assert(machine);
	assert(machine->mode);
	result->counters = machine_core_totals(machine);
	counters_subtract(&result->counters, &launch->before, sizeof result->counters);
	count_own(result, launch);
	for (uint32_t k = 0; k < launch->part_count; k++)
		count_own(result, launch->parts[k]);
	if (launch->kind->count)
		launch->kind->count(result, launch);
	result->counters.cores_used = count_cores(launch);
	result->counters.lane_slots = result->counters.warp_instructions * machine->model->warp_size;
	if (machine->mode->at_once)
		return;
	result->partition_counters = machine_partition_totals(machine);
	counters_subtract(&result->partition_counters, &launch->partitions_before, sizeof result->partition_counters);
}

void machine_join(struct machine *machine, struct launch *launch)
{
	assert(!launch->machine);
	if (machine->mode->join)
		machine->mode->join(machine, launch);
	launch->machine = machine;
	launch->course.joined = machine->launches.joined++;
	launch->start = machine->time.cycle;
	launch->before = machine_core_totals(machine);
	if (!machine->mode->at_once) /* else nothing comes to them */
		launch->partitions_before = machine_partition_totals(machine);
	launch->ready_at = machine->time.cycle + machine->time.delays.launch_latency;
	if (machine->launches.first) /* of several, all are already */
		launch->result.overlapped = machine->launches.first->result.overlapped = true;
	launch->next = NULL;
	launch->course.previous = machine->launches.last;
	*(launch->course.previous ? &launch->course.previous->next : &machine->launches.first) = launch;
	machine->launches.last = launch;
	launch_activate(machine, launch);
	if (launch->kind->join)
		launch->kind->join(machine, launch);
	early_join(machine, launch);
}

void machine_drop_ended(struct machine *machine)
{
	struct launch *next;

	for (struct launch *launch = machine->launches.active; launch; launch = next) {
		next = launch->course.next_active;
		assert(launch->machine == machine);
		assert(!launch->course.groups_over);
		launch->kind->leave_cores(launch);
	}
}

/* In order of start. */
void machine_note_done(struct launch *launch)
{
	struct launch **at = &launch->machine->launches.done;

	assert(children_ended(launch));
	assert(!launch->parent);
	if (launch->course.is_done || launch->early.primary) /* it is over after that */
		return;
	launch->course.is_done = true;
	while (*at && (*at)->course.joined < launch->course.joined)
		at = &(*at)->course.next_done;
	launch->course.next_done = *at;
	*at = launch;
}

/* What launched one of them may be done then: it ends the next time. */
struct launch *machine_finish_done(struct machine *machine)
{
	struct launch *first = machine->launches.done, *next;

	machine->launches.done = NULL;
	assert(!first || machine->launches.first);
	for (struct launch *launch = first; launch; launch = next) {
		next = launch->course.next_done;
		assert(launch->course.is_done);
		machine_finish(machine, launch, GPU_COMPLETED);
	}
	return first;
}

static void leave_machine(struct machine *machine, struct launch *launch)
{
	struct machine_launches *all = &machine->launches;
	struct launch **done = &all->done;

	assert(launch->machine == machine);
	assert(all->first);
	assert(all->last);
	*(launch->course.previous ? &launch->course.previous->next : &all->first) = launch->next;
	*(launch->next ? &launch->next->course.previous : &all->last) = launch->course.previous;
	while (*done && *done != launch)
		done = &(*done)->course.next_done;
	if (*done)
		*done = launch->course.next_done;
	if (launch->course.groups_over) {
		all->over_instructions -= launch->course.over_instructions;
		all->over_progress -= launch_progress(launch);
	} else {
		launch_deactivate(machine, launch);
	}
	all->ended++;
}

void machine_finish(struct machine *machine, struct launch *launch, enum gpu_outcome outcome)
{
	leave_machine(machine, launch);
	early_follow(machine, launch, outcome == GPU_COMPLETED);
	if (outcome == GPU_COMPLETED) {
		audit_launch(launch);
		if (launch->kind->complete)
			launch->kind->complete(launch);
	}
	launch->result.outcome = outcome;
	launch->result.start = launch->start;
	observers_launch_ends(launch);
	machine->mode->count(launch);
	if (launch->kind->finish)
		launch->kind->finish(launch);
	launch_append(&machine->gpu->finished, launch);
}

/* Ends all launches: first those of kernels, then those of the host. */
static void finish_all(struct machine *machine, enum gpu_outcome outcome)
{
	struct launch *next;

	for (struct launch *launch = machine->launches.first; launch; launch = next) {
		next = launch->next;
		if (launch->child)
			machine_finish(machine, launch, outcome);
	}
	while (machine->launches.first)
		machine_finish(machine, machine->launches.first, outcome);
	assert(!machine->launches.active);
}

void machine_note_hang(struct machine *machine, struct launch *launch, struct finding_detail *detail)
{
	assert(launch->machine == machine);
	assert(detail->message);
	detail->what = detail->message;
	launch->result.finding = (struct finding){.found = true,
		.detail = detail,
		.launch = launch,
		.cycle = machine->time.cycle,
		.kind = "hang",
		.cause = "unknown"};
}

struct launch *machine_fault(struct machine *machine, const struct finding *fault)
{
	struct launch *guilty = fault->launch->parent ? fault->launch->parent : fault->launch;

	assert(fault->found);
	assert(!guilty->parent);
	guilty->result.finding = *fault;
	machine_finish(machine, guilty, GPU_FAULT);
	for (struct launch *other = machine->launches.first; other; other = other->next)
		other->result.finding = (struct finding){.found = true,
			.cycle = machine->time.cycle,
			.kind = fault_kind(FAULT_other),
			.cause = fault_name(FAULT_other),
			.message = "ended by the fault of another kernel that ran at the same time"};
	finish_all(machine, GPU_FAULT);
	return guilty;
}

struct launch *machine_hang(struct machine *machine, bool proved)
{
	struct launch *first = machine->launches.first;

	assert(first);
	for (struct launch *launch = first; launch; launch = launch->next)
		if ((!launch->kind->explain || !launch->kind->explain(machine, launch, proved)) &&
			machine->gpu->explain)
			machine->gpu->explain(machine, launch, proved);
	finish_all(machine, GPU_HANG);
	return first;
}

struct launch *machine_stuck(struct machine *machine, bool pauses, bool proved)
{
	assert(!machine->gpu->stuck);
	assert(machine->launches.first);
	machine->gpu->stuck = pauses;
	machine->gpu->pause.reached = false;
	machine->stuck_for_ever = proved;
	return pauses ? NULL : machine_hang(machine, proved);
}

struct launch *machine_dead(struct machine *machine)
{
	return machine_stuck(machine, machine->gpu->pause.when_dead, true);
}

void machine_show_progress(const struct machine *machine, uint64_t cycles)
{
	const struct lockstep_options *options = &machine->gpu->options;
	const struct launch *launch = machine->launches.first;

	assert(launch);
	assert(launch_groups_done(launch) <= launch->total_groups);
	if (options->progress)
		options->progress(options->progress_context, cycles, launch_instructions(launch),
			launch_groups_done(launch), launch->total_groups);
}

bool machine_pauses(struct machine *machine)
{
	struct gpu *gpu = machine->gpu;

	assert(!gpu->stuck);
	gpu->pause.reached = gpu->pause.at && machine->mode->elapsed(machine, machine->launches.first) >= gpu->pause.at;
	gpu->stuck = gpu->pause.reached;
	return gpu->stuck;
}

bool machine_watch(struct machine *machine, struct launch **over)
{
	enum watch_verdict verdict = watcher_step(machine);

	if (verdict == WATCH_GOES_ON)
		return false;
	*over = machine_stuck(machine, machine->gpu->options.pause_when_stuck, verdict == WATCH_PROVED);
	return true;
}
