/* Atomics: messages with an entry per lane to global memory, turns on the words of shared memory. */
#include "machine/lsu/atomic.h"

#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/core/port.h"
#include "machine/core/schedule.h"
#include "machine/lsu/access.h"
#include "machine/lsu/banks.h"
#include "machine/lsu/element.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/lock_bits.h"
#include "machine/lsu/owned.h"
#include "machine/lsu/packets.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

#define ATOMICS_PER_OPERATION 4 /* of those that fit: more messages than that wait at the head of the queue */

/* Of a core. */
struct atomics {
	uint32_t sent, limit;   /* messages on their way; at most */
	uint32_t *stopped;      /* operations that wait for lock bits, in order; null: none ever has */
	uint32_t stopped_count; /* of them */
};

static struct atomics *unit_of(const struct core *core)
{
	return memory_kind_state(core, INSN_ATOMIC);
}

static void *create(struct core *core, struct arena *arena)
{
	struct atomics *unit = arena_new(arena, struct atomics);

	assert(core->lsu.operations_limit);
	unit->limit = core->lsu.operations_limit * ATOMICS_PER_OPERATION;
	return unit;
}

static bool is_idle(const struct core *core)
{
	assert(unit_of(core)->sent <= unit_of(core)->limit);
	return !unit_of(core)->sent && !unit_of(core)->stopped_count;
}

/* --- Operands --- */

/* The operands of a lane's atomic on one element: a, then b, which operations on vectors have not. */
static uint8_t *atomic_data(uint8_t *data, const struct insn *i, uint32_t lane, uint32_t element)
{
	assert(element < i->access.elements);
	assert(2u * i->access.elements * i->access.bytes <= ACCESS_DATA_BYTES);
	return data + (lane * i->access.elements + element) * 2 * i->access.bytes;
}

/* The operands of an atomic on words. */
static void capture_words(uint32_t *data, const uint32_t *a, const uint32_t *b, lane_mask lanes)
{
	assert(lanes);
	EACH_LANE(l, lanes) {
		data[2 * l] = a[l];
		data[2 * l + 1] = b[l];
	}
}

void atomic_capture_operands(struct operation *op)
{
	const struct insn *i = op->insn;
	const struct warp *w = &op->slot->warp;
	uint32_t bytes = i->access.bytes;

	assert(2 * bytes <= ACCESS_DATA_BYTES && i->access.elements == 1);
	EACH_LANE(l, op->lanes) {
		element_get(w, i->s[1], (uint32_t)l, i->s_bytes[1], bytes, op->data + l * 2 * bytes);
		element_get(w, i->s[2], (uint32_t)l, i->s_bytes[2], bytes, op->data + l * 2 * bytes + bytes);
	}
}

static void capture_vectors(struct operation *op)
{
	const struct insn *i = op->insn;
	const struct warp *w = &op->slot->warp;
	const slot_ref *values = w->kernel->extras[i->extra].values;

	assert(i->access.elements > 1 && i->access.atomic != ATOMIC_CAS);
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, op->lanes)
			element_get(w, values[e], (uint32_t)l, i->access.register_bytes, i->access.bytes,
				atomic_data(op->data, i, (uint32_t)l, e));
}

static void capture(struct operation *op)
{
	const struct insn *i = op->insn;
	const struct warp *w = &op->slot->warp;

	assert(op->lanes && i->kind == INSN_ATOMIC);
	op->messages = i->access.elements;
	if (i->access.elements > 1)
		capture_vectors(op);
	else if (element_is_word(i) && i->s_bytes[1] == 4 && i->s_bytes[2] == 4)
		capture_words((uint32_t *)(void *)op->data, slot_at(w, i->s[1]), slot_at(w, i->s[2]), op->lanes);
	else
		atomic_capture_operands(op);
}

/* --- Global memory --- */

static bool on_one_word(const struct operation *op)
{
	assert(op->lanes);
	uint64_t first = op->address[__builtin_ctzll(op->lanes)];

	EACH_LANE(l, op->lanes)
		if (op->address[l] != first)
			return false;
	return true;
}

/* ptxas sums up what the lanes of a warp add where their address is the same: 32 bits of integers, for which there is
 * an instruction.  It knows that of addresses that do not depend on the thread; here it is found by looking. */
static bool combinable(const struct operation *op)
{
	const struct insn *i = op->insn;
	enum ptx_type_kind kind = ptx_types[i->access.type].kind;

	assert(i->flags & INSN_NO_RESULT);
	return i->access.atomic == ATOMIC_ADD && i->access.bytes == 4 &&
	       (kind == KIND_UNSIGNED || kind == KIND_SIGNED || kind == KIND_BITS) && on_one_word(op);
}

