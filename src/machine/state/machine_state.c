/* What a machine has come to, read from its state. */
#include "machine/state/machine_state.h"

#include <assert.h>
#include <stdio.h>

/* The core has had nothing to do since the machine was made. */
uint64_t machine_empty_cycles(const struct machine *machine)
{
	assert(machine->time.cycle >= machine->time.start);
	return (machine->time.cycle - machine->time.start) * machine->model->schedulers;
}

struct counters machine_core_totals(const struct machine *machine)
{
	struct counters total = {0};

	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (core_is_used(&machine->cores.at[c]))
			counters_add(&total, &machine->cores.at[c].counters, sizeof total);
		else
			total.stall_empty += machine_empty_cycles(machine);
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
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		*core = &machine->cores.at[c];
		for (uint64_t m = core_is_used(*core) ? (*core)->groups.used : 0; m; m &= m - 1) {
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
