/* What carries out each kind of instruction: the functions that the column `execute` of kernel/kinds.def names, each in
 * the file of its subject. */
#ifndef LOCKSTEP_MACHINE_CORE_EXECUTORS_H
#define LOCKSTEP_MACHINE_CORE_EXECUTORS_H

#include "machine/state/core.h"

/* Carries out the instruction for the lanes whose guard is true (may be none, unless the kind has KIND_LANES), and
 * moves the path on. */
typedef void kind_executor(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);

#define KIND(id, class, unit, decode, execute, foresee, memory, flags) kind_executor execute;
#include "kernel/kinds.def"
#undef KIND

/* Carries out any instruction but INSN_PLAIN, for the lanes whose guard is true (may be none), and moves the path
 * on. */
void core_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);

#endif
