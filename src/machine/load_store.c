/* The load-store unit: addresses and faults at issue, a queue in order, L1 and messages, replies.
 *
 * Shared and global accesses happen when the unit comes to them.  Parameter, constant and local memory never leave the core
 * and nobody else writes them meanwhile, so those are done at issue and only cost time (access.c). */
#include "machine/load_store.h"

#include "machine/access.h"
#include "machine/control.h"
#include "machine/copy.h"
#include "machine/fragment.h"
#include "machine/launch.h"
#include "machine/lock.h"
#include "machine/lock_bits.h"
#include "machine/mbarrier.h"
#include "machine/observe/locks.h"
#include "machine/stale.h"
#include "machine/texture.h"
#include "memory/message.h"
#include "util/text.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define OPERATIONS_PER_WARP 4
#define ATOMICS_PER_OPERATION 4
#define CLEARED_OPERATIONS 32 /* at most: memory of more goes back to the system sooner than it is cleared */

/* The core's way to each slice.  One that is longer by a constant still keeps packets in order, but packets to two slices may now arrive
 * in either order: a program that must not see that needs a fence. */
static void lay_ways(struct core *core, struct arena *arena)
{
	const struct gpu_model *model = core->machine->model;

	core->ways = arena_new_array(arena, uint32_t, model->slices);
	for (uint32_t slice = 0; slice < model->slices; slice++) {
		uint64_t pair = (uint64_t)core->index << 32 | slice,
			 longer = splitmix64(&pair) % (model->crossbar_spread + 1);

		core->ways[slice] = model->crossbar_request_latency + (uint32_t)longer;
	}
}

void load_store_create(struct core *core, struct arena *arena)
{
	uint32_t limit = core->warp_slots * OPERATIONS_PER_WARP, lanes = core->machine->model->warp_size;
	uint32_t count = limit + 1; /* a generic access may be two operations: of shared and of global memory */

	core->operations_limit = limit;
	core->operations = arena_reserve(arena, count * sizeof *core->operations);
	core->operation_count = count;
	core->operation_addresses = arena_reserve(arena, (size_t)count * lanes * sizeof(uint64_t));
	core->operation_sent = arena_reserve(arena, (size_t)count * lanes * sizeof(lane_mask));
	core->operation_data = arena_reserve(arena, (size_t)count * lanes * ACCESS_DATA_BYTES);
	core->operation_free = L1_NONE;
	core->atomics_limit = limit * ATOMICS_PER_OPERATION;
	core->queue_limit = core->machine->model->lsu_queue;
	core->queue_size = (core->queue_limit + 1) * (lanes > FRAGMENT_LINES ? lanes : FRAGMENT_LINES);
	core->queue = arena_new_array(arena, struct transaction, core->queue_size);
	lay_ways(core, arena);
	l1_create(&core->l1, arena, core->machine->model);
	lock_bits_create(core, arena);
	lock_create(core, arena);
	mbarrier_create(core, arena);
	copy_create(core);
}

void load_store_clear(struct core *core, struct arena *arena)
{
	size_t count = core->operation_fresh, lanes = core->machine->model->warp_size;

	if (count > CLEARED_OPERATIONS)
		return;
	memset(core->operations, 0, count * sizeof *core->operations);
	memset(core->operation_addresses, 0, count * lanes * sizeof(uint64_t));
	memset(core->operation_sent, 0, count * lanes * sizeof(lane_mask));
	memset(core->operation_data, 0, count * lanes * ACCESS_DATA_BYTES);
	arena_keep(arena, core->operations);
	arena_keep(arena, core->operation_addresses);
	arena_keep(arena, core->operation_sent);
	arena_keep(arena, core->operation_data);
}

void load_store_prepare_fetches(struct core *core, struct arena *arena)
{
	if (!core->operation_fetches)
		core->operation_fetches =
			arena_reserve(arena, core->operation_count * texture_fetch_bytes(core->machine->model->warp_size));
}

uint32_t load_store_index(const struct core *core, const struct operation *op)
{
	return (uint32_t)(op - core->operations);
}

/* What a transaction sends, unless it is a fetch: one message, or one for each element of an atomic on vectors. */
static uint32_t messages_of(const struct insn *i)
{
	return i->kind == INSN_ATOMIC ? i->access.elements : 1;
}

static void enqueue(struct core *core, struct operation *op, uint64_t line, lane_mask lanes, uint32_t cycles)
{
	uint32_t at = (core->queue_head + core->queue_count) % core->queue_size;

	assert(core->queue_count < core->queue_size);
	core->queue[at] = (struct transaction){ .operation = load_store_index(core, op), .line = line, .lanes = lanes, .cycles = cycles };
	op->group->outstanding[op->epoch % FENCE_EPOCHS] += op->messages;
	if (!core->queue_count++ && core->queue_time < core->now + core->machine->model->lsu_latency)
		core->queue_time = core->now + core->machine->model->lsu_latency;
	op->pending += op->messages;
}

