/* What an instruction does beyond registers: control flow, sleep, traps. */
#ifndef LOCKSTEP_MACHINE_CORE_CONTROL_H
#define LOCKSTEP_MACHINE_CORE_CONTROL_H

#include "machine/state/core.h"

/* Where a .sync instruction has its member masks, one for each lane; `vary`: they are in a register.  Null: it has
 * none. */
const uint32_t *control_member_masks(const struct warp *w, const struct insn *i, bool *vary);
/* Between quanta: lanes of a warp end where they are, for experiments. */
void control_end_lanes(struct core *core, struct warp_slot *r, lane_mask lanes);

#endif
