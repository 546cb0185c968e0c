/* Accesses of the shared memory of another group of the cluster.
 *
 * The accesses of a warp's lanes to one group are a message to that group's core, with the data that they store.  They
 * take effect there when the message arrives, and take the banks of shared memory like an access of that core itself.
 * The answer brings what they load.  Messages leave a core one after another: a flit for each line that is asked for,
 * or each 32 bytes. */
#include "machine/lsu/remote.h"

#include "machine/core/cluster.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/banks.h"
#include "machine/lsu/element.h"
#include "machine/lsu/load_store.h"
#include "machine/state/machine.h"

#include "util/text.h"

#include <assert.h>
#include <string.h>

/* Payload of MESSAGE_REMOTE.  A uint32_t for each lane follows, its offset; then the bytes that each sends. */
struct remote_request {
	const struct insn *insn;
	uint64_t launch;
	lane_mask lanes;
	uint32_t number; /* of the group that has the memory */
	uint8_t place;
	uint8_t rank;   /* likewise, in its cluster */
	uint16_t sends; /* bytes of a lane */
	uint8_t slot;   /* of the warp that asks; its first thread, and its group */
	uint32_t first_thread, asks;
};

/* Payload of MESSAGE_ANSWERED.  The bytes that each lane gets follow. */
struct remote_answer {
	lane_mask lanes;
	uint32_t gone; /* 1: the group has ended, and nothing was done */
	uint32_t rank;
};

static uint32_t count_of(lane_mask lanes)
{
	return (uint32_t)__builtin_popcountll(lanes);
}

static uint32_t whole_words(uint32_t bytes)
{
	return (bytes + 7) & ~7u;
}

static uint32_t sent_bytes(const struct insn *i)
{
	return memory_kinds[i->kind]->remote.sent ? memory_kinds[i->kind]->remote.sent(i) : 0;
}

static uint32_t timed_bytes(const struct insn *i)
{
	uint32_t bytes = memory_kinds[i->kind]->remote.timed ? memory_kinds[i->kind]->remote.timed(i) : sent_bytes(i);

	assert(bytes <= sent_bytes(i));
	return bytes;
}

static uint32_t answered_bytes(const struct insn *i)
{
	return memory_kinds[i->kind]->remote.answered ? memory_kinds[i->kind]->remote.answered(i) : 0;
}

void remote_queue(struct core *core, struct operation *op)
{
	assert(op->space == space_CLUSTER && op->lanes);
	for (lane_mask left = op->lanes, same; left; left &= ~same) {
		same = remote_same_rank(op->address, left);
		load_store_queue(core, op, NO_LINE, same, 1);
	}
}

/* ---- Messages ---- */

#define FLIT_BYTES 32

/* When a message of `flits` arrives that is sent now, or as soon as those before it have left. */
static uint64_t arrives(struct core *core, uint32_t flits)
{
	uint64_t hundredths = core->now * 100;

	assert(flits);
	if (core->lsu.remote_free > hundredths)
		hundredths = core->lsu.remote_free;
	core->lsu.remote_free = hundredths + (uint64_t)flits * core->machine->model->cluster_flit;
	return (core->lsu.remote_free - 1) / 100 + core->machine->model->cluster_latency;
}

void remote_post(struct core *core, struct message *m, uint32_t to, uint8_t kind, uint64_t later, uint32_t data_bytes)
{
	uint32_t flits = data_bytes < FLIT_BYTES ? 1 : data_bytes / FLIT_BYTES;

	assert(to < core->machine->cores.count);
	assert(data_bytes <= UINT16_MAX);
	m->source = (uint16_t)core->index;
	m->destination = (uint16_t)to;
	m->kind = kind;
	m->line = 0;
	m->data_bytes = (uint16_t)data_bytes;
	m->time = arrives(core, flits) + later;
	outbox_post(core->outbox, to, m);
}

static uint32_t lines_of(const struct operation *op, lane_mask lanes)
{
	uint64_t line[CORE_WARPS];
	lane_mask of_line[CORE_WARPS];

	assert(lanes && !(lanes & ~op->lanes));
	return access_lines(op->address, LINE_BYTES, op->slot->warp.memory, lanes, line, of_line);
}