/* One transaction per line that the lanes touch. */
static void split_into_lines(struct core *core, struct operation *op, lane_mask lanes)
{
	uint64_t line[CORE_WARPS];
	lane_mask of_line[CORE_WARPS];
	uint32_t count = access_lines(op->address, lanes, line, of_line);

	for (uint32_t k = 0; k < count; k++)
		enqueue(core, op, line[k], of_line[k], 1);
}

#define NO_LINE 0 /* of a transaction that goes to no line */

void load_store_enqueue(struct core *core, struct operation *op, lane_mask before, lane_mask lanes)
{
	if (before)
		enqueue(core, op, NO_LINE, before, 1);
	core->counters.global_load_instructions += lanes != 0;
	core->counters.global_load_transactions -= op->pending;
	split_into_lines(core, op, lanes);
	core->counters.global_load_transactions += op->pending;
	core->queue_operations++;
}

void load_store_enqueue_lines(struct core *core, struct operation *op, lane_mask lanes)
{
	op->left = lanes;
	split_into_lines(core, op, lanes);
	core->queue_operations++;
}

void load_store_begin(struct operation *op)
{
	op->pending++;
	op->group->outstanding[op->epoch % FENCE_EPOCHS]++;
}

static void count_instruction(struct counters *c, const struct operation *op)
{
	if (op->space == space_SHARED) {
		c->shared_accesses++;
	} else if (op->insn->kind == INSN_LOAD || op->fetch) {
		c->global_load_instructions++;
		c->global_load_transactions += op->pending;
	} else {
		c->global_store_instructions += op->insn->kind == INSN_STORE;
		c->global_store_transactions += op->insn->kind == INSN_STORE ? op->pending : 0;
	}
	if (op->insn->kind == INSN_ATOMIC && op->space != space_SHARED)
		c->atomic_lanes += (uint64_t)__builtin_popcountll(op->lanes) * op->insn->access.elements;
}

void load_store_free(struct core *core, struct operation *op)
{
	op->next_free = core->operation_free;
	core->operation_free = load_store_index(core, op);
	core->operations_used--;
}

static bool owes_result(const struct insn *i)
{
	return insn_kinds[i->kind].flags & KIND_RESULT && !(i->flags & INSN_NO_RESULT);
}

/* The operation's last transaction is done: its results are there from done_at on. */
static void complete(struct core *core, struct operation *op)
{
	struct resident *r = op->resident;
	const struct insn *i = op->insn;
	bool waits = r->reason == WAIT_MEMORY && core->waiting[WAIT_MEMORY] >> core_slot(core, r) & 1;

	if (op->fetch)
		texture_filter(op->fetch, op->bank, op->group->residency->launch->kernel, i, op->lanes);
	/* A dead result is not owed; its slot may have another owner by now. */
	for (uint32_t k = 0; owes_result(i) && k < i->scoreboard_writes; k++) {
		uint16_t entry = i->scoreboard[k];

		if (entry & 0x8000)
			op->predicate_ready[entry & 0x7fff] = op->done_at;
		else
			op->register_ready[entry] = op->done_at;
	}
	if (op->ordered && i->kind != INSN_RELEASE)
		fence_acquire(core, &(struct l1_fence){ .scope = l1_scope_of(i->access.scope) });
	if (op->part ? --r->parts == 0 : op->ordered) {
		r->held = false;
		if (op->done_at > r->hold_until)
			r->hold_until = op->done_at;
		waits = true;
	}
	if (waits && !r->finished)
		core_schedule(core, r);
	if (i->kind == INSN_COPY)
		copy_finished(core, op);
	if (i->kind == INSN_ACQUIRE)
		lock_completed(core, op);
	load_store_free(core, op);
}

/* A transaction is over: its data is there, or on its way out (stores, which are answered later). */
static void transaction_done(struct core *core, struct operation *op, uint64_t at)
{
	if (at > op->done_at)
		op->done_at = at;
	if (--op->pending == 0)
		complete(core, op);
}

/* A transaction has been answered, by the L1, the shared memory or a partition. */
void load_store_answered(struct core *core, struct operation *op, uint64_t at)
{
	struct group *group = op->group;
	uint32_t epoch = op->epoch;

	transaction_done(core, op, at);
	fence_answered(core, group, epoch);
}

void load_store_drop(struct core *core, struct operation *op)
{
	fence_answered(core, op->group, op->epoch);
	load_store_free(core, op);
}

struct operation *load_store_take(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes)
{
	uint32_t index = core->operation_free != L1_NONE ? core->operation_free : core->operation_fresh++;
	uint32_t lanes_of_warp = core->machine->model->warp_size;
	struct operation *op = &core->operations[index];

