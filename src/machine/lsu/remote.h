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
	uint32_t bytes;                /* of a lane */
};

/* Puts an operation in space_CLUSTER into the queue, a transaction for each group. */
void remote_queue(struct core *core, struct operation *op);
/* MESSAGE_REMOTE and MESSAGE_ANSWERED have come. */
void remote_serve(struct core *core, const struct message *m);
void remote_answered(struct core *core, const struct message *m);

extern const struct remote_way remote_way;

/* ---- remote_block.c: a part of a lane's bulk copy, for a group ---- */

struct remote_block {
	const uint8_t *data;
	uint32_t lane, rank, offset, bytes; /* rank, offset: where it goes */
	uint32_t object, completes;         /* the mbarrier there, and how many bytes the last part tells it of */
	bool is_last;
};

/* The group's core calls the kind's remote.execute, whose `data` is the block. */
void remote_send_block(struct core *core, const struct operation *op, const struct remote_block *block);
void remote_block_at_once(struct core *core, const struct operation *op, const struct remote_block *block);
/* Its group, which is one of this core, carries it out. */
void remote_carry_out_block(
	struct core *core, struct group *group, struct remote_access access, struct remote_block *block);
/* MESSAGE_BLOCK has come. */
void remote_serve_block(struct core *core, const struct message *m);

/* ---- remote.c, for that ---- */

/* `later`: further cycles that it takes. */
void remote_post(struct core *core, struct message *m, uint32_t to, uint8_t kind, uint64_t later, uint32_t data_bytes);
/* Null: it has ended. */
struct group *remote_group(const struct core *core, uint32_t place, uint64_t launch, uint32_t number);
/* What the group that has the memory is asked for, as an operation of its own. */
void remote_carry_out(
	struct core *core, struct group *group, const struct remote_access *access, uint64_t *address, uint8_t *data);
/* Answers the message; `gone`: the group has ended. */
void remote_answer(
	struct core *core, const struct message *m, lane_mask lanes, uint32_t rank, bool gone, uint64_t later);

#endif
