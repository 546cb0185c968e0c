/* exec functions of instructions that decode inserts (insn.inserted): special registers, stack addresses, call
 * arguments and results. */
#ifndef LOCKSTEP_WARP_FRAME_H
#define LOCKSTEP_WARP_FRAME_H

#include "kernel/insn.h"

/* Never null when insn->inserted is set: warp_exec_lookup asks here first. */
exec_function *frame_exec_lookup(const struct insn *insn);

/* A special register's value in one lane, for messages and start-up: 64 bits wide whatever the register. */
uint64_t frame_special(const struct warp *w, uint32_t lane, enum ptx_special special, uint32_t component);

#endif
