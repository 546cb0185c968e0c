/* What launches, and the machine that they are on, have come to, read from their state. */
#ifndef LOCKSTEP_MACHINE_STATE_LAUNCH_STATE_H
#define LOCKSTEP_MACHINE_STATE_LAUNCH_STATE_H

#include "machine/state/machine.h"
#include "util/text.h"

/* The pc of an instruction: one of the kernel's code, or of a copy with hooks in it. */
uint32_t launch_pc_in_copies(const struct launch *launch, const struct insn *insn);
static inline uint32_t launch_pc(const struct launch *launch, const struct insn *insn)
{
	uintptr_t distance = (uintptr_t)insn - (uintptr_t)launch->kernel->code;

	assert(launch->kernel->code_count);
	if (distance < launch->kernel->code_count * sizeof *insn)
		return (uint32_t)(distance / sizeof *insn);
	return launch_pc_in_copies(launch, insn);
}
/* Groups that a core of its own holds at once, 0 on one that it leaves to others. */
uint32_t launch_groups_on(const struct launch *launch, uint32_t core);
uint64_t launch_groups_done(const struct launch *launch);
/* How often an instruction was issued so far, on all cores; not in functional mode. */
struct issue_count launch_issued(const struct launch *launch, uint32_t pc);
/* Warp instructions of the launch so far, of all launches on the machine. */
uint64_t launch_instructions(const struct launch *launch);
uint64_t machine_instructions(const struct machine *machine);
/* Another number whenever one of its work-groups begins or ends; likewise of all launches, also when one begins or
 * ends.
 */
uint64_t launch_progress(const struct launch *launch);
uint64_t machine_progress(const struct machine *machine);

/* ---- The machine ---- */

/* Issue slots of a core that has had nothing to do since the machine was made. */
uint64_t machine_empty_cycles(const struct machine *machine);
/* What the cores have counted since they were made; the launches' instructions are not among it.  What the partitions
 * have counted in all launches so far. */
struct counters machine_core_totals(const struct machine *machine);
struct partition_counters machine_partition_totals(const struct machine *machine);
/* The time since the machine began, in machine_mode.clock_unit. */
static inline uint64_t machine_clock(const struct machine *machine)
{
	return machine->mode->clock(machine);
}
/* The launch of that ordinal; null: it is not on the machine. */
struct launch *machine_launch(const struct machine *machine, uint64_t ordinal);
/* The work-group of that number of such a launch, and its core; null: it is on none. */
struct group *machine_group(const struct machine *machine, uint64_t launch, uint32_t number, struct core **core);

/* Puts out what the kernel or an observer prints, and empties it. */
void machine_print(const struct machine *machine, struct text *out);

#endif
