/* Accesses of the shared memory of another group of the cluster (.shared::cluster): the way there and back. */
#ifndef LOCKSTEP_MACHINE_LSU_REMOTE_H
#define LOCKSTEP_MACHINE_LSU_REMOTE_H

#include "machine/state/core.h"

/* An access of another group's, as the core that has the memory knows it. */
struct remote_access {
	const struct insn *insn;
	lane_mask lanes, swapped;      /* swapped: whose compare-and-swap stores; timing mode */
	const uint64_t *offset;        /* by lane */
	uint32_t rank;                 /* of the group that has the memory */
	uint32_t core, slot;           /* where it came from */
	uint32_t number, first_thread; /* likewise: its group, the warp's first thread */
	uint32_t token;                /* and the operation there, of kinds that are performed as by another thread */
};

/* Puts an operation in space_CLUSTER into the queue, a transaction for each group. */
void remote_queue(struct core *core, struct operation *op);
/* MESSAGE_REMOTE and MESSAGE_ANSWERED have come. */
void remote_serve(struct core *core, const struct message *m);
void remote_answered(struct core *core, const struct message *m);

extern const struct remote_way remote_way;

#endif
