/* Asynchronous copies: what their files share; and copies that end one by one, when something says so: in modes with
 * copies_end_later. */
#ifndef LOCKSTEP_MACHINE_LSU_COPY_H
#define LOCKSTEP_MACHINE_LSU_COPY_H

#include "machine/lsu/access.h"
#include "machine/state/core.h"

/* What a lane's copy needs beside its address in global memory, which is the operation's. */
struct lane_copy {
	uint32_t shared;            /* offset */
	uint32_t bytes;             /* to copy; of cp.async the rest, up to the size of the access, is zero */
	uint32_t source;            /* offset, from shared to shared memory */
	uint32_t object;            /* offset of the mbarrier */
	uint32_t arrived;           /* of those that spread: bytes that have been handed out */
	uint16_t ranks;             /* of those to shared memory: groups of the cluster that get it, a bit each */
	uint16_t rank, object_rank; /* whose shared memory the destination, and the mbarrier, are in */
	uint16_t unused;            /* no byte of it is padding: copy_visit shows them all */
};
_Static_assert(sizeof(struct lane_copy) == 5 * sizeof(uint32_t) + 4 * sizeof(uint16_t), "has padding");
_Static_assert(sizeof(struct lane_copy) <= ACCESS_DATA_BYTES, "no room for a lane's copy");

static inline struct lane_copy *lane_copy_of(const struct operation *op, uint32_t lane)
{
	assert(op->lanes >> lane & 1);
	assert(op->insn->kind == INSN_COPY);
	return (struct lane_copy *)(void *)(op->data + lane * ACCESS_DATA_BYTES);
}

/* copy.c: the lane's copy to shared memory of the operation's group is over, which its mbarrier tracks. */
void copy_complete_bytes(struct core *core, const struct operation *op, uint32_t lane);

/* ---- spread.c: to other groups of the cluster, and reductions ---- */

/* Whether some lane's copy goes to another group. */
bool spread_is_needed(const struct operation *op);
/* `bytes` bytes at `data`, the next that have come, of `offset` in the lane's copy go to all that get it. */
void spread_part(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes);
/* Functional mode: all of the lane's copy. */
void spread_at_once(struct core *core, struct operation *op, uint32_t lane, const uint8_t *data);
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
