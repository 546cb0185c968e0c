/* The load-store unit: operations, their transactions in a queue in order, replies, timers. */
#include "machine/lsu/load_store.h"

#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/core/port.h"
#include "machine/core/schedule.h"
#include "machine/lsu/access.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/element.h"
#include "machine/lsu/memory_kind.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

#define FEW_OPERATIONS 8 /* get memory together */

/* --- The kinds --- */

#define KIND(id, class, unit, decode, execute, foresee, memory, flags) extern const struct memory_kind memory_##memory;
#include "kernel/kinds.def"
#undef KIND

const struct memory_kind memory_none; /* of kinds that are not for the unit */

const struct memory_kind *const memory_kinds[INSN_KINDS] = {
#define KIND(id, class, unit, decode, execute, foresee, memory, flags) [INSN_##id] = &memory_##memory,
#include "kernel/kinds.def"
#undef KIND
};

struct unit_timer *load_store_timer(struct core *core, void (*run)(struct core *core))
{
	uint32_t k = 0;

	while (k < UNIT_TIMERS && core->lsu.timers[k].run)
		k++;
	assert(k < UNIT_TIMERS);
	core->lsu.timers[k].run = run;
	return &core->lsu.timers[k];
}

void load_store_start_warp(struct core *core, struct warp_slot *r)
{
	assert(core_slot(core, r) < core->warps.count);
	core->lsu.shared_users &= ~r->bit;
	for (uint32_t k = 0; k < UNIT_STARTS && core->lsu.starts[k]; k++)
		core->lsu.starts[k]->start_warp(core, r);
}

bool load_store_is_idle(const struct core *core)
{
	assert(core->lsu.queue_operations <= core->lsu.queue_count);
	for (uint32_t k = 0; k < INSN_KINDS; k++)
		if (memory_kinds[k]->is_idle && !memory_kinds[k]->is_idle(core))
			return false;
	return !core->lsu.queue_count && !core->lsu.queue_operations;
}

/* --- Operations --- */

uint32_t load_store_index(const struct core *core, const struct operation *op)
{
	assert((size_t)(op - core->lsu.operations) < core->lsu.operation_fresh);
	return (uint32_t)(op - core->lsu.operations);
}

/* Doubles the number of operations that have memory.  Few have all of it touched, so addresses lie together. */
static __attribute__((noinline)) void give_operations(struct core *core)
{
	struct load_store_unit *unit = &core->lsu;
	struct arena *arena = &core->machine->cores.arenas[core->index];
	size_t lanes = core->machine->model->warp_size;
	uint32_t from = unit->operations_given, left = unit->operation_count - from,
		 more = from ? from : FEW_OPERATIONS;

	assert(left); /* operations_limit has kept the warp from issuing */
	more = more < left ? more : left;
	arena_give(unit->operations + from, more * sizeof *unit->operations);
	uint64_t *addresses = arena_new_array(arena, uint64_t, more * lanes);
	uint8_t *data = arena_alloc(arena, more * lanes * ACCESS_DATA_BYTES);
	uint8_t *states = arena_alloc(arena, more * unit->state_bytes);
	for (uint32_t k = 0; k < more; k++) {
		unit->operations[from + k].address = addresses + k * lanes;
		unit->operations[from + k].data = data + k * lanes * ACCESS_DATA_BYTES;
		unit->operations[from + k].state = states + k * unit->state_bytes;
	}
	unit->operations_given += more;
}

/* One that was never used. */
static inline uint32_t fresh_operation(struct core *core)
{
	assert(core->lsu.operation_fresh <= core->lsu.operations_given);
	if (core->lsu.operation_fresh == core->lsu.operations_given)
		give_operations(core);
	return core->lsu.operation_fresh++;
}

struct operation *load_store_take(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	uint32_t index = core->lsu.operation_free != L1_NONE ? core->lsu.operation_free : fresh_operation(core);
	struct operation *op = &core->lsu.operations[index];

	assert(index < core->lsu.operation_count);
	assert(index < core->lsu.operation_fresh);
	assert(core->lsu.operations_used < core->lsu.operation_fresh);
	assert(r->used && r->group && lanes);
	assert(!r->finished && !(lanes & ~r->warp.live));
	core->lsu.operations_used++;
	if (core->lsu.operation_free != L1_NONE)
		core->lsu.operation_free = op->next_free;
	access_begin(op, r, i, lanes, op->address);
	op->space = space;
	op->predicates = r->warp.predicates;
	op->register_ready = r->register_ready;
	op->predicate_ready = r->predicate_ready;
	op->signature = (r->warp.path->pc & 0xffff) | r->group->signature;
	op->pending = 0;
	op->done_at = 0;
	op->epoch = r->group->epoch;
	op->part = false;
	op->in_rows = false;
	op->ordered = op->kind->acquires && l1_acquires(&i->access);
	op->messages = 1;
	return op;
}

