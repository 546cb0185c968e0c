/* What a launch has come to, read from its state. */
#ifndef LOCKSTEP_MACHINE_GPU_LAUNCH_STATE_H
#define LOCKSTEP_MACHINE_GPU_LAUNCH_STATE_H

#include "machine/state.h"

/* The pc of an instruction: one of the kernel's code, or of a copy with hooks in it. */
uint32_t launch_pc(const struct launch *launch, const struct insn *insn);
/* Groups that a core of its own holds at once. */
uint32_t launch_groups_on(const struct launch *launch, uint32_t core);
uint64_t launch_groups_done(const struct launch *launch);
/* How often an instruction was issued so far, on all cores; not in functional mode. */
struct issue_count launch_issued(const struct launch *launch, uint32_t pc);
/* Warp instructions of the launch so far. */
uint64_t launch_instructions(const struct launch *launch);

#endif
