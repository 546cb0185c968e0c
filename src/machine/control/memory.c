/* Accesses of firmware: addresses, the data cache, messages and replies. */
#include "machine/control/processor.h"

#include "machine/core/port.h"
#include "machine/lsu/access.h"
#include "machine/lsu/element.h"
#include "machine/state/machine.h"
#include "machine/state/node.h"
#include "policy/coherence/access.h"
#include "policy/contract.h"

#include <assert.h>
#include <string.h>

#define WINDOW_TOKEN 1u /* in the token of a store: it has a place in the store queue */

/* ---- Messages ---- */

static void post(struct control_processor *c, struct message *m, uint8_t kind, uint64_t line, uint32_t bytes)
{
	const struct gpu_model *model = c->machine->model;
	uint32_t flits = port_flits(model, bytes), slice = address_slice(&c->machine->map, line);
	uint64_t now = control_core_cycle(c, c->cycle), leaves = c->port_free > now ? c->port_free : now;

	assert(line % LEAST_LINE == 0);
	c->port_free = leaves + flits;
	m->time = leaves + flits - 1 + model->crossbar_request_latency;
	m->line = line;
	m->source = (uint16_t)c->node->address;
	m->destination = (uint16_t)(c->machine->cores.count + slice);
	m->kind = kind;
	m->data_bytes = (uint16_t)bytes;
	c->counters.flits += flits;
	outbox_post(c->node->outbox, m->destination, m);
}

static void send_load(struct control_processor *c, uint64_t line, uint8_t sectors, bool kept, uint32_t token)
{
	struct message *m = outbox_write(c->node->outbox, 0);

	assert(sectors);
	m->payload_bytes = 0;
	m->sectors = sectors;
	m->kept = kept;
	m->passes = false;
	m->bulk = false;
	m->token = token;
	c->counters.load_packets++;
	post(c, m, MESSAGE_LOAD, line, 0);
}

static void send_store(struct control_processor *c, const struct control_flight *flight, uint32_t token)
{
	struct l1_access access = l1_access_of(&flight->insn->access);
	struct message *m = outbox_write(c->node->outbox, sizeof(struct store_payload));
	struct store_payload *payload = message_payload(m);
	uint64_t line = l1_line_of(&c->l1, flight->address);
	uint32_t offset = (uint32_t)(flight->address - line);
	enum l1_store decision = contract_store(c->machine->coherence, c->coherence_state, &access);

	assert(flight->bytes);
	assert(flight->bytes <= CONTROL_DATA_BYTES);
	assert(flight->address % flight->bytes == 0);
	payload->mask[0] = payload->mask[1] = 0;
	payload->mask[offset / 64] = ((1ull << flight->bytes) - 1) << offset % 64;
	memcpy(payload->data + offset, flight->data, flight->bytes);
	if (decision != L1_STORE_LEAVE)
		l1_write(&c->l1, line, decision == L1_STORE_UPDATE ? payload : NULL, decision == L1_STORE_UPDATE);
	m->payload_bytes = sizeof *payload;
	m->pc = 0;
	m->group = 0;
	m->token = token;
	c->stores_out++;
	c->counters.stores++;
	c->counters.store_packets++;
	post(c, m, MESSAGE_STORE, line, 32);
}