	assert(index < core->operation_count);
	core->operations_used++;
	if (core->operation_free != L1_NONE)
		core->operation_free = op->next_free;
	op->address = core->operation_addresses + (size_t)index * lanes_of_warp;
	op->sent = core->operation_sent + (size_t)index * lanes_of_warp;
	op->data = core->operation_data + (size_t)index * lanes_of_warp * ACCESS_DATA_BYTES;
	op->insn = i;
	op->resident = r;
	op->group = r->group;
	op->bank[0] = r->warp.bank[0];
	op->bank[1] = r->warp.bank[1];
	op->predicates = r->warp.predicates;
	op->register_ready = r->register_ready;
	op->predicate_ready = r->predicate_ready;
	op->lanes = lanes;
	op->signature = (r->warp.path->pc & 0xffff) | r->group->signature;
	op->pending = 0;
	op->done_at = 0;
	op->epoch = r->group->epoch;
	op->part = false;
	op->ordered = l1_acquires(&i->access) && i->kind != INSN_STORE;
	op->messages = messages_of(i);
	op->fetch = NULL;
	return op;
}

/* Puts an operation, whose addresses and data are there, into the queue. */
static void enter_checked(struct core *core, struct resident *r, struct operation *op, uint8_t space)
{
	const struct insn *i = op->insn;

	if (space == space_SHARED)
		enqueue(core, op, 0, op->lanes, access_shared_cycles(core->machine->model, i, op->address, op->lanes));
	else
		split_into_lines(core, op, op->lanes);
	count_instruction(&core->counters, op);
	core->queue_operations++;
	if (owes_result(i))
		core_set_results_ready(r, i, NEVER);
	op->part = core->splitting;
	r->parts += op->part;
	if (op->ordered || op->part)
		r->held = true;
}

/* The same with its addresses only. */
static void enter_queue(struct core *core, struct resident *r, struct operation *op, uint8_t space)
{
	const struct insn *i = op->insn;

	op->space = space;
	op->lanes = access_allowed(core, r, i, op->lanes, space, op->address);
	if (!op->lanes) {
		load_store_free(core, op);
		return;
	}
	if (i->kind != INSN_LOAD)
		access_capture(op->data, &r->warp, r->warp.kernel, i, op->lanes);
	enter_checked(core, r, op, space);
}

/* Shared or global memory. */
static void issue_queued(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	struct operation *op = load_store_take(core, r, i, lanes);

	access_addresses(op->address, &r->warp, i, lanes, space);
	enter_queue(core, r, op, space);
}

/* sust.p.  Its images were looked at: the texels are allocated, and aligned. */
static void issue_formatted(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	struct operation *op;

	if (core->machine->functional) {
		surface_store_at_once(core, r, i, lanes, address);
		return;
	}
	op = load_store_take(core, r, i, lanes);
	op->space = space_GLOBAL;
	memcpy(op->address, address, r->warp.lanes * sizeof *address);
	surface_capture(core, r, i, lanes, op->data);
	enter_checked(core, r, op, space_GLOBAL);
}

/* A surface: lanes outside, where that is no fault, read zeros and write nothing. */
static void issue_surface(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];
	lane_mask inside = surface_addresses(address, core, r, i, lanes);
	struct operation *op;

	if (core->stopped)
		return;
	if (i->kind == INSN_LOAD && inside != lanes)
		access_zero(r, i, lanes & ~inside);
	if (!inside)
		return;
	if (surface_is_formatted(i)) {
		issue_formatted(core, r, i, inside, address);
		return;
	}
	if (core->machine->functional) {
		access_direct_at(core, r, i, inside, space_GLOBAL, address);
		return;
	}
	op = load_store_take(core, r, i, inside);
	memcpy(op->address, address, r->warp.lanes * sizeof *address);
	enter_queue(core, r, op, space_GLOBAL);
}

/* A fetch is one transaction, which sends for one line after another. */
void load_store_fetch(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes)
{
	struct operation *op;

	if (!lanes) {
		control_advance(core, r);
		return;
	}
	if (core->machine->functional) {
		texture_direct((struct texture_fetch *)(void *)core->operation_fetches, core, r, i, lanes);
		control_advance(core, r);
		return;
	}
	op = load_store_take(core, r, i, lanes);
	op->fetch = (struct texture_fetch *)(void *)(core->operation_fetches +
						     load_store_index(core, op) * texture_fetch_bytes(core->machine->model->warp_size));
	op->space = space_GLOBAL;
	if (!texture_begin(op->fetch, core, r, i, lanes)) {
		load_store_free(core, op);
	} else if (!op->fetch->line_count) { /* all at the border */
		texture_filter(op->fetch, op->bank, r->warp.kernel, i, lanes);
		load_store_free(core, op);
		core_set_results_ready(r, i, core->now + core->machine->model->l1_latency);
	} else {
		op->messages = op->fetch->line_count;
		enqueue(core, op, op->fetch->line[0], lanes, 1);
		count_instruction(&core->counters, op);
		core->queue_operations++;
		core_set_results_ready(r, i, NEVER);
	}
	control_advance(core, r);
}

