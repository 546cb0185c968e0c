/* Whether a launch that is run again makes progress: what it issues, compared with what is issued in the hang. */
#include "explore/again_parts.h"

#include "machine/observe/watch.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

/* Marks the code in which the warps of a machine that hangs wait: what each of them repeats. */
static void mark_waits(const struct machine *machine, const struct launch *launch, bool *waits)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];

		const struct watch *watch = watch_of(core);

		for (uint32_t slot = 0; watch && slot < core->warps.count; slot++) {
			const struct watched_warp *w = &watch->warps[slot];

			if (w->state != WATCH_BACK || core->slots[slot].core_launch->launch != launch)
				continue;
			for (uint32_t pc = w->first_pc; pc <= w->last_pc && pc < launch->kernel->code_count; pc++)
				waits[pc] = true;
		}
	}
}

/* A few iterations more or less prove nothing: they also come from another order. */
static bool is_clearly_more(uint64_t now, uint64_t before)
{
	return now > before + before / 4 + 1024;
}

bool again_is_further(const struct again *again, const struct machine *machine)
{
	const struct launch *now = again->gpu.machine ? again->gpu.machine->launches.first : NULL,
			    *before = machine->launches.first;
	uint64_t work = 0, work_before = 0;
	struct arena scratch = {0};
	bool *waits, is_new = false;

	if (machine->mode->counts_blocks || !now || now->kernel != before->kernel)
		return false;
	waits = arena_new_array(&scratch, bool, before->kernel->code_count);
	mark_waits(machine, before, waits);
	for (uint32_t pc = 0; pc < now->kernel->code_count; pc++) {
		uint64_t lanes = launch_issued(now, pc).lanes, lanes_before = launch_issued(before, pc).lanes;

		is_new |= lanes && !lanes_before;
		work += waits[pc] ? 0 : lanes;
		work_before += waits[pc] ? 0 : lanes_before;
	}
	arena_free(&scratch);
	return is_new || is_clearly_more(work, work_before);
}

/* ---- The code in which it waits ---- */

static uint64_t successes_of(const struct machine *machine)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < machine->cores.count; c++)
		sum += machine->cores.at[c].counters.lock_success + machine->cores.at[c].counters.wait_success;
	return sum;
}

static bool is_unsteady(const struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (watch_of(&machine->cores.at[c]) && watch_of(&machine->cores.at[c])->unsteady)
			return true;
	return false;
}

bool again_has_taken_more(const struct again *again, const struct machine *machine)
{
	return again->gpu.machine && !is_unsteady(machine) && successes_of(again->gpu.machine) > successes_of(machine);
}

/* Updates again->issued; whether an instruction outside of `but` (null: any) has been issued since the last look. */
static bool look_at_issues(struct again *again, bool *issued_meanwhile, const bool *but)
{
	const struct launch *launch = again->gpu.machine->launches.first;
	bool any = false;

	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
		uint64_t lanes = launch_issued(launch, pc).lanes;
		bool more = lanes > again->issued[pc];

		any |= more && !(but && but[pc]);
		if (issued_meanwhile)
			issued_meanwhile[pc] |= more;
		again->issued[pc] = lanes;
	}
	return any;
}

bool again_note_waits(struct again *again, struct again_limits limits)
{
	uint32_t count = again->gpu.machine->launches.first->kernel->code_count;
	uint64_t before = successes_of(again->gpu.machine);
	enum again_outcome outcome;

	again->waits = arena_new_array(&again->arena, bool, count);
	again->issued = arena_new_array(&again->arena, uint64_t, count);
	look_at_issues(again, NULL, NULL);
	outcome = again_run(again, limits);
	if (outcome != AGAIN_HANGS && outcome != AGAIN_LIMIT)
		return false;
	look_at_issues(again, again->waits, NULL);
	again->successes = successes_of(again->gpu.machine);
	again->waits_succeed = again->successes != before;
	return true;
}

bool again_first_left_waits(struct again *again)
{
	return again->ended || !again->gpu.machine ||
	       again->gpu.machine->launches.first->kernel != again->machine->launches.first->kernel ||
	       look_at_issues(again, NULL, again->waits);
}

bool again_left_waits(struct again *again)
{
	uint64_t before = again->successes;
	bool beyond;

	if (!again->gpu.machine || !again->gpu.machine->launches.first)
		return true;
	again->successes = successes_of(again->gpu.machine);
	beyond = look_at_issues(again, NULL, again->waits);
	return beyond || (!again->waits_succeed && again->successes != before);
}