static void send(struct core *core, struct operation *op, const struct transaction *t)
{
	uint32_t sends = sent_bytes(op->insn), count = count_of(t->lanes), k = 0;
	uint32_t rank = remote_rank(op->address[__builtin_ctzll(t->lanes)]);
	uint32_t bytes = (uint32_t)sizeof(struct remote_request) + whole_words(count * (4 + sends));
	const struct cluster_member *member = &op->group->cluster->members[rank];
	struct message *m = outbox_write(core->outbox, bytes);
	struct remote_request *request = message_payload(m);
	uint8_t *offsets = (uint8_t *)(request + 1), *data = offsets + count * 4;

	assert(count);
	assert(rank < launch_cluster_size(op->slot->warp.launch));
	assert(op->space == space_CLUSTER && sends <= ACCESS_DATA_BYTES);
	*request = (struct remote_request){.insn = op->insn,
		.launch = op->group->launch,
		.lanes = t->lanes,
		.number = member->number,
		.place = member->place,
		.rank = (uint8_t)rank,
		.sends = (uint16_t)sends,
		.slot = (uint8_t)core_slot(core, op->slot),
		.first_thread = op->slot->warp.first_thread,
		.asks = op->group->number};
	EACH_LANE(l, t->lanes) {
		uint32_t offset = (uint32_t)remote_offset(op->address[l]);

		memcpy(offsets + k * 4, &offset, 4);
		memcpy(data + k * sends, op->data + l * sends, sends);
		k++;
	}
	m->payload_bytes = (uint16_t)bytes;
	m->token = t->operation;
	if (!memory_kinds[op->insn->kind]->only_loads)
		observe_written(core, op->slot, op->address, t->lanes, op->insn->kind == INSN_ATOMIC ? op : NULL);
	bytes = sends ? count * timed_bytes(op->insn) : lines_of(op, t->lanes) * FLIT_BYTES;
	remote_post(core, m, member->core, MESSAGE_REMOTE, 0, bytes);
}

struct group *remote_group(const struct core *core, uint32_t place, uint64_t launch, uint32_t number)
{
	struct group *group = &core->groups.at[place];

	assert(place < core->groups.count);
	return group->used && group->launch == launch && group->number == number && group->live_warps ? group : NULL;
}

/* The banks are taken, from now on or when they are free: cycles until that is over and the access done. */
static uint64_t take_banks(struct core *core, const struct remote_request *request, const uint64_t *address)
{
	uint32_t cycles =
		banks_cycles(core->machine->model, core->machine->lane_memory, request->insn, address, request->lanes);
	uint64_t free = core->lsu.queue_time > core->now ? core->lsu.queue_time : core->now;

	assert(request->lanes && cycles);
	core->lsu.queue_time = free + cycles;
	core->counters.shared_conflict_cycles += cycles - 1;
	if (request->insn->access.atomic)
		cycles += core->machine->model->cluster_atomic;
	return free + cycles - 1 + core->machine->model->shared_latency - core->now;
}

/* A fault there is the thread's that asked. */
static void blame(struct core *core, const struct warp_slot *r, const struct remote_access *access)
{
	assert(core->stopped && core->finding.thread >= r->warp.first_thread);
	core->finding.group = access->number;
	core->finding.thread += access->first_thread - r->warp.first_thread;
}

void remote_carry_out(
	struct core *core, struct group *group, const struct remote_access *access, uint64_t *address, uint8_t *data)
{
	struct operation op = {.kind = memory_kinds[access->insn->kind],
		.insn = access->insn,
		.slot = &core->slots[__builtin_ctzll(group->slots)],
		.group = group,
		.lanes = access->lanes,
		.address = address,
		.data = data,
		.space = space_SHARED,
		.is_remote = true};
	bool was_stopped = core->stopped;

	assert(group->slots && access->lanes);
	assert(!core->lsu.serving);
	core->lsu.serving = access;
	op.kind->remote.execute(core, &op);
	core->lsu.serving = NULL;
	if (core->stopped && !was_stopped)
		blame(core, op.slot, access);
}