/* When the parameters' line is in the core's constant cache; loads through a register are taken to go to the first. */
static uint64_t parameter_ready(struct core *core, const struct resident *r, const struct insn *i)
{
	uint64_t *ready = &r->residency->parameter_line_ready[0];

	if (i->offset >= 0 && i->offset < r->warp.launch->parameter_bytes)
		ready = &r->residency->parameter_line_ready[i->offset / PARAMETER_LINE];
	if (!*ready)
		*ready = core->now + core->machine->model->constant_miss;
	return *ready > core->now ? *ready : core->now;
}

static void issue_in_core(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	const struct gpu_model *model = core->machine->model;
	uint32_t latency = space == space_LOCAL ? model->local_latency : model->constant_latency;
	uint64_t start = core->now;

	if (space == space_LOCAL)
		core->counters.local_accesses++;
	if (!access_in_core(core, r, i, lanes, space))
		return;
	if (space == space_PARAM)
		start = parameter_ready(core, r, i);
	core_set_results_ready(r, i, start + latency);
}

/* Functional mode.  Only what waits takes a while; the warp's turn is then over. */
static void mbarrier_at_once(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes)
{
	struct operation *op = load_store_take(core, r, i, lanes);

	op->space = space_SHARED;
	access_addresses(op->address, &r->warp, i, lanes, space_SHARED);
	if (!access_allowed(core, r, i, lanes, space_SHARED, op->address)) {
		load_store_free(core, op);
		return;
	}
	access_capture(op->data, &r->warp, r->warp.kernel, i, lanes);
	op->pending = 1;
	op->group->outstanding[op->epoch % FENCE_EPOCHS]++;
	if (mbarrier_run(core, op))
		load_store_answered(core, op, core->now);
	else
		op->ordered = r->held = true;
}

static void issue_copy(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes)
{
	struct operation *op = load_store_take(core, r, i, lanes);

	op->space = space_GLOBAL;
	if (!copy_issue(core, r, op))
		load_store_free(core, op);
}

static void issue_mbarrier(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	if (space != space_SHARED)
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), "space", "%s on an object outside shared memory",
			   ptx_ops[i->op].spelling);
	else if (core->machine->functional)
		mbarrier_at_once(core, r, i, lanes);
	else
		issue_queued(core, r, i, lanes, space);
}

static void enqueue_fragment(struct core *core, struct operation *op)
{
	uint64_t line[FRAGMENT_LINES];
	uint32_t count = op->space == space_SHARED ? 0 : fragment_lines(op, line);
	bool stores = fragment_is_store(op->insn, op->resident->warp.kernel);

	if (op->space == space_SHARED) {
		core->counters.shared_accesses++;
		enqueue(core, op, 0, op->lanes, fragment_shared_cycles(core->machine->model, op));
	}
	for (uint32_t k = 0; k < count; k++)
		enqueue(core, op, line[k], op->lanes, 1);
	*(stores ? &core->counters.global_store_instructions : &core->counters.global_load_instructions) += count != 0;
	*(stores ? &core->counters.global_store_transactions : &core->counters.global_load_transactions) += count;
	core->queue_operations++;
}

static void issue_fragment(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	struct operation *op = load_store_take(core, r, i, lanes);

	op->space = space;
	if (space != space_SHARED && space != space_GLOBAL) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), "space", "%s outside global and shared memory", ptx_ops[i->op].spelling);
	} else if (fragment_capture(core, r, op)) {
		if (!core->machine->functional) {
			enqueue_fragment(core, op);
			if (owes_result(i))
				core_set_results_ready(r, i, NEVER);
			return;
		}
		fragment_at_once(core, op, space == space_SHARED ? r->group->shared : core->machine->space->bytes - GLOBAL_BASE);
	}
	load_store_free(core, op);
}

static void issue_space(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	if (i->kind == INSN_FRAGMENT)
		issue_fragment(core, r, i, lanes, space);
	else if (i->kind == INSN_MBARRIER)
		issue_mbarrier(core, r, i, lanes, space);
	else if (space != space_GLOBAL && i->kind == INSN_ATOMIC && i->access.elements > 1)
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), "space", "atomic on a vector outside global memory");
	else if (space == space_PARAM || space == space_CONST || space == space_LOCAL)
		issue_in_core(core, r, i, lanes, space);
	else if (core->machine->functional)
		access_direct(core, r, i, lanes, space);
	else
		issue_queued(core, r, i, lanes, space);
}

