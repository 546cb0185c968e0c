/* What an instruction does beyond registers: control flow, sleep, traps; and the table of what carries out each
 * kind. */
#ifndef LOCKSTEP_MACHINE_CORE_CONTROL_H
#define LOCKSTEP_MACHINE_CORE_CONTROL_H

#include "machine/core/core.h"

/* Carries out any instruction but INSN_PLAIN, for the lanes whose guard is true (may be none), and moves the path
 * on. */
void control_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);
/* Where a .sync instruction has its member masks, one for each lane; `vary`: they are in a register.  Null: it has
 * none. */
const uint32_t *control_member_masks(const struct warp *w, const struct insn *i, bool *vary);
/* Between quanta: lanes of a warp end where they are, for experiments. */
void control_end_lanes(struct core *core, struct warp_slot *r, lane_mask lanes);

#endif
