/* Atomics: what lock instructions, which go to memory as atomics where locks do not queue, have of them. */
#ifndef LOCKSTEP_MACHINE_LSU_ATOMIC_H
#define LOCKSTEP_MACHINE_LSU_ATOMIC_H

#include "machine/lsu/memory_kind.h"

/* Bytes of an operation's state that are the atomic's: a kind that sends atomics has them first, and its own behind. */
size_t atomic_state_bytes(uint32_t lanes);
/* memory_kind.send: one message with an entry per lane, from op->data as atomic_capture_operands leaves it.  Replies go
 * to memory_kind.found. */
bool atomic_send(struct core *core, struct operation *op, const struct transaction *t);
/* memory_kind.capture: both operands, of s[1] and s[2], side by side, lane after lane. */
void atomic_capture_operands(struct operation *op);

#endif