bool load_store_must_wait_to_release(struct core *core, struct resident *r, const struct insn *i)
{
	uint8_t order = i->access.order;

	if (core->machine->functional || l1_scope_of(i->access.scope) == L1_SCOPE_GROUP)
		return false;
	if (order != order_RELEASE && order != order_ACQ_REL && order != order_SC)
		return false;
	return !fence_release(core, r);
}

/* Other lanes of the warp may be those that a path waits for. */
static void give_way(struct core *core, struct resident *r)
{
	const struct divergence_model *divergence = core->machine->divergence;

	if (!core->machine->functional && divergence->yield && divergence->yield(r->warp.divergence))
		control_refresh(r);
}

void load_store_issue(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes)
{
	if (lanes && load_store_must_wait_to_release(core, r, i))
		return;
	if (i->kind == INSN_COPY) {
		if (lanes)
			issue_copy(core, r, i, lanes);
	} else if (i->access.space == space_SURFACE) {
		if (lanes)
			issue_surface(core, r, i, lanes);
	} else if (i->access.space != space_NONE) {
		if (lanes)
			issue_space(core, r, i, lanes, i->access.space);
	} else {
		lane_mask of[space_SHARED + 1];

		access_resolve(of, &r->warp, i, lanes);
		for (uint8_t space = space_CONST; space <= space_SHARED; space++)
			core->splitting |= of[space] && of[space] != lanes;
		for (uint8_t space = space_CONST; space <= space_SHARED; space++)
			if (of[space] && !core->stopped)
				issue_space(core, r, i, of[space], space);
		core->splitting = false;
	}
	control_advance(core, r);
	if (i->op == OP_mbarrier_try || i->op == OP_mbarrier_try_parity)
		give_way(core, r);
}

/* The rows of counters.def from load_packets on are in the order of enum message_kind: requests, then replies. */
static void count_message(struct core *core, uint8_t kind)
{
	_Static_assert(offsetof(struct counters, lock_replies) ==
			       offsetof(struct counters, load_packets) + MESSAGE_LOCK_ANSWER * sizeof(uint64_t),
		"a row for each kind of message");
	((uint64_t *)(void *)&core->counters)[offsetof(struct counters, load_packets) / sizeof(uint64_t) + kind]++;
}

void load_store_post(struct core *core, struct message *m, uint8_t kind, uint64_t line, uint32_t data_bytes, uint32_t token)
{
	const struct gpu_model *model = core->machine->model;
	uint32_t slice = address_slice(&core->machine->map, line);
	uint32_t flits = (model->crossbar_header + data_bytes + model->crossbar_flit - 1) / model->crossbar_flit;
	uint64_t leaves = core->port_free > core->now ? core->port_free : core->now;

	m->due.time = leaves + flits - 1 + core->ways[slice];
	m->line = line;
	m->source = (uint16_t)core->index;
	m->destination = (uint16_t)(core->machine->core_count + slice);
	m->kind = kind;
	m->data_bytes = (uint16_t)data_bytes;
	m->token = token;
	core->port_free = leaves + flits;
	core->in_flight++;
	core->counters.crossbar_packets++;
	count_message(core, kind);
	core->counters.crossbar_flits += flits;
	outbox_post(core->outbox, slice, m);
}

void load_store_send_load(struct core *core, uint64_t line, uint8_t sectors, bool kept, uint32_t token)
{
	struct message *m = outbox_write(core->outbox, 0);

	m->payload_bytes = 0;
	m->sectors = sectors;
	m->kept = kept;
	load_store_post(core, m, MESSAGE_LOAD, line, 0, token);
}

_Static_assert(offsetof(struct message, pc) % 4 == 0 && offsetof(struct message, group) == offsetof(struct message, pc) + 2 &&
	       offsetof(struct message, kind) == offsetof(struct message, pc) + 3, "load_store_take and sign write them as one word");

/* Who writes, for the history of lines: pc and group, and a kind that is still to be set.  Of a spinning program, which sends little else
 * than atomics, parts of a percent. */
static void sign(const struct operation *op, struct message *m)
{
	memcpy((char *)m + offsetof(struct message, pc), &op->signature, sizeof op->signature);
}

void load_store_send_store(struct core *core, const struct operation *op, uint64_t line, const struct store_payload *payload, uint32_t bytes,
			   uint32_t token)
{
	struct message *m = outbox_write(core->outbox, sizeof *payload);

	sign(op, m);
	memcpy(message_payload(m), payload, sizeof *payload);
	m->payload_bytes = sizeof *payload;
	load_store_post(core, m, MESSAGE_STORE, line, bytes, token);
}

static uint8_t fragment_sectors(const struct core *core, const struct operation *op, uint64_t line)
{
	uint64_t mask[2];
	uint8_t sectors = 0;

	fragment_mask(op, line, mask);
	for (uint32_t byte = 0; byte < LINE_BYTES; byte++)
		if (mask[byte / 64] >> byte % 64 & 1)
			sectors |= l1_sector_mask(&core->l1, byte, 1);
	return sectors;
}