static void send_atomic(struct control_processor *c, const struct control_flight *flight)
{
	const struct insn *i = flight->insn;
	uint32_t bytes = flight->bytes;
	struct message *m = outbox_write(
		c->node->outbox, sizeof(struct atomic_payload) + sizeof(struct atomic_entry) + 2 * sizeof(uint64_t));
	struct atomic_payload *payload = message_payload(m);
	struct atomic_entry *entry = (struct atomic_entry *)(payload + 1);

	assert(flight->on);
	assert(!flight->fault);
	assert(flight->space == space_GLOBAL);
	*payload = (struct atomic_payload){
		.op = i->access.atomic, .type = i->access.type, .bytes = (uint8_t)bytes, .count = 1};
	*entry = (struct atomic_entry){.address = flight->address,
		.a = element_low_bits(flight->data, bytes),
		.b = element_low_bits(flight->data + bytes, bytes)};
	m->payload_bytes = sizeof *payload + sizeof *entry;
	if (bytes == 16) {
		memcpy(entry + 1, flight->data + 8, 8);
		memcpy((char *)(entry + 1) + 8, flight->data + 24, 8);
		m->payload_bytes = (uint16_t)(m->payload_bytes + 16);
	}
	m->pc = 0;
	m->group = 0;
	m->token = 0;
	l1_write(&c->l1, l1_line_of(&c->l1, flight->address), NULL, false);
	c->counters.atomic_packets++;
	post(c, m, MESSAGE_ATOMIC, l1_line_of(&c->l1, flight->address),
		4 + bytes * (i->access.atomic == ATOMIC_CAS ? 2 : 1));
}

/* ---- Addresses ---- */

static uint8_t space_of(uint64_t address)
{
	if (address >= GLOBAL_BASE)
		return space_GLOBAL;
	if (address - LOCAL_BASE < WINDOW_BYTES)
		return space_LOCAL;
	return address - PARAMETER_BASE < SHARED_BASE - PARAMETER_BASE ? space_PARAM : space_GLOBAL;
}

static void find_address(struct control_flight *flight, const struct warp *w)
{
	const struct insn *i = flight->insn;
	const void *base = slot_at(w, i->s[0]);
	uint64_t address, window;

	assert(flight->on);
	address = i->s_bytes[0] == 8 ? *(const uint64_t *)base + (uint64_t)i->offset
				     : *(const uint32_t *)base + (uint32_t)i->offset;
	flight->space = i->access.space == space_NONE ? space_of(address) : i->access.space;
	window = flight->space == space_LOCAL ? LOCAL_BASE : PARAMETER_BASE;
	if (flight->space == space_LOCAL && i->access.in_frame)
		address += w->stack_base;
	else if ((flight->space == space_LOCAL || flight->space == space_PARAM) && address - window < WINDOW_BYTES)
		address -= window;
	flight->address = address;
	flight->bytes = access_bytes(i);
}

/* FAULT_NONE: the access is good. */
static enum fault_cause fault_of(const struct control_processor *c, const struct control_flight *flight)
{
	const struct warp *w = &c->registers.kept;
	uint64_t limit = flight->space == space_LOCAL ? w->local_bytes : w->launch->parameter_bytes;
	const struct allocation *a;
	bool loads = flight->insn->kind == INSN_LOAD;

	assert(flight->bytes);
	assert((flight->bytes & (flight->bytes - 1)) == 0);
	if (flight->address & (flight->bytes - 1))
		return FAULT_misaligned;
	if (flight->space == space_LOCAL || flight->space == space_PARAM) {
		if (flight->space == space_PARAM && !loads)
			return FAULT_space;
		return flight->address + flight->bytes > limit || flight->address + flight->bytes < flight->address
			       ? FAULT_address
			       : FAULT_NONE;
	}
	a = space_find(c->machine->space, flight->address, flight->bytes);
	if (!a)
		return FAULT_address;
	return a->constant && !loads ? FAULT_constant : FAULT_NONE;
}

/* ---- Values ---- */

static struct warp *file_of(struct control_processor *c, const struct control_flight *flight)
{
	return flight->lone ? &c->registers.kept : &c->registers.trial;
}

/* What was loaded goes into the registers. */
static void deliver(struct control_processor *c, const struct window_entry *entry, const uint8_t *data)
{
	const struct control_flight *flight = control_flight(c, entry->number);
	const struct insn *i = flight->insn;
	struct warp *w = file_of(c, flight);

	assert(flight->on);
	assert(flight->bytes <= CONTROL_DATA_BYTES);
	for (uint32_t e = 0; e < i->access.elements; e++)
		element_put(w->bank, element_slot(i, w->kernel, e, i->d), 0, w->lanes, i, data + e * i->access.bytes);
	control_take_results(c, entry);
}

