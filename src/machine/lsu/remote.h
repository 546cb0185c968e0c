/* Accesses of the shared memory of another group of the cluster (.shared::cluster): the way there and back. */
#ifndef LOCKSTEP_MACHINE_LSU_REMOTE_H
#define LOCKSTEP_MACHINE_LSU_REMOTE_H

#include "machine/core/core.h"

/* A remote address, in space_CLUSTER, is SHARED_PART_BYTES times one more than the group's rank, and the offset. */
static inline uint32_t remote_rank(uint64_t address)
{
	return (uint32_t)(address / SHARED_PART_BYTES) - 1;
}

static inline uint64_t remote_offset(uint64_t address)
{
	return address % SHARED_PART_BYTES;
}

/* An access of another group's, as the core that has the memory knows it. */
struct remote_access {
	const struct insn *insn;
	lane_mask lanes, swapped;      /* swapped: whose compare-and-swap stores; timing mode */
	const uint64_t *offset;        /* by lane */
	uint32_t rank;                 /* of the group that has the memory */
	uint32_t core, slot;           /* where it came from */
	uint32_t number, first_thread; /* likewise: its group, the warp's first thread */
};

/* Puts an operation in space_CLUSTER into the queue, a transaction for each group. */
void remote_queue(struct core *core, struct operation *op);
/* A transaction is at the head of the queue. */
void remote_send(struct core *core, struct operation *op, const struct transaction *t);
/* MESSAGE_REMOTE and MESSAGE_ANSWERED have come. */
void remote_serve(struct core *core, const struct message *m);
void remote_answered(struct core *core, const struct message *m);
/* Functional mode: carries the access out. */
void remote_at_once(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint64_t *address);

#endif