static uint8_t sectors_of(const struct core *core, const struct operation *op, const struct transaction *t)
{
	uint32_t bytes = op->insn->access.bytes * op->insn->access.elements;
	uint8_t sectors = 0;

	if (core->l1.all_sectors == 1)
		return 1;
	if (op->insn->kind == INSN_FRAGMENT)
		return fragment_sectors(core, op, t->line);
	if (op->fetch)
		return texture_sectors(op->fetch, core, t->element);
	for (lane_mask m = t->lanes; m; m &= m - 1)
		sectors |= l1_sector_mask(&core->l1, (uint32_t)(op->address[__builtin_ctzll(m)] - t->line), bytes);
	return sectors;
}

/* The coherence policy decides, unless there is no L1 for what is loaded. */
static enum l1_load load_decision(const struct core *core, const struct l1_access *access, bool is_fetch)
{
	const struct gpu_model *model = core->machine->model;

	if (!model->l1_global && !(is_fetch && model->l1_texture))
		return L1_LOAD_BYPASS;
	return core->machine->coherence->load(core->coherence_state, access, false);
}

/* A line's bytes go where the lanes want them. */
static void deliver(const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	if (op->insn->kind == INSN_COPY)
		copy_deliver(op, lanes, data, line);
	else if (op->insn->kind == INSN_FRAGMENT)
		fragment_deliver(op, data, line);
	else if (op->fetch)
		texture_collect(op->fetch, lanes, data, line);
	else
		access_scatter(op, lanes, data, line, op->group->residency->launch->kernel);
}

/* False: no room, the transaction stays at the head of the queue. */
static bool run_load(struct core *core, struct operation *op, const struct transaction *t)
{
	struct l1_access access = l1_access_of(&op->insn->access);
	uint8_t sectors = sectors_of(core, op, t);
	enum l1_load decision = load_decision(core, &access, op->fetch != NULL);
	const struct l1_line *hit = decision == L1_LOAD_CACHED ? l1_lookup(&core->l1, t->line, sectors) : NULL;
	uint32_t token;

	if (hit) {
		core->counters.l1_loads++;
		core->counters.l1_hits++;
		if (space_was_written(core->machine->space, t->line, *l1_since(&core->l1, hit)))
			stale_suspect(core, op, t, hit);
		deliver(op, t->lanes, l1_data(&core->l1, hit), t->line);
		load_store_answered(core, op, core->now + core->machine->model->l1_latency);
		return true;
	}
	if (decision == L1_LOAD_BYPASS_EVICT)
		l1_write(&core->l1, t->line, NULL, false);
	switch (l1_join(&core->l1, t->line, sectors, decision != L1_LOAD_CACHED,
			(struct l1_waiter){ .lanes = t->lanes, .user = t->operation }, &token)) {
	case L1_FULL:
		core->queue_stalled = true;
		return false;
	case L1_JOINED:
		core->counters.l1_merged++;
		break;
	case L1_SEND:
		load_store_send_load(core, t->line, sectors, decision == L1_LOAD_CACHED, token);
		break;
	}
	if (decision == L1_LOAD_CACHED)
		core->counters.l1_loads++;
	else
		core->counters.l1_bypassed++;
	return true;
}

#define TAKEN_TOKEN 0x80u /* in the token of a store: a line of the L1 has taken its bytes */

/* Comes back with the acknowledgement of a store: the group's slot and the epoch. */
static uint32_t store_token(const struct core *core, const struct operation *op)
{
	return (op->epoch % FENCE_EPOCHS) | (uint32_t)(op->group - core->groups) << 8;
}

static void run_store(struct core *core, struct operation *op, const struct transaction *t)
{
	struct l1_access access = l1_access_of(&op->insn->access);
	enum l1_store decision = core->machine->coherence->store(core->coherence_state, &access, false);
	struct message *m = outbox_write(core->outbox, sizeof(struct store_payload));
	uint32_t bytes = op->insn->kind == INSN_FRAGMENT   ? fragment_gather(op, t->line, message_payload(m))
			 : surface_is_formatted(op->insn) ? surface_gather(op, t->lanes, t->line, message_payload(m))
							  : access_gather(op, t->lanes, t->line, message_payload(m));
	uint32_t token = store_token(core, op);

	m->payload_bytes = sizeof(struct store_payload);
	if (decision == L1_STORE_EVICT) {
		l1_write(&core->l1, t->line, NULL, false);
	} else if (decision == L1_STORE_UPDATE && l1_write(&core->l1, t->line, message_payload(m), true)) {
		token |= TAKEN_TOKEN;
		++*l1_own_stores(&core->l1, t->line);
	}
	sign(op, m);
	load_store_post(core, m, MESSAGE_STORE, t->line, bytes, token);
	lock_ledger_written(core, op->resident, op->address, t->lanes);
	transaction_done(core, op, core->now);
}