static void serve_whole(struct core *core, const struct remote_request *request, const struct remote_access *access,
	uint64_t *address, const uint8_t *sent)
{
	uint8_t data[CORE_WARPS * ACCESS_DATA_BYTES];
	uint32_t k = 0;

	assert(request->sends <= ACCESS_DATA_BYTES);
	assert(core->groups.at[request->place].number == request->number);
	EACH_LANE(l, request->lanes)
		memcpy(data + l * request->sends, sent + k++ * request->sends, request->sends);
	remote_carry_out(core, &core->groups.at[request->place], access, address, data);
}

/* Whether a lane's compare-and-swap finds what it compares with, which comes first of what it sent. */
static bool will_swap(const struct insn *i, const uint8_t *where, const uint8_t *sent)
{
	return insn_is_swap(i) && !memcmp(where, sent, i->access.bytes);
}

static struct remote_access access_of(const struct message *m, const uint64_t *offset, lane_mask swapped)
{
	const struct remote_request *request = message_payload(m);

	assert(m->kind == MESSAGE_REMOTE);
	assert(!(swapped & ~request->lanes));
	return (struct remote_access){.insn = request->insn,
		.lanes = request->lanes,
		.swapped = swapped,
		.offset = offset,
		.rank = request->rank,
		.core = m->source,
		.slot = request->slot,
		.number = request->asks,
		.first_thread = request->first_thread,
		.token = m->token,
		.bytes = access_bytes(request->insn)};
}

void remote_serve(struct core *core, const struct message *m)
{
	const struct remote_request *request = message_payload(m);
	const struct memory_kind *kind = memory_kinds[request->insn->kind];
	uint32_t count = count_of(request->lanes), answers = answered_bytes(request->insn), k = 0;
	const uint8_t *offsets = (const uint8_t *)(request + 1), *data = offsets + count * 4;
	struct group *group = remote_group(core, request->place, request->launch, request->number);
	uint8_t *memory = group ? group->shared : NULL;
	uint32_t bytes = (uint32_t)sizeof(struct remote_answer) + whole_words(memory ? count * answers : 0);
	struct message *back = outbox_write(core->outbox, bytes);
	struct remote_answer *answer = message_payload(back);
	uint64_t address[CORE_WARPS] = {0};
	lane_mask swapped = 0;

	assert(request->lanes);
	assert(!kind->remote.apply != !kind->remote.execute);
	*answer = (struct remote_answer){.lanes = request->lanes, .gone = !memory, .rank = request->rank};
	EACH_LANE(l, request->lanes) {
		uint32_t offset;

		memcpy(&offset, offsets + k * 4, 4);
		address[l] = offset;
		assert(!memory || offset + access_bytes(request->insn) <=
					  core->groups.at[request->place].core_launch->launch->group.shared_bytes);
		if (memory && will_swap(request->insn, memory + offset, data + k * request->sends))
			swapped |= (lane_mask)1 << l;
		if (memory && kind->remote.apply)
			kind->remote.apply(request->insn, memory + offset, data + k * request->sends,
				(uint8_t *)(answer + 1) + k * answers);
		k++;
	}
	if (memory) {
		struct remote_access access = access_of(m, address, swapped);

		if (kind->remote.execute)
			serve_whole(core, request, &access, address, data);
		observe_served(core, &core->groups.at[request->place], &access);
	}
	back->payload_bytes = (uint16_t)bytes;
	back->token = m->token;
	remote_post(core, back, m->source, MESSAGE_ANSWERED, take_banks(core, request, address),
		memory ? count * answers : 0);
}

void remote_answer(
	struct core *core, const struct message *m, lane_mask lanes, uint32_t rank, bool gone, uint64_t later)
{
	struct message *back = outbox_write(core->outbox, sizeof(struct remote_answer));
	struct remote_answer *answer = message_payload(back);

	assert(lanes && m->destination == core->index);
	*answer = (struct remote_answer){.lanes = lanes, .gone = gone, .rank = rank};
	back->payload_bytes = sizeof *answer;
	back->token = m->token;
	remote_post(core, back, m->source, MESSAGE_ANSWERED, later, 0);
}