/* The operations on one line, on one element of vectors; with `combine`, integer adds to one word become one.  Returns
 * how many. */
static uint32_t make_entries(const struct operation *op, lane_mask lanes, uint32_t element, bool combine,
	struct atomic_entry *entries, uint64_t *high)
{
	uint32_t count = 0;
	uint32_t bytes = op->insn->access.bytes;

	assert(lanes && !(lanes & ~op->lanes));
	EACH_LANE(l, lanes) {
		const uint8_t *data = atomic_data(op->data, op->insn, (uint32_t)l, element);
		uint64_t address = op->address[l] + element * bytes;
		uint32_t k = 0;

		while (combine && k < count && entries[k].address != address)
			k++;
		if (combine && k < count) {
			entries[k].a += element_low_bits(data, bytes);
			continue;
		}
		entries[count] = (struct atomic_entry){.a = element_low_bits(data, bytes),
			.b = element_low_bits(data + bytes, bytes),
			.address = address};
		if (bytes == 16) {
			memcpy(&high[2 * count], data + 8, 8);
			memcpy(&high[2 * count + 1], data + bytes + 8, 8);
		}
		count++;
	}
	return count;
}

/* The same of words, which are not combined. */
static inline uint32_t make_word_entries(const struct operation *op, lane_mask lanes, struct atomic_entry *entries)
{
	const uint32_t *data = (const uint32_t *)(const void *)op->data;
	struct atomic_entry *to = entries;

	assert(lanes && !(lanes & ~op->lanes));
	assert(op->insn->access.bytes == 4);
	assert(op->insn->access.elements == 1);
	EACH_LANE(l, lanes)
		*to++ = (struct atomic_entry){.a = data[2 * l], .b = data[2 * l + 1], .address = op->address[l]};
	return (uint32_t)(to - entries);
}

/* Comes back with the reply, beside the lanes: whose old values it has. */
static uint32_t token_of(uint32_t operation, uint32_t element)
{
	assert(operation <= UINT32_MAX >> 8);
	assert(element <= UINT8_MAX);
	return operation << 8 | element;
}

/* Entries and what follows them; returns the bytes of all. */
static __attribute__((noinline)) uint32_t fill_elements(
	const struct operation *op, lane_mask lanes, uint32_t element, bool combine, struct atomic_payload *payload)
{
	uint64_t high[CORE_WARPS * 2];
	struct atomic_entry *entries = (struct atomic_entry *)(payload + 1);
	uint32_t count = make_entries(op, lanes, element, combine, entries, high);

	assert(count && count <= (uint32_t)__builtin_popcountll(lanes));
	payload->count = count;
	if (payload->bytes != 16)
		return (uint32_t)(count * sizeof *entries);
	memcpy(entries + count, high, count * 16);
	return (uint32_t)(count * (sizeof *entries + 16));
}

static inline __attribute__((always_inline)) uint32_t fill(const struct core *core, const struct operation *op,
	lane_mask lanes, uint32_t element, struct atomic_payload *payload)
{
	const struct insn *i = op->insn;
	bool no_result = i->flags & INSN_NO_RESULT;
	bool combine = no_result && core->machine->model->atomic_combine && combinable(op);

	*payload = (struct atomic_payload){
		.op = i->access.atomic, .type = i->access.type, .bytes = i->access.bytes, .no_result = no_result};
	if (i->access.bytes != 4 || i->access.elements > 1 || combine)
		return (uint32_t)sizeof *payload + fill_elements(op, lanes, element, combine, payload);
	payload->count = make_word_entries(op, lanes, (struct atomic_entry *)(payload + 1));
	return (uint32_t)(sizeof *payload + payload->count * sizeof(struct atomic_entry));
}

uint32_t atomic_fill(const struct core *core, const struct operation *op, lane_mask lanes, uint32_t element,
	struct atomic_payload *payload)
{
	assert(element < op->insn->access.elements);
	return fill(core, op, lanes, element, payload);
}

static __attribute__((noinline)) void send_in_packets(
	struct core *core, const struct insn *i, struct message *m, uint64_t line, uint32_t token)
{
	const struct atomic_payload *payload = message_payload(m);
	struct port_packets packets = packets_of(
		core->machine->model, i, (const struct atomic_entry *)(const void *)(payload + 1), payload->count);