void load_store_free(struct core *core, struct operation *op)
{
	assert(core->lsu.operations_used);
	assert(load_store_index(core, op) < core->lsu.operation_fresh);
	assert(core->lsu.operation_free != load_store_index(core, op));
	op->next_free = core->lsu.operation_free;
	core->lsu.operation_free = load_store_index(core, op);
	core->lsu.operations_used--;
}

/* The operation's last transaction is done: its results are there from done_at on. */
static void complete(struct core *core, struct operation *op)
{
	struct warp_slot *r = op->slot;
	const struct insn *i = op->insn;
	bool waits = r->reason == WAIT_MEMORY && core->waiting[WAIT_MEMORY] >> core_slot(core, r) & 1;

	assert(!op->pending && op->done_at >= core->now);
	assert(!op->part || r->parts);
	assert(r->used && r->group == op->group);
	if (op->kind->results)
		op->kind->results(op);
	/* A dead result is not outstanding; its slot may have another owner by now. */
	for (uint32_t k = 0; memory_kind_has_result(i) && k < i->scoreboard.writes; k++) {
		uint16_t entry = i->scoreboard.slot[k];
		uint64_t *ready = entry & SCOREBOARD_PREDICATE ? &op->predicate_ready[entry & ~SCOREBOARD_PREDICATE]
							       : &op->register_ready[entry];

		schedule_set_ready(r, ready, op->done_at);
		if (op->space == space_SHARED)
			schedule_set_ready(r, ready + r->core_launch->shared_offset, op->done_at);
	}
	if (op->ordered && op->kind->acquires)
		fence_acquire(core, &(struct l1_fence){.scope = l1_scope_of(i->access.scope)});
	if (op->part ? --r->parts == 0 : op->ordered) {
		r->held = false;
		if (op->done_at > r->hold_until)
			r->hold_until = op->done_at;
		waits = true;
	}
	if (waits && !r->finished)
		core_schedule(core, r);
	if (op->kind->completed)
		op->kind->completed(core, op);
	observe_completed(core, op);
	load_store_free(core, op);
}

void load_store_part_done(struct core *core, struct operation *op, uint64_t at)
{
	assert(op->pending);
	assert(at >= core->now);
	if (at > op->done_at)
		op->done_at = at;
	if (--op->pending == 0)
		complete(core, op);
}

void load_store_answered(struct core *core, struct operation *op, uint64_t at)
{
	struct group *group = op->group;
	uint32_t epoch = op->epoch;

	assert(group->outstanding[epoch % FENCE_EPOCHS]);
	assert(group->epoch - epoch < FENCE_EPOCHS);
	load_store_part_done(core, op, at);
	fence_answered(core, group, epoch);
}

void load_store_begin(struct operation *op)
{
	assert(op->group->used);
	assert(op->group->epoch - op->epoch < FENCE_EPOCHS);
	op->pending++;
	op->group->outstanding[op->epoch % FENCE_EPOCHS]++;
}

void load_store_drop(struct core *core, struct operation *op)
{
	assert(op->group->outstanding[op->epoch % FENCE_EPOCHS]);
	assert(op->group->epoch - op->epoch < FENCE_EPOCHS);
	fence_answered(core, op->group, op->epoch);
	load_store_free(core, op);
}

/* --- The queue --- */