/* Only a part of a bulk copy has no size that the instruction tells. */
static void fault_gone(struct core *core, const struct operation *op, const struct remote_answer *answer)
{
	uint32_t lane = (uint32_t)__builtin_ctzll(answer->lanes);

	assert(answer->gone);
	if (op->insn->kind == INSN_COPY)
		core_fault(core, op->slot, op->insn, lane, FAULT_address,
			"%s: the work-group of rank %u of the cluster has ended", ptx_ops[op->insn->op].spelling,
			answer->rank);
	else
		core_fault(core, op->slot, op->insn, lane, FAULT_address,
			"shared %s of %u byte%s in the work-group of rank %u of the cluster, which has ended",
			op->kind->noun, access_bytes(op->insn), text_plural(access_bytes(op->insn)), answer->rank);
}

void remote_answered(struct core *core, const struct message *m)
{
	struct operation *op = &core->lsu.operations[m->token];
	const struct remote_answer *answer = message_payload(m);
	uint32_t answers = answered_bytes(op->insn), k = 0;

	assert(m->token < core->lsu.operation_fresh);
	assert(!(answer->lanes & ~op->lanes));
	assert((op->space == space_CLUSTER || op->insn->kind == INSN_COPY) && answer->gone <= 1);
	if (answer->gone)
		fault_gone(core, op, answer);
	else if (answers)
		EACH_LANE(l, answer->lanes)
			op->kind->remote.take(op, (uint32_t)l, (const uint8_t *)(answer + 1) + k++ * answers);
	load_store_answered(core, op, core->now);
}

/* ---- At once ---- */

static void whole_at_once(struct core *there, struct group *group, struct warp_slot *r,
	const struct remote_access *access, const uint64_t *address)
{
	uint8_t data[CORE_WARPS * ACCESS_DATA_BYTES];
	uint64_t offset[CORE_WARPS];
	struct operation op;

	assert(group->used && r->group != group);
	access_begin(&op, r, access->insn, access->lanes, offset);
	op.data = data;
	op.kind->capture(&op);
	EACH_LANE(l, access->lanes)
		offset[l] = remote_offset(address[l]);
	remote_carry_out(there, group, access, offset, data);
}

/* The lanes' access to the memory of a group, to these offsets. */
static struct remote_access access_at_once(const struct core *core, const struct warp_slot *r, const struct insn *i,
	lane_mask lanes, const uint64_t *address, uint64_t offset[CORE_WARPS])
{
	assert(lanes && !(lanes & ~r->warp.live));
	EACH_LANE(l, lanes)
		offset[l] = remote_offset(address[l]);
	return (struct remote_access){.insn = i,
		.lanes = lanes,
		.offset = offset,
		.rank = remote_rank(address[__builtin_ctzll(lanes)]),
		.core = core->index,
		.slot = core_slot(core, r),
		.number = r->group->number,
		.first_thread = r->warp.first_thread,
		.bytes = access_bytes(i)};
}

static void at_once(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint64_t *address,
	uint32_t token)
{
	assert(core->machine->mode->at_once);
	for (lane_mask left = lanes, same; left && !core->stopped; left &= ~same) {
		uint32_t rank = remote_rank(address[__builtin_ctzll(left)]);
		struct core *there;
		struct group *group = cluster_group(core->machine, r->group, rank, &there);
		uint64_t offset[CORE_WARPS];
		struct remote_access access;

		same = remote_same_rank(address, left);
		if (!group || !group->live_warps) {
			core_fault(core, r, i, (uint32_t)__builtin_ctzll(same), FAULT_address,
				"shared %s of %u byte%s in the work-group of rank %u of the cluster, which has ended",
				memory_kinds[i->kind]->noun, access_bytes(i), text_plural(access_bytes(i)), rank);
			return;
		}
		access = access_at_once(core, r, i, same, address, offset);
		access.token = token;
		observe_served(there, group, &access);
		if (memory_kinds[i->kind]->remote.execute) {
			whole_at_once(there, group, r, &access, address);
			continue;
		}
		/* as an address in that space has it */
		core->remote_memory = (memory_base)group->shared - SHARED_PART_BYTES * (rank + 1);
		memory_kinds[i->kind]->at_once(core, r, i, same, space_CLUSTER, address);
	}
}

const struct remote_way remote_way = {.send = send, .at_once = at_once};