/* Comes back with the reply to an atomic: who gets the old values. */
struct atomic_token {
	uint32_t operation, element, lowest_lane;
};

static uint32_t pack(struct atomic_token t)
{
	return t.operation << 16 | t.element << 8 | t.lowest_lane;
}

static struct atomic_token unpack(uint32_t token)
{
	return (struct atomic_token){ .operation = token >> 16, .element = token >> 8 & 0xff, .lowest_lane = token & 0xff };
}

static bool run_atomic(struct core *core, struct operation *op, const struct transaction *t)
{
	const struct insn *i = op->insn;
	struct atomic_payload *payload;
	struct message *m;
	uint64_t high[CORE_WARPS * 2];
	uint32_t bytes = i->access.bytes, count, lowest = (uint32_t)__builtin_ctzll(t->lanes);
	bool no_result = i->flags & INSN_NO_RESULT, wide = bytes == 16;

	if (core->atomics_sent == core->atomics_limit) {
		core->queue_stalled = true;
		return false;
	}
	core->atomics_sent++;
	op->sent[lowest] = t->lanes;
	m = outbox_write(core->outbox, sizeof *payload + (uint32_t)__builtin_popcountll(t->lanes) * ((uint32_t)sizeof(struct atomic_entry) + 16));
	payload = message_payload(m);
	count = access_atomic_entries(op, t->lanes, t->element, no_result && core->machine->model->atomic_combine, (struct atomic_entry *)(payload + 1), high);
	*payload = (struct atomic_payload){ .op = i->access.atomic, .type = i->access.type, .bytes = (uint8_t)bytes,
					    .no_result = no_result, .count = count };
	m->payload_bytes = (uint16_t)(sizeof *payload + count * sizeof(struct atomic_entry));
	if (wide) {
		memcpy((char *)payload + m->payload_bytes, high, count * 16);
		m->payload_bytes = (uint16_t)(m->payload_bytes + count * 16);
	}
	l1_write(&core->l1, t->line, NULL, false);
	sign(op, m);
	load_store_post(core, m, MESSAGE_ATOMIC, t->line, count * (4 + bytes * (i->access.atomic == ATOMIC_CAS ? 2 : 1)),
	     pack((struct atomic_token){ .operation = t->operation, .element = t->element, .lowest_lane = lowest }));
	if (!(i->flags & INSN_LOCK_TRY))
		lock_ledger_written(core, op->resident, op->address, t->lanes);
	return true;
}

static bool run_fetch(struct core *core, struct operation *op, const struct transaction *t)
{
	struct transaction line = *t;

	line.line = op->fetch->line[t->element];
	line.lanes = op->fetch->lanes_of[t->element];
	return run_load(core, op, &line);
}

static void run_shared(struct core *core, struct operation *op, const struct transaction *t)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t locks = core->lock_bits && op->insn->kind == INSN_ATOMIC ? lock_bits_take(core, op) : 0; /* 0: none taken */

	core->counters.shared_conflict_cycles += t->cycles - 1;
	if (op->insn->kind == INSN_MBARRIER) {
		if (!mbarrier_run(core, op))
			return;
	} else if (op->insn->kind == INSN_FRAGMENT) {
		fragment_at_once(core, op, op->group->shared);
	} else {
		access_shared(core, op);
	}
	load_store_answered(core, op, locks ? locks : core->now + model->shared_latency + t->cycles - 1);
}

static bool run_fragment(struct core *core, struct operation *op, const struct transaction *t)
{
	if (!fragment_is_store(op->insn, op->resident->warp.kernel)) {
		fragment_clear(op);
		return run_load(core, op, t);
	}
	run_store(core, op, t);
	return true;
}

/* Carries out the transaction at the head of the queue; false when it must stay there. */
static bool run_head(struct core *core, struct operation *op, const struct transaction *t)
{
	if (op->space == space_SHARED) {
		run_shared(core, op, t);
		return true;
	}
	if (t->line == NO_LINE) {
		copy_begin(core, op, t->lanes);
		return true;
	}
	if (core->port_free > core->now + core->machine->model->l1_queue) {
		core->counters.l1_stall_cycles += core->port_free - core->machine->model->l1_queue - core->now;
		core->queue_time = core->port_free - core->machine->model->l1_queue;
		return false;
	}
	switch (op->insn->kind) {
	case INSN_LOAD: case INSN_COPY: return run_load(core, op, t);
	case INSN_STORE: run_store(core, op, t); return true;
	case INSN_FRAGMENT: return run_fragment(core, op, t);
	case INSN_TEXTURE: return run_fetch(core, op, t);
	case INSN_ACQUIRE: case INSN_RELEASE:
		if (!core->machine->lock->queues)
			return run_atomic(core, op, t);
		lock_run(core, op, t);
		return true;
	default: return run_atomic(core, op, t);
	}
}