/* Appends `count` transactions of the operation to the queue. */
static inline __attribute__((always_inline)) void queue_all(struct core *core, struct operation *op,
	const uint64_t *line, const lane_mask *lanes, uint32_t count, uint32_t cycles)
{
	struct load_store_unit *unit = &core->lsu;
	uint32_t index = load_store_index(core, op), at;
	uint64_t ready = core->now + core->machine->model->lsu_latency;

	assert(count && unit->queue_count + count <= unit->queue_size);
	assert(op->messages);
	assert(cycles);
	assert(unit->queue_head < unit->queue_size);
	assert(op->group->used && op->epoch == op->group->epoch);
	if (!unit->queue_count) {
		unit->queue_head = 0; /* where the cache has it */
		if (unit->queue_time < ready)
			unit->queue_time = ready;
	}
	at = unit->queue_head + unit->queue_count;
	unit->queue_count += count;
	op->group->outstanding[op->epoch % FENCE_EPOCHS] += op->messages * count;
	op->pending += op->messages * count;
	for (uint32_t k = 0; k < count; k++, at++) {
		__builtin_prefetch(l1_bucket(&core->l1, line[k])); /* for l1_write, when it is sent */
		at -= at >= unit->queue_size ? unit->queue_size : 0;
		unit->queue[at] =
			(struct transaction){.operation = index, .line = line[k], .lanes = lanes[k], .cycles = cycles};
	}
}

void load_store_queue(struct core *core, struct operation *op, uint64_t line, lane_mask lanes, uint32_t cycles)
{
	assert(lanes && !(lanes & ~op->lanes));
	queue_all(core, op, &line, &lanes, 1, cycles);
}

uint32_t load_store_queue_lines(struct core *core, struct operation *op, lane_mask lanes)
{
	uint64_t line[CORE_WARPS];
	lane_mask of_line[CORE_WARPS];
	uint32_t count =
		access_lines(op->address, l1_line_bytes(&core->l1), op->slot->warp.memory, lanes, line, of_line);

	assert(count <= (uint32_t)__builtin_popcountll(lanes));
	if (count) /* a copy's instruction may have no lane that reads or writes a line here */
		queue_all(core, op, line, of_line, count, 1);
	return count;
}

/* A transaction for shared memory. */
static void serve_shared(struct core *core, struct operation *op, const struct transaction *t)
{
	uint64_t at;

	assert(t->cycles && t->lanes);
	core->counters.shared_conflict_cycles += t->cycles - 1;
	at = op->kind->serve_shared(core, op, core->now + core->machine->model->shared_latency + t->cycles - 1);
	assert(at >= core->now);
	if (at != NEVER)
		load_store_answered(core, op, at);
	else if (memory_kind_has_result(op->insn)) /* it waits for more than the memory */
		schedule_note_shared(core, op->slot, op->insn, 0);
}

/* Carries out the transaction at the head of the queue; false when it must stay there. */
static bool run_head(struct core *core, struct operation *op, const struct transaction *t)
{
	uint64_t free;

	assert(t->lanes && !(t->lanes & ~op->lanes));
	if (op->space == space_SHARED) {
		serve_shared(core, op, t);
		return true;
	}
	if (op->space == space_CLUSTER) {
		core->lsu.remote->send(core, op, t);
		return true;
	}
	if (t->line == NO_LINE) {
		op->kind->begin(core, op, t->lanes);
		return true;
	}
	free = port_free(core, op->kind->is_atomic);
	if (free > core->now + core->machine->model->l1_queue) {
		core->counters.l1_stall_cycles += free - core->machine->model->l1_queue - core->now;
		core->lsu.queue_time = free - core->machine->model->l1_queue;
		return false;
	}
	return op->kind->send(core, op, t);
}

/* Cycles until what the transaction loads or stores has gone to the registers, or come from there. */
static __attribute__((noinline)) uint32_t cycles_of_width(
	const struct core *core, const struct operation *op, const struct transaction *t)
{
	uint32_t width = core->machine->model->lsu_width;
	uint32_t bytes = (uint32_t)__builtin_popcountll(t->lanes) * access_bytes(op->insn);

	assert(width);
	assert(t->lanes);
	return op->kind->moves_lanes && op->space != space_CLUSTER ? (bytes + width - 1) / width : 1;
}

void load_store_run(struct core *core)
{
	struct load_store_unit *unit = &core->lsu;
	struct transaction *t = &unit->queue[unit->queue_head];
	struct operation *op = &unit->operations[t->operation];
	uint32_t messages, cycles = t->cycles, width;

	if (unit->queue_stalled)
		return;
	assert(unit->queue_count);
	assert(unit->queue_operations);
	assert(unit->queue_time <= core->now);
	assert(op->pending && t->element < op->messages);
	assert(t->operation < unit->operation_fresh);
	messages = op->messages; /* before the operation may be over */
	width = core->machine->model->lsu_width ? cycles_of_width(core, op, t) : 0;
	if (!run_head(core, op, t))
		return;
	unit->queue_time = core->now + (width > cycles ? width : cycles);
	if (++t->element < messages)
		return;
	if (++unit->queue_head == unit->queue_size)
		unit->queue_head = 0;
	if (!--unit->queue_count || unit->queue[unit->queue_head].operation != t->operation)
		unit->queue_operations--;
}