static void capture(struct control_processor *c, struct control_flight *flight)
{
	const struct insn *i = flight->insn;
	const struct warp *w = file_of(c, flight);
	uint32_t bytes = i->access.bytes;

	assert(flight->on);
	assert(flight->bytes);
	assert(flight->bytes * (i->kind == INSN_ATOMIC ? 2 : 1) <= CONTROL_DATA_BYTES);
	if (i->kind == INSN_ATOMIC) {
		element_get(w, i->s[1], 0, i->s_bytes[1], bytes, flight->data);
		element_get(w, i->s[2], 0, i->s_bytes[2], bytes, flight->data + bytes);
		return;
	}
	for (uint32_t e = 0; e < i->access.elements; e++)
		element_get(w, element_slot(i, w->kernel, e, i->s[1]), 0, i->access.register_bytes, bytes,
			flight->data + e * bytes);
}

static void read_in_core(const struct control_processor *c, const struct control_flight *flight, uint8_t *data)
{
	assert(flight->bytes <= CONTROL_DATA_BYTES);
	assert(flight->space != space_GLOBAL);
	if (flight->space == space_PARAM)
		memcpy(data, c->registers.kept.launch->parameters + flight->address, flight->bytes);
	else if (flight->space == space_CONST)
		memcpy(data, space_host(c->machine->space, flight->address), flight->bytes);
	else
		access_local_read(&c->registers.kept, 0, (uint32_t)flight->address, data, flight->bytes);
}

/* ---- Loads ---- */

static bool overlap(const struct control_flight *a, const struct control_flight *b)
{
	assert(a->bytes);
	assert(b->bytes);
	return a->space == b->space && a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

/* An older access of memory has no address yet, or will write what this load reads. */
static bool must_wait(const struct control_processor *c, const struct window_entry *entry)
{
	const struct control_flight *flight = control_flight(c, entry->number);

	assert(!flight->lone);
	for (uint64_t n = c->window.first; n < entry->number; n++) {
		const struct window_entry *older = window_at(&c->window, n);
		const struct control_flight *other = control_flight(c, n);

		if (older->kind == WINDOW_PLAIN)
			continue;
		if (!older->begun || (older->kind == WINDOW_STORE && other->on && overlap(flight, other)))
			return true;
	}
	return false;
}

/* A load of global memory: when it is there, or not yet.  A directory does not know this cache, which then keeps
 * nothing of global memory. */
static uint64_t load_global(struct control_processor *c, struct window_entry *entry)
{
	const struct coherence_policy *coherence = c->machine->coherence;
	const struct control_flight *flight = control_flight(c, entry->number);
	struct l1_access access = l1_access_of(&flight->insn->access);
	uint64_t line = l1_line_of(&c->l1, flight->address);
	uint32_t offset = (uint32_t)(flight->address - line), token;
	uint8_t sectors = l1_sector_mask(&c->l1, offset, flight->bytes);
	enum l1_load decision =
		coherence->directory ? L1_LOAD_BYPASS : contract_load(coherence, c->coherence_state, &access);
	bool cached = decision == L1_LOAD_CACHED;
	const struct l1_line *hit = cached ? l1_lookup(&c->l1, line, sectors) : NULL;

	assert(!flight->lone || c->lone.flight == flight);
	if (hit) {
		deliver(c, entry, l1_data(&c->l1, hit) + offset);
		c->counters.loads++;
		c->counters.load_hits++;
		return c->cycle + c->machine->model->control_latency;
	}
	if (decision == L1_LOAD_BYPASS_EVICT)
		l1_write(&c->l1, line, NULL, false);
	switch (l1_join(
		&c->l1, line, sectors, !cached, (struct l1_waiter){.lanes = 1, .user = flight->serial}, &token)) {
	case L1_FULL: return WINDOW_NOT_YET;
	case L1_JOINED: break;
	case L1_SEND: send_load(c, line, sectors, cached, token); break;
	}
	c->counters.loads++;
	return WINDOW_NEVER;
}

/* The address of an access is known now; false: a fault, or its guard is not true. */
static bool prepare(struct control_processor *c, struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);
	struct warp *w = file_of(c, flight);

	assert(!flight->fault);
	assert(flight->lone == (entry->kind == WINDOW_PLAIN));
	flight->on = control_guard(w, flight->insn);
	if (!flight->on)
		return false;
	find_address(flight, w);
	flight->fault = (uint8_t)fault_of(c, flight);
	return !flight->fault;
}

