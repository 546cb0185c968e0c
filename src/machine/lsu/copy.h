/* Asynchronous copies: what their files share; and copies that end one by one, when something says so: in modes with
 * copies_end_later. */
#ifndef LOCKSTEP_MACHINE_LSU_COPY_H
#define LOCKSTEP_MACHINE_LSU_COPY_H

#include "machine/core/fault.h"
#include "machine/lsu/access.h"
#include "machine/state/core.h"
#include "util/vector.h"

/* What a lane's copy needs beside its address in global memory, which is the operation's. */
struct lane_copy {
	uint32_t shared;            /* offset */
	uint32_t bytes;             /* to copy; of cp.async the rest, up to the size of the access, is zero */
	uint32_t source;            /* offset, from shared to shared memory */
	uint32_t object;            /* offset of the mbarrier */
	uint32_t arrived;           /* of those that spread: bytes that have been handed out */
	uint32_t box;               /* of a tensor: its number among the core's */
	uint16_t ranks;             /* of those to shared memory: groups of the cluster that get it, a bit each */
	uint16_t rank, object_rank; /* whose shared memory the destination, and the mbarrier, are in */
	uint16_t unused;            /* no byte of it is padding: copy_visit shows them all */
};
_Static_assert(sizeof(struct lane_copy) == 6 * sizeof(uint32_t) + 4 * sizeof(uint16_t), "has padding");
_Static_assert(sizeof(struct lane_copy) <= ACCESS_DATA_BYTES, "no room for a lane's copy");

static inline struct lane_copy *lane_copy_of(const struct operation *op, uint32_t lane)
{
	assert(op->lanes >> lane & 1);
	assert(op->insn->kind == INSN_COPY);
	return (struct lane_copy *)(void *)(op->data + lane * ACCESS_DATA_BYTES);
}

/* State of an operation. */
struct copying {
	uint64_t serial;    /* how many the warp had started before */
	uint32_t next_copy; /* of the warp, not over */
	uint32_t next_bulk; /* of the core's engine; then: */
	uint32_t copied;    /* bytes of the lowest lane that is left */
	lane_mask left;     /* to copy */
	bool spreads;       /* to other groups of the cluster: see spread.c */
	uint32_t number;    /* then, from global memory: how many the core had started before */
};

static inline struct copying *copying(const struct operation *op)
{
	assert(op->insn->kind == INSN_COPY);
	return op->state;
}

/* Of the box of a tensor. */
static inline bool copy_is_tensor(const struct insn *i)
{
	return (i->op >= OP_cp_tensor_multicast && i->op <= OP_cp_tensor_store) ||
	       (i->op >= OP_cp_tensor_add && i->op <= OP_cp_tensor_xor);
}

/* From shared to global memory. */
static inline bool copy_goes_out(const struct insn *i)
{
	return i->op == OP_cp_async_bulk_store || (i->op >= OP_cp_reduce_add && i->op <= OP_cp_reduce_xor) ||
	       i->op == OP_cp_tensor_store || (i->op >= OP_cp_tensor_add && i->op <= OP_cp_tensor_xor);
}

/* copy.c: a finding of a lane; returns false. */
bool copy_fault(struct core *core, const struct operation *op, uint32_t lane, enum fault_cause cause, uint64_t address,
	const char *what);
/* copy.c: the same of a copy that leaves its allocation at this global address, which may have been freed. */
bool copy_leaves(struct core *core, const struct operation *op, uint32_t lane, uint64_t address);
/* copy.c: the lane's copy to shared memory of the operation's group is over, which its mbarrier tracks. */
void copy_complete_bytes(struct core *core, const struct operation *op, uint32_t lane);

/* Bytes that have come of copies that other cores have begun and that are not whole: see multicast.c. */
struct copy_arrival {
	uint32_t number, bytes;
	uint16_t core;
	uint8_t lane, place; /* place: of the group that gets it */
};
struct copy_arrivals {
	VECTOR(struct copy_arrival) list;
};
struct copy_arrivals *copy_arrivals(const struct core *core);

/* ---- spread.c: to other groups of the cluster, and reductions ---- */

/* Whether some lane's copy goes to another group. */
bool spread_is_needed(const struct operation *op);
/* `bytes` bytes at `data`, the next that have come, of `offset` in the lane's copy go to all that get it. */
void spread_part(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes);
/* The same, of which the others get their own: see multicast.h. */
void spread_own(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes);
/* The same, which are not in memory. */
void spread_fill(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes);
/* Functional mode: the same. */
void spread_at_once(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes);
/* Into shared memory: stores the bytes, or reduces element by element. */
void spread_apply(const struct insn *i, uint8_t *where, const uint8_t *data, uint32_t bytes);
/* memory_kind.remote.execute: a part has come to the core of the group that gets it. */
void spread_execute(struct core *core, struct operation *op);

/* ---- copy.c: copies that end later ---- */

/* Copies of a group that can be outstanding: one that begins while so many are ends at once. */
#define COPIES_LATER 16u

/* How many are outstanding.  They are numbered in the order in which they began. */
uint32_t copy_count(const struct core *core, const struct group *group);
/* One of them is carried out, or of a bulk copy that several lanes have begun, that of the lowest lane left; when all
 * of it has been, what waits for it goes on. */
void copy_end(struct core *core, const struct group *group, uint32_t number);
/* Whether one has ended at once since the launch began, as too many were outstanding. */
bool copy_were_too_many(const struct core *core);
/* Shows `visit` all that decides how they go on, in pieces; false as soon as that is. */
bool copy_visit(const struct core *core, const struct group *group,
	bool (*visit)(void *context, const void *at, size_t bytes), void *context);

#endif