/* --- Replies and timers --- */

/* Whatever was stalled may continue. */
static void end_stalls(struct core *core)
{
	struct load_store_unit *unit = &core->lsu;

	if (unit->queue_stalled) {
		assert(unit->queue_count);
		unit->queue_stalled = false;
		unit->queue_time = core->now;
	}
	for (uint32_t k = 0; k < UNIT_TIMERS; k++)
		if (unit->timers[k].stalled) {
			assert(unit->timers[k].at == NEVER);
			unit->timers[k].stalled = false;
			unit->timers[k].at = core->now;
		}
}

static inline void receive(struct core *core, const struct message *m, const bool told)
{
	if (told) {
		core->lsu.told.reply = m->kind;
		if (m->kind == MESSAGE_LOADED || m->kind == MESSAGE_STORED || m->kind == MESSAGE_GRANT)
			observe_replies(core, m);
	}
	assert(core->lsu.receive[m->kind]);
	assert(m->destination == core->index);
	core->lsu.receive[m->kind](core, m);
	end_stalls(core);
	assert(core->in_flight || m->kind >= MESSAGE_CLUSTER);
	core->in_flight -= m->kind < MESSAGE_CLUSTER;
	core->last_activity = core->now;
}

/* When the port will have taken in the first reply on its way; NEVER: there is none. */
static uint64_t taken_in(const struct core *core, const struct message *reply)
{
	assert(!reply || reply->destination == core->index);
	if (!reply)
		return NEVER;
	return reply->time > core->lsu.reply_port_free ? reply->time : core->lsu.reply_port_free;
}

uint64_t load_store_next_timer(const struct core *core)
{
	uint64_t next = NEVER;

	for (uint32_t k = 0; k < UNIT_TIMERS; k++)
		if (core->lsu.timers[k].at < next)
			next = core->lsu.timers[k].at;
	return next;
}

static uint64_t earliest(const struct core *core, uint64_t reply)
{
	uint64_t timer = load_store_next_timer(core);

	return timer < reply ? timer : reply;
}

void load_store_run_timers(struct core *core)
{
	for (uint32_t k = 0; k < UNIT_TIMERS; k++)
		if (core->lsu.timers[k].at <= core->now)
			core->lsu.timers[k].run(core);
}

/* The operation that a reply is for, or null; of a line that several wait for the first. */
static inline __attribute__((always_inline)) const struct operation *awaiting(
	const struct core *core, const struct message *reply)
{
	uint32_t waiter;

	assert(reply->destination == core->index);
	if (reply->kind == MESSAGE_DONE)
		return atomic_sent(core, reply->token);
	if (reply->kind != MESSAGE_LOADED)
		return NULL;
	waiter = core->l1.misses[reply->token].first;
	return waiter == L1_NONE ? NULL : &core->lsu.operations[core->l1.waiters[waiter].user];
}

static inline __attribute__((always_inline)) void prefetch_operation(const struct operation *op)
{
	assert(op->slot);
	__builtin_prefetch(op);
	__builtin_prefetch(&op->done_at);
}

/* What a reply changes, of an operation that has been prefetched. */
static inline __attribute__((always_inline)) void prefetch_answered(const struct operation *op, uint32_t lane)
{
	const struct insn *i = op->insn;
	const uint32_t *to;

	assert(op->pending);
	assert(lane < op->slot->warp.lanes);
	__builtin_prefetch(&op->slot->warp);
	__builtin_prefetch(&op->slot->register_ready);
	__builtin_prefetch(&op->slot->reason);
	__builtin_prefetch(op->group->outstanding);
	__builtin_prefetch(&op->address[lane]);
	__builtin_prefetch(op->data + (size_t)lane * 2 * i->access.bytes);
	if (i->d == SLOT_NONE)
		return;
	to = op->bank[i->d >> 30] + (i->d & SLOT_OFFSET);
	__builtin_prefetch(to, 1);
	__builtin_prefetch(to + 16, 1);
	__builtin_prefetch(&op->register_ready[i->scoreboard.slot[0] & ~SCOREBOARD_PREDICATE], 1);
}

