/* What launches, and the machine that they are on, have come to, read from their state. */
#include "machine/state/launch_state.h"

#include <assert.h>
#include <stdio.h>

uint32_t launch_pc_in_copies(const struct launch *launch, const struct insn *insn)
{
	const struct observed_code *copy = launch->copies;
	uintptr_t bytes = launch->kernel->code_count * sizeof *insn;

	while (copy && (uintptr_t)insn - (uintptr_t)copy->code >= bytes)
		copy = copy->next;
	assert(copy); /* it is of this launch */
	return (uint32_t)(insn - copy->code);
}

uint32_t launch_groups_on(const struct launch *launch, uint32_t core)
{
	const struct gpu_model *model = launch->machine->model;

	assert(core < model->core_count);
	if (core + launch->kept >= model->core_count)
		return 0;
	return core + model->lesser_cores < model->core_count ? launch->group.per_core : launch->group.per_lesser_core;
}

uint64_t launch_groups_done(const struct launch *launch)
{
	uint64_t done = 0;

	if (launch->course.groups_over)
		return launch->total_groups;
	for (uint32_t k = 0; k < launch->part_count; k++)
		done += launch_groups_done(launch->parts[k]);
	for (const struct core_launch *on = launch->used; on; on = on->next)
		done += on->groups_done;
	assert(done <= launch->total_groups);
	return done;
}

struct issue_count launch_issued(const struct launch *launch, uint32_t pc)
{
	struct issue_count sum = {0};

	assert(pc < launch->kernel->code_count);
	for (const struct core_launch *on = launch->used; on; on = on->next) {
		assert(on->launch == launch);
		sum.warps += on->issued[pc].warps;
		sum.lanes += on->issued[pc].lanes;
	}
	return sum;
}

uint64_t launch_instructions(const struct launch *launch)
{
	uint64_t sum = 0;

	assert(launch->course.groups_over || !launch->course.over_instructions);
	if (launch->course.groups_over)
		return launch->course.over_instructions;
	for (uint32_t k = 0; k < launch->part_count; k++)
		sum += launch_instructions(launch->parts[k]);
	for (const struct core_launch *on = launch->used; on; on = on->next) {
		sum += on->counters.warp_instructions;
		for (uint32_t pc = 0; !launch->runs && pc < launch->kernel->code_count; pc++)
			sum += on->issued[pc].warps;
	}
	return sum;
}

uint64_t launch_progress(const struct launch *launch)
{
	assert(launch->dispatch.next_group <= launch->total_groups);
	return launch->dispatch.next_group + launch_groups_done(launch) + launch->ordinal;
}

/* ---- The machine ---- */

static uint64_t sum_active(const struct machine *machine, uint64_t (*of)(const struct launch *launch))
{
	uint64_t sum = 0;

	assert(!machine->launches.active || machine->launches.first);
	for (const struct launch *launch = machine->launches.active; launch; launch = launch->course.next_active)
		sum += of(launch);
	return sum;
}

uint64_t machine_instructions(const struct machine *machine)
{
	return machine->launches.over_instructions + sum_active(machine, launch_instructions);
}

uint64_t machine_progress(const struct machine *machine)
{
	return machine->launches.over_progress + sum_active(machine, launch_progress);
}

/* The core has had nothing to do since the machine was made. */
uint64_t machine_empty_cycles(const struct machine *machine)
{
	assert(machine->time.cycle >= machine->time.start);
	return (machine->time.cycle - machine->time.start) * machine->model->schedulers;
}

struct counters machine_core_totals(const struct machine *machine)
{
	struct counters total = {0};

	uint32_t unused = machine->cores.count;

	EACH_USED_CORE(machine, c) {
		counters_add(&total, &machine->cores.at[c].counters, sizeof total);
		unused--;
	}
	total.stall_empty += unused * machine_empty_cycles(machine);
	return total;
}

struct partition_counters machine_partition_totals(const struct machine *machine)
{
	struct partition_counters total = {0};

	assert(machine->partition_count);
	for (uint32_t p = 0; p < machine->partition_count; p++) {
		struct partition_counters one = partition_counters(machine->partitions[p]);

		counters_add(&total, &one, sizeof total);
	}
	return total;
}

struct launch *machine_launch(const struct machine *machine, uint64_t ordinal)
{
	struct launch *launch = machine->launches.first;

	assert(!launch || launch->machine == machine);
	while (launch && launch->ordinal != ordinal)
		launch = launch->next;
	return launch;
}

struct group *machine_group(const struct machine *machine, uint64_t launch, uint32_t number, struct core **core)
{
	EACH_USED_CORE(machine, c) {
		*core = &machine->cores.at[c];
		for (uint64_t m = (*core)->groups.used; m; m &= m - 1) {
			struct group *group = &(*core)->groups.at[__builtin_ctzll(m)];

			assert(group->used);
			if (group->number == number && group->launch == launch)
				return group;
		}
	}
	return NULL;
}

void machine_print(const struct machine *machine, struct text *out)
{
	const struct lockstep_options *options = &machine->gpu->options;

	assert(!out->length || out->at);
	if (options->print && out->length)
		options->print(options->print_context, out->at, out->length);
	else if (out->length)
		fwrite(out->at, 1, out->length, stdout);
	out->length = 0;
}
