/* Bulk copies to other groups of the cluster: one other, or with .multicast::cluster several; and reductions in shared
 * memory (PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk").
 *
 * Of a copy from shared memory the core whose thread has begun it hands the data out: each line is a message to each of
 * the others.  Messages of a core to another arrive as they were sent, so the last one tells the mbarrier there of all
 * bytes.  What is copied from global memory the L2 sends to all of them: see multicast.h. */
#include "machine/core/cluster.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/copy.h"
#include "machine/lsu/element.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/mbarrier.h"
#include "machine/lsu/multicast.h"
#include "machine/lsu/remote.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

static uint32_t own_rank(const struct operation *op)
{
	const struct warp *w = &op->slot->warp;

	assert(launch_cluster_size(w->launch) <= CLUSTER_GROUPS);
	return launch_cluster_rank(w->launch, w->group);
}

bool spread_is_needed(const struct operation *op)
{
	uint32_t own = 1u << own_rank(op), all = 0;

	assert(op->lanes);
	EACH_LANE(l, op->lanes)
		all |= lane_copy_of(op, (uint32_t)l)->ranks;
	return all & ~own;
}

void spread_apply(const struct insn *i, uint8_t *where, const uint8_t *data, uint32_t bytes)
{
	uint32_t element = i->access.bytes;

	assert(i->kind == INSN_COPY);
	assert(!i->access.atomic || bytes % element == 0);
	if (!i->access.atomic) {
		memcpy(where, data, bytes);
		return;
	}
	for (uint32_t k = 0; k < bytes; k += element)
		atomic_apply((enum atomic_op)i->access.atomic, (enum ptx_type)i->access.type, where + k,
			element_low_bits(data + k, element), 0);
}

/* The part at `offset` of the lane's copy, for a group. */
static struct remote_block block_of(
	const struct operation *op, uint32_t lane, uint32_t rank, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
	const struct lane_copy *copy = lane_copy_of(op, lane);

	assert(offset + bytes <= (copy->bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
	assert(copy->ranks >> rank & 1);
	return (struct remote_block){.data = data,
		.lane = lane,
		.rank = rank,
		.offset = copy->shared + offset,
		.bytes = bytes,
		.object = copy->object,
		.completes = copy->bytes,
		.is_last = copy->arrived == copy->bytes};
}

static void keep_part(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset,
	const uint8_t *data, uint32_t bytes)
{
	const struct lane_copy *copy = lane_copy_of(op, lane);

	assert(copy->shared + offset + bytes <= op->group->core_launch->launch->group.shared_bytes);
	spread_apply(op->insn, op->group->shared + copy->shared + offset, data, bytes);
	if (copy->arrived == copy->bytes)
		copy_complete_bytes(core, op, lane);
}

void spread_own(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
	struct lane_copy *copy = lane_copy_of(op, lane);

	assert(bytes <= LINE_BYTES);
	assert(copy->arrived + bytes <= copy->bytes);
	copy->arrived += bytes;
	if (copy->ranks >> own_rank(op) & 1)
		keep_part(core, op, lane, offset, data, bytes);
}

void spread_part(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
	const struct lane_copy *copy = lane_copy_of(op, lane);

	assert(copying(op)->spreads);
	spread_own(core, op, lane, offset, data, bytes);
	EACH_LANE(rank, copy->ranks & ~(1u << own_rank(op))) {
		struct remote_block block = block_of(op, lane, (uint32_t)rank, offset, data, bytes);

		load_store_begin(op);
		remote_send_block(core, op, &block);
	}
}

void spread_fill(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
	assert(copying(op)->left >> lane & 1);
	multicast_send(core, op, lane, offset, data, bytes);
	spread_own(core, op, lane, offset, data, bytes);
}

void spread_at_once(
	struct core *core, struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
	struct lane_copy *copy = lane_copy_of(op, lane);

	assert(core->machine->mode->at_once);
	assert(copy->arrived + bytes <= copy->bytes);
	copy->arrived += bytes;
	EACH_LANE(rank, copy->ranks) {
		struct remote_block block = block_of(op, lane, (uint32_t)rank, offset, data, bytes);

		if (core->stopped)
			return;
		if (rank == own_rank(op))
			keep_part(core, op, lane, offset, data, bytes);
		else
			remote_block_at_once(core, op, &block);
	}
}

void spread_execute(struct core *core, struct operation *op)
{
	const struct remote_block *block = (const struct remote_block *)(const void *)op->data;

	assert(op->lanes == (lane_mask)1 << block->lane);
	assert(block->offset + block->bytes <= op->group->core_launch->launch->group.shared_bytes);
	observe_effect(core, op->slot, EFFECT_COPY);
	spread_apply(op->insn, op->group->shared + block->offset, block->data, block->bytes);
	if (!block->is_last)
		return;
	observe_copied(core, op, block->lane, block->object);
	mbarrier_complete(core, op, block->lane, block->object, block->completes);
}
