/* What an instruction does beyond registers: control flow, sleep, traps. */
#ifndef LOCKSTEP_MACHINE_CORE_CONTROL_H
#define LOCKSTEP_MACHINE_CORE_CONTROL_H

#include "machine/state/core.h"

/* A branch of the lanes in `taken`.  What it costs beyond its issue is the caller's, which has the row; in functional
 * mode nothing. */
void control_branch(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask taken);
/* Where a .sync instruction has its member masks, one for each lane; `vary`: they are in a register.  Null: it has
 * none. */
const uint32_t *control_member_masks(const struct warp *w, const struct insn *i, bool *vary);
/* An instruction that the whole warp executes together: false where, with independent threads, some of its lanes are
 * still to come, and the path waits for them.  *lanes become those whose guard is true of all that have. */
bool control_gather_warp(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask *lanes);
/* Between quanta: lanes of a warp end where they are, for experiments. */
void control_end_lanes(struct core *core, struct warp_slot *r, lane_mask lanes);

#endif