static uint64_t load(struct control_processor *c, struct window_entry *entry)
{
	const struct control_flight *flight = control_flight(c, entry->number);
	uint8_t data[CONTROL_DATA_BYTES];

	assert(flight->on);
	assert(!flight->fault);
	if (flight->space == space_GLOBAL)
		return load_global(c, entry);
	read_in_core(c, flight, data);
	deliver(c, entry, data);
	return c->cycle + c->machine->model->control_latency;
}

uint64_t control_begin_load(struct control_processor *c, struct window_entry *entry)
{
	assert(entry->kind == WINDOW_LOAD);
	control_put_operands(c, entry);
	if (!prepare(c, entry)) {
		control_take_results(c, entry);
		return c->cycle + 1;
	}
	return must_wait(c, entry) ? WINDOW_NOT_YET : load(c, entry);
}

/* ---- Stores ---- */

uint64_t control_begin_store(struct control_processor *c, struct window_entry *entry)
{
	assert(entry->kind == WINDOW_STORE);
	control_put_operands(c, entry);
	if (prepare(c, entry))
		capture(c, control_flight(c, entry->number));
	return c->cycle + 1;
}

static void store(struct control_processor *c, const struct control_flight *flight, uint32_t token)
{
	assert(flight->on);
	assert(!flight->fault);
	if (flight->space == space_LOCAL)
		access_local_write(&c->registers.kept, 0, (uint32_t)flight->address, flight->data, flight->bytes);
	else
		send_store(c, flight, token);
}

bool control_leave_store(struct control_processor *c, struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);

	assert(entry->kind == WINDOW_STORE);
	assert(!flight->fault);
	if (flight->on && !flight->sent)
		store(c, flight, WINDOW_TOKEN);
	flight->sent = true;
	if (!flight->on || flight->space == space_LOCAL) {
		window_store_complete(&c->window);
		return true;
	}
	return c->window.size.overlaps || !c->stores_out;
}

/* ---- Lone accesses ---- */

static uint64_t lone_atomic(struct control_processor *c, struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);
	uint64_t old[2] = {0};

	assert(flight->lone);
	assert(flight->on);
	assert(!flight->fault);
	if (flight->space == space_GLOBAL) {
		send_atomic(c, flight);
		c->counters.atomics++;
		return WINDOW_NEVER;
	}
	access_local_read(&c->registers.kept, 0, (uint32_t)flight->address, old, flight->bytes);
	deliver(c, entry, (const uint8_t *)old);
	atomic_apply(flight->insn->access.atomic, flight->insn->access.type, old,
		element_low_bits(flight->data, flight->bytes),
		element_low_bits(flight->data + flight->bytes, flight->bytes));
	access_local_write(&c->registers.kept, 0, (uint32_t)flight->address, old, flight->bytes);
	return c->cycle + c->machine->model->control_latency;
}

uint64_t control_begin_access(struct control_processor *c, struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);

	assert(flight->lone);
	if (!prepare(c, entry))
		return c->cycle + 1;
	switch (flight->insn->kind) {
	case INSN_LOAD: return load(c, entry);
	case INSN_ATOMIC: capture(c, flight); return lone_atomic(c, entry);
	default:
		capture(c, flight);
		store(c, flight, 0);
		return c->cycle + 1;
	}
}