void load_store_run(struct core *core)
{
	struct transaction t;
	uint32_t messages;

	if (core->queue_stalled)
		return;
	t = core->queue[core->queue_head];
	messages = core->operations[t.operation].messages; /* before the operation may be over */
	if (!run_head(core, &core->operations[t.operation], &t))
		return;
	core->queue_time = core->now + t.cycles;
	if (++core->queue[core->queue_head].element < messages)
		return;
	core->queue_head = (core->queue_head + 1) % core->queue_size;
	if (!--core->queue_count || core->queue[core->queue_head].operation != t.operation)
		core->queue_operations--;
}

static void receive_line(struct core *core, const struct message *m)
{
	uint32_t waiter = core->l1.misses[m->token].first;

	l1_fill(&core->l1, m->token, m->sectors, message_payload(m));
	while (waiter != L1_NONE) {
		const struct l1_waiter *w = &core->l1.waiters[waiter];
		struct operation *op = &core->operations[w->user];

		deliver(op, w->lanes, message_payload(m), m->line);
		load_store_answered(core, op, core->now);
		waiter = w->next;
	}
	l1_release(&core->l1, m->token);
}

static void receive_atomic(struct core *core, const struct message *m)
{
	struct atomic_token token = unpack(m->token);
	struct operation *op = &core->operations[token.operation];
	lane_mask lanes = op->sent[token.lowest_lane];

	if (op->insn->kind == INSN_ACQUIRE) {
		lock_found(core, op, lanes, message_payload(m));
	} else if (!(op->insn->flags & INSN_NO_RESULT)) {
		lock_ledger_answered(core, op, lanes, message_payload(m));
		access_old_values(op, lanes, token.element, message_payload(m), op->group->residency->launch->kernel);
	}
	core->atomics_sent--;
	load_store_answered(core, op, core->now);
}

static void receive_stored(struct core *core, uint32_t token, uint64_t line)
{
	if (token & COPY_TOKEN) {
		load_store_answered(core, &core->operations[token & ~COPY_TOKEN], core->now);
		return;
	}
	if (token & TAKEN_TOKEN)
		--*l1_own_stores(&core->l1, line);
	fence_answered(core, &core->groups[token >> 8], token % FENCE_EPOCHS);
}

static void receive(struct core *core, const struct message *m)
{
	switch (m->kind) {
	case MESSAGE_LOADED: receive_line(core, m); break;
	case MESSAGE_STORED: receive_stored(core, m->token, m->line); break;
	case MESSAGE_DONE: receive_atomic(core, m); break;
	case MESSAGE_LOCK_ANSWER: lock_receive(core, m); break;
	default: assert(!"a request arrived at a core");
	}
	if (core->queue_stalled) {
		core->queue_stalled = false;
		core->queue_time = core->now;
	}
	if (core->bulk_stalled) {
		core->bulk_stalled = false;
		core->bulk_at = core->now;
	}
	core->in_flight--;
	core->last_activity = core->now;
}

/* When the port has taken in a reply, the first that is on its way; NEVER: it is null. */
static uint64_t taken_in(const struct core *core, const struct message *reply)
{
	if (!reply)
		return NEVER;
	return reply->due.time > core->reply_port_free ? reply->due.time : core->reply_port_free;
}

static uint64_t earliest(const struct core *core, uint64_t reply)
{
	uint64_t next = core->suspended_until < reply ? core->suspended_until : reply;

	return core->bulk_at < next ? core->bulk_at : next;
}

uint64_t load_store_next_arrival(const struct core *core)
{
	return earliest(core, taken_in(core, inbox_first(core->inbox)));
}

void load_store_receive(struct core *core)
{
	const struct gpu_model *model = core->machine->model;
	const struct message *m = inbox_first(core->inbox);
	uint64_t at;

	while ((at = taken_in(core, m)) <= core->now) {
		uint32_t flits =
			(model->crossbar_header + m->data_bytes + model->crossbar_flit - 1) / model->crossbar_flit;

		core->reply_port_free = at + flits;
		core->counters.reply_flits += flits;
		count_message(core, m->kind);
		receive(core, m);
		inbox_drop(core->inbox);
		m = inbox_first(core->inbox);
	}
	if (core->suspended_until <= core->now)
		mbarrier_time_out(core);
	if (core->bulk_at <= core->now)
		copy_run(core);
	core->next_arrival = earliest(core, at);
}

uint64_t load_store_next_event(const struct core *core)
{
	uint64_t queue = NEVER;

	if (core->queue_count && !core->queue_stalled)
		queue = core->queue_time > core->now ? core->queue_time : core->now;
	return core->next_arrival < queue ? core->next_arrival : queue;
}
