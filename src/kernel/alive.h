/* Which registers hold a value that is still read, in front of an instruction: for people who look at a run. */
#ifndef LOCKSTEP_KERNEL_ALIVE_H
#define LOCKSTEP_KERNEL_ALIVE_H

#include "kernel/flow.h"

/* Whether a path leads from the instruction (an index into the function's code) to a read of the register without a
 * write before.  `flow` is of flow_analyse.  Where this is false, the register's slot may hold another's value. */
bool flow_is_alive(const struct flow *flow, uint32_t instruction, const struct ptx_register *reg);

#endif