	assert(payload->count && payload->count <= CORE_WARPS);
	port_post_packets(core, m, MESSAGE_ATOMIC, line, &packets, token);
}

bool atomic_send(struct core *core, struct operation *op, const struct transaction *t)
{
	const struct insn *i = op->insn;
	struct atomics *unit = unit_of(core);
	struct atomic_payload *payload;
	struct message *m;
	uint32_t bytes = i->access.bytes, count, token = token_of(t->operation, t->element);

	if (core->owned)
		return owned_send(core, op, t, OWNED_ATOMIC);
	if (unit->sent == unit->limit) {
		core->lsu.queue_stalled = true;
		return false;
	}
	assert(t->lanes && !(t->lanes & ~op->lanes));
	assert(op == &core->lsu.operations[t->operation]);
	assert(t->element < i->access.elements);
	assert(unit->sent < unit->limit);
	unit->sent++;
	m = outbox_write(core->outbox, sizeof *payload + (uint32_t)__builtin_popcountll(t->lanes) *
								 ((uint32_t)sizeof(struct atomic_entry) + 16));
	payload = message_payload(m);
	m->payload_bytes = (uint16_t)fill(core, op, t->lanes, t->element, payload);
	count = payload->count;
	l1_write(&core->l1, t->line, NULL, false);
	port_sign(op, m);
	m->lanes = t->lanes;
	if (core->machine->model->atomic_packets)
		send_in_packets(core, i, m, t->line, token);
	else
		port_post(core, m, MESSAGE_ATOMIC, t->line,
			count * (4 + bytes * (i->access.atomic == ATOMIC_CAS ? 2 : 1)), token);
	if (!(i->flags & INSN_LOCK_TRY))
		observe_written(core, op->slot, op->address, t->lanes, op);
	return true;
}

bool atomic_send_elements(struct core *core, struct operation *op, uint32_t lane, enum ptx_type type, uint64_t address,
	const uint8_t *data, uint32_t bytes)
{
	const struct insn *i = op->insn;
	struct atomics *unit = unit_of(core);
	uint32_t width = ptx_types[type].bits / 8u, count = bytes / width;
	uint32_t token = token_of(load_store_index(core, op), 0);
	uint64_t line = l1_line_of(&core->l1, address);
	struct atomic_payload *payload;
	struct atomic_entry *entries;
	struct message *m;

	if (unit->sent == unit->limit)
		return false;
	assert(count && count * width == bytes);
	assert(address + bytes <= line + l1_line_bytes(&core->l1));
	unit->sent++;
	m = outbox_write(core->outbox, (uint32_t)(sizeof *payload + count * sizeof *entries));
	payload = message_payload(m);
	*payload = (struct atomic_payload){.op = i->access.atomic,
		.type = (uint8_t)type,
		.bytes = (uint8_t)width,
		.no_result = true,
		.count = count};
	entries = (struct atomic_entry *)(payload + 1);
	for (uint32_t k = 0; k < count; k++)
		entries[k] = (struct atomic_entry){
			.a = element_low_bits(data + k * width, width), .address = address + k * width};
	m->payload_bytes = (uint16_t)(sizeof *payload + count * sizeof *entries);
	l1_write(&core->l1, line, NULL, false);
	port_sign(op, m);
	m->lanes = (lane_mask)1 << lane;
	if (core->machine->model->atomic_packets)
		send_in_packets(core, i, m, line, token);
	else
		port_post(core, m, MESSAGE_ATOMIC, line, count * (4 + width), token);
	return true;
}

/* Old values of an element into the destination, `old` in the order of the lanes.  The kernel is the group's: the warp
 * slot may have another warp by now. */
static void give_old_values(const struct operation *op, lane_mask lanes, uint32_t element, const uint64_t *old)
{
	const struct insn *i = op->insn;
	const struct kernel *kernel;
	uint32_t words = i->access.bytes == 16 ? 2 : 1;

	assert(element < i->access.elements);
	if (element_is_word(i) && i->d != SLOT_NONE) {
		uint32_t *to = op->bank[0] + i->d;

		EACH_LANE(l, lanes)
			to[l] = (uint32_t)*old++;
		return;
	}
	kernel = op->group->core_launch->launch->kernel;
	EACH_LANE(l, lanes) {
		element_put(
			op->bank, element_slot(i, kernel, element, i->d), (uint32_t)l, op->slot->warp.lanes, i, old);
		old += words;
	}
}