bool control_ask(struct control_processor *c, uint64_t address)
{
	uint64_t line = l1_line_of(&c->l1, address);
	uint32_t token;

	assert(c->lone.is_there);
	assert(c->lone.flight->lone);
	l1_write(&c->l1, line, NULL, false);
	if (l1_join(&c->l1, line, c->l1.all_sectors, true,
		    (struct l1_waiter){.lanes = 1, .user = c->lone.flight->serial}, &token) != L1_SEND)
		return false;
	c->lone.flight->asks = true;
	c->lone.flight->answered = false;
	send_load(c, line, c->l1.all_sectors, false, token);
	return true;
}

void control_acquire(struct control_processor *c)
{
	struct l1_fence fence = {.scope = L1_SCOPE_WIDE};

	assert(!c->stopped && !c->returned);
	if (contract_acquire(c->machine->coherence, c->coherence_state, &fence) != L1_LEAVE)
		l1_invalidate(&c->l1);
}

/* ---- Replies ---- */

/* The entry that waits for an answer; null: it was entered by mistake, and is gone. */
static struct window_entry *waiting(struct control_processor *c, uint32_t serial)
{
	assert(serial && serial <= c->serials);
	for (uint64_t n = c->window.first; n < c->window.next; n++) {
		struct window_entry *entry = window_at(&c->window, n);

		if (control_flight(c, n)->serial == serial)
			return entry->begun && entry->done_at == WINDOW_NEVER ? entry : NULL;
	}
	return NULL;
}

static void loaded(struct control_processor *c, const struct message *m)
{
	uint32_t waiter = c->l1.misses[m->token].first;

	assert(c->l1.misses[m->token].used);
	assert(c->l1.misses[m->token].waiting);
	l1_fill(&c->l1, m->token, m->sectors, message_payload(m));
	while (waiter != L1_NONE) {
		const struct l1_waiter *w = &c->l1.waiters[waiter];
		struct window_entry *entry = waiting(c, w->user);

		if (c->lone.is_there && c->lone.flight->asks && c->lone.flight->serial == w->user) {
			memcpy(c->line, message_payload(m), l1_line_bytes(&c->l1));
			c->lone.flight->answered = true;
		} else if (entry) {
			deliver(c, entry,
				(const uint8_t *)message_payload(m) +
					control_flight(c, entry->number)->address % l1_line_bytes(&c->l1));
			window_done(&c->window, entry->number, c->cycle);
		}
		waiter = w->next;
	}
	l1_release(&c->l1, m->token);
}

static void take_in(struct control_processor *c, const struct message *m)
{
	struct window_entry *entry;

	switch (m->kind) {
	case MESSAGE_LOADED: loaded(c, m); break;
	case MESSAGE_STORED:
		assert(c->stores_out);
		c->stores_out--;
		if (m->token & WINDOW_TOKEN)
			window_store_complete(&c->window);
		break;
	default:
		assert(m->kind == MESSAGE_DONE);
		assert(c->lone.is_there);
		entry = window_at(&c->window, c->lone.number);
		deliver(c, entry, message_payload(m));
		window_done(&c->window, entry->number, c->cycle);
		break;
	}
}

void control_receive(struct control_processor *c)
{
	struct inbox *inbox = c->node->inboxes[0];
	uint64_t now = control_core_cycle(c, c->cycle);
	const struct message *m;

	while ((m = inbox_first(inbox))) {
		uint64_t at = m->time > c->reply_port_free ? m->time : c->reply_port_free;
		uint32_t flits = port_flits(c->machine->model, m->data_bytes);

		if (at > now)
			break;
		c->reply_port_free = at + flits;
		c->counters.reply_flits += flits;
		take_in(c, m);
		inbox_drop(inbox);
	}
}
