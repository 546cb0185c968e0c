/* Atomics: what is shared with lock instructions, which go to memory as atomics where locks do not queue. */
#ifndef LOCKSTEP_MACHINE_LSU_ATOMIC_H
#define LOCKSTEP_MACHINE_LSU_ATOMIC_H

#include "machine/lsu/memory_kind.h"
#include "machine/state/core.h"

#include <assert.h>

/* memory_kind.send: one message with an entry per lane, from op->data as atomic_capture_operands leaves it.  Replies go
 * to memory_kind.found. */
bool atomic_send(struct core *core, struct operation *op, const struct transaction *t);
/* What such a message has, as bytes of payload: operations of an element of these lanes.  Room: an entry and 16 bytes a
 * lane. */
uint32_t atomic_fill(const struct core *core, const struct operation *op, lane_mask lanes, uint32_t element,
	struct atomic_payload *payload);
/* memory_kind.capture: both operands, of s[1] and s[2], side by side, lane after lane. */
void atomic_capture_operands(struct operation *op);

/* Of a message on its way, by its token: the operation.  The message's lanes are those of its entries, lowest first. */
static inline struct operation *atomic_sent(const struct core *core, uint32_t token)
{
	assert(token >> 8 < core->lsu.operation_fresh);
	return &core->lsu.operations[token >> 8];
}

/* Of an asynchronous reduction: a message that reduces elements of one line, from `address` on, by those of `bytes`
 * bytes at `data`, as a lane's.  False: there are too many on their way; a reply comes first. */
bool atomic_send_elements(struct core *core, struct operation *op, uint32_t lane, enum ptx_type type, uint64_t address,
	const uint8_t *data, uint32_t bytes);
/* Functional mode: the same at once. */
void atomic_reduce_at_once(struct core *core, const struct insn *i, enum ptx_type type, uint64_t address,
	const uint8_t *data, uint32_t bytes);

/* Lock bits have been freed: atomics of shared memory that wait for them go on. */
void atomic_go_on(struct core *core);
/* The lanes of the warp whose atomic waits for lock bits that a program has, and which instruction that is: its pc in
 * *pc, the address of each of the lanes in *address, which stays the unit's.  0: none does. */
lane_mask atomic_lanes_stopped(
	const struct core *core, const struct warp_slot *r, uint32_t *pc, const uint64_t **address);

#endif