/* Of compare-and-swaps, those whose word had the value that they compare with: they have written. */
static __attribute__((noinline)) void count_swaps(
	struct core *core, const struct operation *op, lane_mask lanes, uint32_t element, const uint64_t *old)
{
	uint32_t words = op->insn->access.bytes == 16 ? 2 : 1;

	assert(op->insn->access.atomic == ATOMIC_CAS);
	assert(lanes && op->space == space_GLOBAL);
	EACH_LANE(l, lanes) {
		const uint8_t *data = atomic_data(op->data, op->insn, (uint32_t)l, element);

		core->counters.swaps_done += memcmp(old, data, op->insn->access.bytes) == 0;
		old += words;
	}
}

static void found(struct core *core, struct operation *op, lane_mask lanes, uint32_t element, const uint64_t *old)
{
	assert(lanes && !(lanes & ~op->lanes));
	if (!(op->insn->flags & INSN_NO_RESULT)) {
		if (op->insn->access.atomic == ATOMIC_CAS && op->space == space_GLOBAL)
			count_swaps(core, op, lanes, element, old);
		give_old_values(op, lanes, element, old);
	}
	observe_answered(core, op, lanes, old);
}

static void receive(struct core *core, const struct message *m)
{
	struct operation *op = atomic_sent(core, m->token);
	uint32_t element = m->token & 0xff;

	assert(m->lanes && !(m->lanes & ~op->lanes));
	assert(element < op->insn->access.elements);
	if (op->kind->found && !(op->insn->flags & INSN_NO_RESULT))
		op->kind->found(core, op, m->lanes, element, message_payload(m));
	assert(unit_of(core)->sent && op->pending);
	unit_of(core)->sent--;
	load_store_answered(core, op, core->now);
}

/* --- At once --- */

static uint64_t apply_one(
	const struct insn *i, enum atomic_op op, void *where, const uint8_t *data, bool is_shared_with_host)
{
	enum ptx_type type = (enum ptx_type)i->access.type;
	uint64_t a = element_low_bits(data, i->access.bytes),
		 b = element_low_bits(data + i->access.bytes, i->access.bytes);

	assert(i->access.bytes <= 8);
	return is_shared_with_host ? atomic_apply_shared(op, type, where, a, b) : atomic_apply(op, type, where, a, b);
}

/* 16-byte exchange and compare-and-swap, the only ones of that width. */
static void apply_wide(const struct insn *i, void *where, const uint8_t *data, uint64_t old[2])
{
	assert(i->access.bytes == 16);
	assert(i->access.atomic == ATOMIC_EXCH || i->access.atomic == ATOMIC_CAS);
	memcpy(old, where, 16);
	if (i->access.atomic == ATOMIC_EXCH)
		memcpy(where, data, 16);
	else if (memcmp(where, data, 16) == 0)
		memcpy(where, data + 16, 16);
}

/* Atomics on memory that this core may touch at once: its shared memory, or any in functional mode. */
static void element_at_once(
	struct core *core, struct operation *op, uint32_t element, memory_base memory, bool is_global)
{
	uint64_t old[CORE_WARPS * 2];
	uint32_t words = op->insn->access.bytes == 16 ? 2 : 1, k = 0;
	bool is_shared_with_host = core->machine->space->host_writes && is_global;
	enum atomic_op what = (enum atomic_op)op->insn->access.atomic;
	bool tells = observer_hears(core, OBSERVE_changed, op->slot->bit);

	assert(op->lanes && element < op->insn->access.elements);
	if (is_global)
		what = atomic_in_global(what, (enum ptx_type)op->insn->access.type);
	EACH_LANE(l, op->lanes) {
		void *where = memory_byte(memory, op->address[l] + element * op->insn->access.bytes);
		const uint8_t *data = atomic_data(op->data, op->insn, (uint32_t)l, element);
		uint8_t before[16];

		if (tells)
			memcpy(before, where, op->insn->access.bytes);
		if (words == 2)
			apply_wide(op->insn, where, data, &old[k]);
		else
			old[k] = apply_one(op->insn, what, where, data, is_shared_with_host);
		if (tells)
			observe_changed(core, op->slot, where, before, op->insn->access.bytes);
		k += words;
	}
	if (!(op->insn->flags & INSN_LOCK_TRY))
		observe_written(core, op->slot, op->address, op->lanes, op);
	found(core, op, op->lanes, element, old);
}

static void atomics_at_once(struct core *core, struct operation *op, memory_base memory, bool is_global)
{
	assert(is_global || op->insn->access.elements == 1);
	for (uint32_t e = 0; e < op->insn->access.elements; e++)
		element_at_once(core, op, e, memory, is_global);
}

