/* Device printf and assert: what kernels say, collected per core and put out between quanta in order of (cycle,
 * core). */
#ifndef LOCKSTEP_MACHINE_RUNTIME_PRINT_H
#define LOCKSTEP_MACHINE_RUNTIME_PRINT_H

#include "machine/state/core.h"

/* vprintf(format, arguments) for `lanes`: the arguments are copied now.  Moves the path on. */
void print_record(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);
/* __assertfail(...): a finding with the text of the assertion. */
void print_assert(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);

#endif
