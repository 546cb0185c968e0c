/* What a launch has come to, read from its state. */
#ifndef LOCKSTEP_MACHINE_STATE_LAUNCH_STATE_H
#define LOCKSTEP_MACHINE_STATE_LAUNCH_STATE_H

#include "machine/state/machine.h"

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
/* Warp instructions of the launch so far. */
uint64_t launch_instructions(const struct launch *launch);

#endif