void atomic_reduce_at_once(struct core *core, const struct insn *i, enum ptx_type type, uint64_t address,
	const uint8_t *data, uint32_t bytes)
{
	enum atomic_op op = atomic_in_global((enum atomic_op)i->access.atomic, type);
	uint32_t width = ptx_types[type].bits / 8u;

	assert(core->machine->mode->at_once);
	assert(bytes % width == 0);
	access_will_write(core, address, bytes);
	for (uint32_t k = 0; k < bytes; k += width) {
		void *where = space_host(core->machine->space, address + k);
		uint64_t a = element_low_bits(data + k, width);

		if (core->machine->space->host_writes)
			atomic_apply_shared(op, type, where, a, 0);
		else
			atomic_apply(op, type, where, a, 0);
	}
}

/* ---- Shared memory and its lock bits ---- */

static uint64_t serve_now(struct core *core, struct operation *op, uint64_t at)
{
	bool is_loop = core->machine->model->shared_atomic_locks && !core->machine->mode->at_once;
	uint64_t given_back = is_loop ? lock_bits_pass(core, lock_bits_of(core), op) : at;

	assert(op->lanes && (!is_loop || lock_bits_of(core)));
	atomics_at_once(core, op, (memory_base)op->group->shared, false);
	return given_back;
}

/* Carries out the lanes whose bits no program has; op->lanes become the others.  Returns when the results are there. */
static uint64_t serve_free(struct core *core, struct operation *op, uint64_t at)
{
	lane_mask stopped = lock_bits_stop(core, op->group, op->address, op->lanes);

	assert(!(stopped & ~op->lanes));

	op->lanes &= ~stopped;
	if (op->lanes)
		at = serve_now(core, op, at);
	op->lanes = stopped;
	op->done_at = at > op->done_at ? at : op->done_at;
	return at;
}

static void wait_for_bits(struct core *core, const struct operation *op)
{
	struct atomics *unit = unit_of(core);

	if (!unit->stopped)
		unit->stopped =
			arena_new_array(&core->machine->cores.arenas[core->index], uint32_t, core->lsu.operation_count);
	assert(op->lanes);
	assert(unit->stopped_count < core->lsu.operation_count);
	assert(op->pending && op->space == space_SHARED);
	unit->stopped[unit->stopped_count++] = load_store_index(core, op);
	core->counters.lock_bit_stops++;
}

static uint64_t serve_shared(struct core *core, struct operation *op, uint64_t at)
{
	assert(op->space == space_SHARED);
	if (!lock_bits_stop(core, op->group, op->address, op->lanes))
		return serve_now(core, op, at);
	serve_free(core, op, at);
	wait_for_bits(core, op);
	return NEVER;
}

void atomic_go_on(struct core *core)
{
	struct atomics *unit = unit_of(core);
	uint32_t count = unit->stopped_count;

	assert(count <= core->lsu.operation_count);
	unit->stopped_count = 0;
	for (uint32_t k = 0; k < count; k++) {
		struct operation *op = &core->lsu.operations[unit->stopped[k]];
		uint64_t at = serve_free(core, op, core->now + core->machine->time.delays.shared_latency);

		assert(unit->stopped[k] < core->lsu.operation_fresh);
		assert(op->pending);
		if (op->lanes) {
			unit->stopped[unit->stopped_count++] = unit->stopped[k];
			continue;
		}
		observe_goes_on(core, op->slot);
		load_store_answered(core, op, at);
	}
}

lane_mask atomic_lanes_stopped(
	const struct core *core, const struct warp_slot *r, uint32_t *pc, const uint64_t **address)
{
	const struct atomics *unit = unit_of(core);

	for (uint32_t k = 0; k < unit->stopped_count; k++) {
		const struct operation *op = &core->lsu.operations[unit->stopped[k]];

		if (op->slot != r)
			continue;
		assert(op->lanes && op->pending);
		*pc = launch_pc(r->core_launch->launch, op->insn);
		*address = op->address;
		return op->lanes;
	}
	return 0;
}

/* Functional mode: what cannot be done at once holds the warp. */
static void begin_waiting(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	struct operation *op = load_store_take(core, r, i, lanes, space_SHARED);

	assert(core->machine->mode->at_once && !r->held);
	memcpy(op->address, address, r->warp.lanes * sizeof *address);
	capture(op);
	load_store_begin(op);
	if (memory_kind_has_result(i))
		core_set_results_ready(r, i, NEVER);
	op->ordered = r->held = true;
	serve_free(core, op, core->now);
	wait_for_bits(core, op);
}

