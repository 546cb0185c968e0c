/* Parts of bulk copies that go to another group of the cluster: a message each, that takes a cycle of the banks there,
 * as a line is as wide as they are. */
#include "machine/core/cluster.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/remote.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* Payload of MESSAGE_BLOCK.  The bytes follow. */
struct block_message {
	const struct insn *insn;
	uint64_t launch;
	uint32_t number; /* of the group that gets it */
	uint8_t place;
	uint8_t rank; /* likewise, in its cluster */
	uint8_t slot; /* of the warp that sends; its first thread, its group, and the lane */
	uint8_t lane;
	uint32_t first_thread, sends;
	uint32_t offset, bytes, object, completes;
	uint32_t is_last;
};

_Static_assert(sizeof(struct block_message) % 8 == 0, "a message's payload");

void remote_send_block(struct core *core, const struct operation *op, const struct remote_block *block)
{
	const struct cluster_member *member = &op->group->cluster->members[block->rank];
	uint32_t bytes = (uint32_t)sizeof(struct block_message) + ((block->bytes + 7) & ~7u);
	struct message *m = outbox_write(core->outbox, bytes);
	struct block_message *request = message_payload(m);

	assert(block->bytes <= LINE_BYTES);
	assert(block->rank < op->group->cluster->size);
	*request = (struct block_message){.insn = op->insn,
		.launch = op->group->launch,
		.number = member->number,
		.place = member->place,
		.rank = (uint8_t)block->rank,
		.slot = (uint8_t)core_slot(core, op->slot),
		.lane = (uint8_t)block->lane,
		.first_thread = op->slot->warp.first_thread,
		.sends = op->group->number,
		.offset = block->offset,
		.bytes = block->bytes,
		.object = block->object,
		.completes = block->completes,
		.is_last = block->is_last};
	if (block->bytes)
		memcpy(request + 1, block->data, block->bytes);
	m->payload_bytes = (uint16_t)bytes;
	m->token = load_store_index(core, op);
	remote_post(core, m, member->core, MESSAGE_BLOCK, 0, block->bytes);
}

void remote_carry_out_block(
	struct core *core, struct group *group, struct remote_access access, struct remote_block *block)
{
	uint64_t offset[CORE_WARPS] = {0};

	assert(block->offset + block->bytes <= group->core_launch->launch->group.shared_bytes);
	assert(block->lane < CORE_WARPS);
	offset[block->lane] = block->offset;
	access.lanes = (lane_mask)1 << block->lane;
	access.offset = offset;
	access.bytes = block->bytes;
	access.rank = block->rank;
	remote_carry_out(core, group, &access, offset, (uint8_t *)block);
	if (block->bytes)
		observe_served(core, group, &access);
}

/* Cycles until the banks have taken it. */
static uint64_t take_banks(struct core *core, const struct insn *i)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t free = core->lsu.queue_time > core->now ? core->lsu.queue_time : core->now;

	assert(i->kind == INSN_COPY);
	core->lsu.queue_time = free + 1;
	return free + model->shared_latency - core->now + (i->access.atomic ? model->cluster_atomic : 0);
}

void remote_serve_block(struct core *core, const struct message *m)
{
	const struct block_message *request = message_payload(m);
	struct group *group = remote_group(core, request->place, request->launch, request->number);
	struct remote_block block = {.data = (const uint8_t *)(request + 1),
		.lane = request->lane,
		.rank = request->rank,
		.offset = request->offset,
		.bytes = request->bytes,
		.object = request->object,
		.completes = request->completes,
		.is_last = request->is_last};
	struct remote_access access = {.insn = request->insn,
		.core = m->source,
		.slot = request->slot,
		.number = request->sends,
		.first_thread = request->first_thread,
		.token = m->token};

	assert(m->kind == MESSAGE_BLOCK);
	assert(m->destination == core->index);
	if (group)
		remote_carry_out_block(core, group, access, &block);
	remote_answer(core, m, (lane_mask)1 << block.lane, request->rank, !group, take_banks(core, request->insn));
}

void remote_block_at_once(struct core *core, const struct operation *op, const struct remote_block *block)
{
	struct core *there;
	struct group *group = cluster_group(core->machine, op->group, block->rank, &there);
	struct remote_block whole = *block;

	assert(core->machine->mode->at_once);
	if (!group || !group->live_warps) {
		core_fault(core, op->slot, op->insn, block->lane, FAULT_address,
			"%s: the work-group of rank %u of the cluster has ended", ptx_ops[op->insn->op].spelling,
			block->rank);
		return;
	}
	remote_carry_out_block(there, group,
		(struct remote_access){.insn = op->insn,
			.core = core->index,
			.slot = core_slot(core, op->slot),
			.number = op->group->number,
			.first_thread = op->slot->warp.first_thread,
			.token = load_store_index(core, op)},
		&whole);
}