#define REPLIES_AHEAD 3

static inline __attribute__((always_inline)) void prefetch_ahead(const struct core *core, uint32_t k)
{
	const struct message *m = inbox_ahead(core->inbox, k);
	const struct operation *op = m ? awaiting(core, m) : NULL;

	assert(k <= REPLIES_AHEAD);
	if (op)
		prefetch_operation(op);
}

/* What the next replies will touch, most of which was used too long ago to be in the host's caches.  GCC 12 leaves out
 * calls of functions that do nothing else, so these are inlined. */
static inline __attribute__((always_inline)) void prefetch_replies(const struct core *core)
{
	const struct message *next = inbox_ahead(core->inbox, 0), *near = inbox_ahead(core->inbox, 1);
	const struct operation *op = next ? awaiting(core, next) : NULL;

	assert(!near || next);
	if (op)
		__builtin_prefetch(op->slot->warp.path);
	op = near ? awaiting(core, near) : NULL;
	if (op)
		prefetch_answered(op, near->kind == MESSAGE_DONE ? (uint32_t)__builtin_ctzll(near->lanes) : 0);
	prefetch_ahead(core, REPLIES_AHEAD);
}

uint64_t load_store_next_arrival(const struct core *core)
{
	const struct message *first = inbox_first(core->inbox);

	assert(!core->lsu.queue_stalled || core->lsu.queue_count);
	/* Mostly a quantum begins: for these no reply before them has. */
	for (uint32_t k = 0; k < REPLIES_AHEAD; k++)
		prefetch_ahead(core, k);
	return earliest(core, taken_in(core, first));
}

/* For which the port is taken. */
static inline uint32_t cycles_of(const struct gpu_model *model, const struct message *m, uint32_t flits)
{
	uint32_t bytes = model->crossbar_core_data;

	assert(flits);
	if (!bytes || (m->kind != MESSAGE_LOADED && m->kind != MESSAGE_MULTICAST))
		return flits;
	return m->data_bytes > bytes ? (m->data_bytes + bytes - 1) / bytes : 1;
}

/* `told`: as in cycle.c. */
static inline __attribute__((always_inline)) void receive_all(struct core *core, const bool told)
{
	const struct gpu_model *model = core->machine->model;
	const struct message *m = inbox_first(core->inbox);
	uint64_t at;

	while ((at = taken_in(core, m)) <= core->now) {
		uint32_t flits = port_flits(model, m->data_bytes);

		core->lsu.reply_port_free = at + cycles_of(model, m, flits);
		if (m->kind < MESSAGE_CLUSTER) {
			core->counters.reply_flits += flits;
			port_count(core, m->kind);
		}
		receive(core, m, told);
		inbox_drop(core->inbox);
		m = inbox_first(core->inbox);
		prefetch_replies(core);
	}
	load_store_run_timers(core);
	core->lsu.next_arrival = earliest(core, at);
	assert(core->lsu.next_arrival > core->now);
}

void load_store_receive(struct core *core)
{
	receive_all(core, false);
}

void load_store_receive_told(struct core *core)
{
	receive_all(core, true);
}

void load_store_run_told(struct core *core)
{
	const struct transaction *t = &core->lsu.queue[core->lsu.queue_head];
	const struct operation *op = &core->lsu.operations[t->operation];
	const struct unit_told *told = &core->lsu.told;
	bool is_same = op->insn == told->insn && op->space == told->space && op->group->core_launch == told->on;

	assert(core->lsu.queue_count);
	assert(t->operation < core->lsu.operation_fresh);
	if (!is_same && (op->space != space_SHARED || t->cycles > 1))
		observe_works(core, op);
	load_store_run(core);
}

uint64_t load_store_next_event(const struct core *core)
{
	uint64_t queue = NEVER;

	assert(core->lsu.queue_count || !core->lsu.queue_stalled);
	if (core->lsu.queue_count && !core->lsu.queue_stalled)
		queue = core->lsu.queue_time > core->now ? core->lsu.queue_time : core->now;
	return core->lsu.next_arrival < queue ? core->lsu.next_arrival : queue;
}