static uint32_t remote_sent(const struct insn *i)
{
	assert(i->access.elements == 1);
	return 2u * i->access.bytes;
}

static uint32_t remote_answered(const struct insn *i)
{
	return i->flags & INSN_NO_RESULT ? 0 : i->access.bytes;
}

static void remote_apply(const struct insn *i, uint8_t *where, const uint8_t *sent, uint8_t *answer)
{
	uint64_t old[2] = {0};

	assert(i->access.elements == 1);
	if (i->access.bytes == 16)
		apply_wide(i, where, sent, old);
	else
		old[0] = apply_one(i, (enum atomic_op)i->access.atomic, where, sent, false);
	memcpy(answer, old, remote_answered(i));
}

static void remote_take(const struct operation *op, uint32_t lane, const uint8_t *answer)
{
	assert(op->lanes >> lane & 1);
	element_put(op->bank, op->insn->d, lane, op->slot->warp.lanes, op->insn, answer);
}

static void at_once(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	uint8_t data[CORE_WARPS * ACCESS_DATA_BYTES];
	struct operation op;

	assert(core->machine->mode->at_once && lanes);
	if (space == space_SHARED && lock_bits_stop(core, r->group, address, lanes)) {
		begin_waiting(core, r, i, lanes, address);
		return;
	}
	access_save_lanes(core, r, i, lanes, space, address);
	access_begin(&op, r, i, lanes, address);
	op.space = space;
	op.data = data;
	capture(&op);
	atomics_at_once(core, &op, access_memory(core, r, space), space == space_GLOBAL);
}

/* A thread's own local memory through a generic atomic: no other thread can be there, so plain steps do. */
static void local(struct warp_slot *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	uint8_t data[CORE_WARPS * ACCESS_DATA_BYTES], value[16];
	struct operation op = {.insn = i, .slot = r, .lanes = lanes, .data = data};

	assert(i->access.elements == 1);
	capture(&op);
	EACH_LANE(l, lanes) {
		uint64_t old[2];

		access_local_read(&r->warp, (uint32_t)l, (uint32_t)address[l], value, i->access.bytes);
		if (i->access.bytes == 16)
			apply_wide(i, value, data + l * 2 * i->access.bytes, old);
		else
			old[0] = apply_one(
				i, (enum atomic_op)i->access.atomic, value, data + l * 2 * i->access.bytes, false);
		access_local_write(&r->warp, (uint32_t)l, (uint32_t)address[l], value, i->access.bytes);
		if (!(i->flags & INSN_NO_RESULT))
			element_put(r->warp.bank, i->d, (uint32_t)l, r->warp.lanes, i, old);
	}
}

/* --- Issue --- */

static uint32_t shared_cycles(const struct core *core, const struct operation *op)
{
	const struct gpu_model *model = core->machine->model;
	uint32_t banks = banks_cycles(model, op->slot->warp.memory, op->insn, op->address, op->lanes);

	assert(op->lanes);
	if (model->shared_atomic_locks)
		return lock_bits_cycles(model->shared_lock_bits, op->address, op->lanes, banks);
	return banks + (banks_same_word(op->address, op->lanes) - 1) * model->shared_atomic_interval;
}

static void count(struct counters *c, const struct operation *op)
{
	assert(op->space == space_GLOBAL && op->lanes);
	c->atomic_lanes += (uint64_t)__builtin_popcountll(op->lanes) * op->insn->access.elements;
}

static void issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	assert(lanes && !(lanes & ~r->warp.live));
	if (space != space_GLOBAL && i->access.elements > 1)
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_space,
			"atomic on a vector outside global memory");
	else
		load_store_issue_space(core, r, i, lanes, space);
}

const struct memory_kind memory_atomic = {
	.noun = "atomic",
	.acquires = true,
	.is_atomic = true,
	.create = create,
	.is_idle = is_idle,
	.issue = issue,
	.capture = capture,
	.shared_cycles = shared_cycles,
	.count = count,
	.send = atomic_send,
	.serve_shared = serve_shared,
	.reply = MESSAGE_DONE,
	.receive = receive,
	.found = found,
	.remote.sent = remote_sent,
	.remote.answered = remote_answered,
	.remote.apply = remote_apply,
	.remote.take = remote_take,
	.at_once = at_once,
	.local = local,
};
