/* One L2 slice at work.  slice.h says when requests take effect and why. */
#include "memory/slice.h"

#include "memory/apply.h"

#include <assert.h>
#include <string.h>

#define MAX_LANES 64
#define BIG_DATA (MAX_LANES * (16 + sizeof(struct atomic_entry))) /* old values, and the entries */

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void slice_create(struct slice *slice, struct arena *arena, uint32_t index)
{
	const struct gpu_model *model = slice->model;
	slice->arena = arena;
	slice->index = index;
	slice->local = index % slice->map->per_channel;
	l2_create(&slice->l2, arena, model->l2_sets, model->l2_ways, model->l2_sector);
	slice->atomics.interval = model->atomic_interval;
	slice->atomics.rate = model->atomic_rate;
}

void slice_restart(struct slice *slice, struct arena *arena)
{
	slice->arena = arena;
	slice->free[0] = slice->free[1] = NULL; /* they lie in the earlier launch's arena, as does the heap */
	slice->late = NULL;
	slice->late_capacity = slice->late_count = 0;
	slice->late_order = 0;
	slice->sequence = slice->mshrs = 0;
	slice->state = SLICE_READY;
	slice->port_in = slice->array = slice->port_out = slice->resume = 0;
	atomic_unit_restart(&slice->atomics);
	for (uint32_t k = 0; k < slice->l2.sets * slice->l2.ways; k++) {
		slice->l2.lines[k].settled = 0;
		slice->l2.lines[k].waiters = NULL;
	}
	l2_forget_asked(&slice->l2);
}

/* How many sectors a mask has: one to four.  The builtin is a call on plain x86-64. */
static inline uint32_t sector_count(uint32_t mask)
{
	return (uint32_t)(0x4332322132212110ull >> mask * 4 & 0xf);
}

/* ---- Replies ---- */

static inline uint32_t flits_of(const struct gpu_model *model, uint32_t data_bytes)
{
	return (model->crossbar_header + data_bytes + model->crossbar_flit - 1) / model->crossbar_flit;
}

/* The reply to `m`, without time and sequence. */
static struct message reply_to(const struct slice *slice, const struct message *m)
{
	return (struct message){.line = m->line,
		.source = m->destination,
		.destination = m->source,
		.token = m->token,
		.kind = m->kind == MESSAGE_LOAD    ? MESSAGE_LOADED
			: m->kind == MESSAGE_STORE ? MESSAGE_STORED
						   : MESSAGE_DONE,
		.sectors = m->kind == MESSAGE_LOAD ? m->sectors : 0,
		.data_bytes =
			(uint16_t)(m->kind == MESSAGE_LOAD ? sector_count(m->sectors) * slice->model->sector_bytes : 0),
		.payload_bytes = m->kind == MESSAGE_LOAD ? LINE_BYTES : 0};
}

/* Sends `reply` through the port, no sooner than `ready`. */
static void send(struct slice *slice, struct outbox *out, struct message *reply, const void *payload, uint64_t ready)
{
	uint32_t flits = flits_of(slice->model, reply->data_bytes);
	slice->port_out = later(slice->port_out, ready) + flits;
	reply->time = slice->port_out + slice->model->crossbar_reply_latency;
	reply->sequence = slice->sequence++;
	slice->counters->replies++;
	slice->counters->reply_flits += flits;
	void *to = outbox_send(out, reply->destination, reply);
	if (reply->payload_bytes == LINE_BYTES)
		memcpy(to, payload, LINE_BYTES);
	else if (reply->payload_bytes)
		memcpy(to, payload, reply->payload_bytes);
}

static struct waiter *waiter_take(struct slice *slice, bool big)
{
	if (!slice->free[big]) {
		size_t size = (sizeof(struct waiter) + (big ? BIG_DATA : LINE_BYTES) + 63) & ~63ull;
		uint32_t count = big ? 4 : 64;
		uint8_t *bytes = arena_alloc(slice->arena, size * count);
		for (uint32_t k = count; k-- > 0;) {
			struct waiter *w = (struct waiter *)(bytes + k * size);
			w->is_big = big;
			w->next = slice->free[big];
			slice->free[big] = w;
		}
	}
	struct waiter *w = slice->free[big];
	slice->free[big] = w->next;
	w->next = NULL;
	w->missing = 0;
	w->entry_count = 0;
	return w;
}

static void waiter_send(struct slice *slice, struct outbox *out, struct waiter *w, uint64_t ready)
{
	send(slice, out, &w->reply, w->data, ready);
	w->next = slice->free[w->is_big];
	slice->free[w->is_big] = w;
}

/* ---- Replies that wait for their time: a binary heap ---- */

static inline bool sooner(const struct late_reply *a, const struct late_reply *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void late_push(struct slice *slice, struct waiter *w, uint64_t time)
{
	if (slice->late_count == slice->late_capacity) {
		uint32_t capacity = slice->late_capacity ? slice->late_capacity * 2 : 64;
		slice->late = arena_grow(slice->arena, slice->late, slice->late_capacity * sizeof(*slice->late),
			capacity * sizeof(*slice->late));
		slice->late_capacity = capacity;
	}
	struct late_reply item = {.time = time, .order = slice->late_order++, .waiter = w};
	uint32_t at = slice->late_count++;
	for (; at && sooner(&item, &slice->late[(at - 1) / 2]); at = (at - 1) / 2)
		slice->late[at] = slice->late[(at - 1) / 2];
	slice->late[at] = item;
}

void slice_send_late(struct slice *slice, struct outbox *out)
{
	assert(slice->late_count);
	struct late_reply first = slice->late[0], item = slice->late[--slice->late_count];
	uint32_t at = 0, count = slice->late_count;
	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && sooner(&slice->late[child + 1], &slice->late[child]))
			child++;
		if (!sooner(&slice->late[child], &item))
			break;
		slice->late[at] = slice->late[child];
	}
	slice->late[at] = item;
	waiter_send(slice, out, first.waiter, first.time);
}

/* ---- A request whose sectors are all there ---- */

/* `w` has all it needs at cycle `now` and may leave at `ready`; atomics take their turns first, and nothing answers
 * about a line before the atomics accepted earlier. */
static void complete(struct slice *slice, struct outbox *out, struct waiter *w, uint64_t now, uint64_t ready)
{
	struct l2_line *line = &slice->l2.lines[w->index];
	if (w->entry_count)
		ready += atomic_unit_serve(&slice->atomics, w->entries, w->entry_count, now) - now;
	ready = later(ready, line->settled);
	if (w->entry_count)
		line->settled = ready;
	if (ready <= now + 1)
		waiter_send(slice, out, w, ready);
	else
		late_push(slice, w, ready);
}

void slice_fill(struct slice *slice, struct outbox *out, uint64_t cookie, uint64_t now)
{
	uint32_t index = (uint32_t)(cookie >> COOKIE_SECTORS);
	uint8_t sectors = cookie & ((1u << COOKIE_SECTORS) - 1);
	struct l2_line *line = &slice->l2.lines[index];
	l2_fill(&slice->l2, index, sectors);
	slice->mshrs -= sector_count(sectors);
	struct waiter **link = (struct waiter **)&line->waiters;
	while (*link) {
		struct waiter *w = *link;
		w->missing &= (uint8_t)~sectors;
		if (w->missing) {
			link = &w->next;
			continue;
		}
		*link = w->next;
		complete(slice, out, w, now, now + 1);
	}
	if (slice->state == SLICE_WAITS_FOR_FILL) {
		slice->state = SLICE_READY;
		slice->resume = now + 1;
	}
}

/* ---- Accepting a request ---- */

/* What a request asks of the L2. */
struct demand {
	uint32_t index;  /* the line, L2_NONE when absent */
	uint8_t wanted;  /* sectors it touches */
	uint8_t missing; /* of them, those to ask DRAM for */
	uint8_t awaited; /* of them, those on their way */
};

static uint8_t wanted_sectors(const struct slice *slice, const struct message *m)
{
	const struct l2 *l2 = &slice->l2;
	uint32_t wanted = 0;
	if (m->kind == MESSAGE_STORE)
		return l2_sectors_of(l2, ((const struct store_payload *)m->payload)->mask);
	if (m->kind == MESSAGE_ATOMIC) {
		const struct atomic_payload *atomic = m->payload;
		const struct atomic_entry *entry = atomic_entries(atomic);
		for (uint32_t k = 0; k < atomic->count; k++)
			wanted |= 1u << (entry[k].address % LINE_BYTES / l2->sector_bytes);
		return (uint8_t)wanted;
	}
	uint32_t ratio = slice->model->sector_bytes / l2->sector_bytes, ones = (1u << ratio) - 1;
	for (uint32_t k = 0; k * ratio < l2->sectors; k++)
		if (m->sectors >> k & 1)
			wanted |= ones << k * ratio;
	return (uint8_t)wanted;
}

static struct demand demand_of(const struct slice *slice, const struct message *m, uint32_t set)
{
	struct demand demand = {.index = l2_find(&slice->l2, set, m->line), .wanted = wanted_sectors(slice, m)};
	if (m->kind == MESSAGE_STORE)
		return demand;
	demand.missing = demand.wanted;
	if (demand.index != L2_NONE) {
		const struct l2_line *line = &slice->l2.lines[demand.index];
		demand.awaited = demand.wanted & line->pending;
		demand.missing = (uint8_t)(demand.wanted & ~line->pending & ~line->valid);
	}
	return demand;
}

/* Whether as many requests wait on one of the awaited sectors as may. */
static bool merges_full(const struct slice *slice, const struct demand *demand)
{
	uint32_t waiting = 0;
	for (const struct waiter *w = slice->l2.lines[demand->index].waiters; w; w = w->next)
		waiting += (w->missing & demand->awaited) != 0;
	return waiting >= slice->model->l2_merges;
}

/* Finds a place for an absent line and writes back what was there. */
static enum slice_state make_room(struct slice *slice, uint64_t address, uint32_t set, uint64_t now, uint32_t *index)
{
	uint32_t victim = l2_victim(&slice->l2, set);
	if (victim == L2_NONE)
		return SLICE_WAITS_FOR_FILL;
	const struct l2_line *line = &slice->l2.lines[victim];
	if (line->dirty) {
		if (dram_backlog(slice->dram) >= slice->model->dram_backlog)
			return SLICE_WAITS_FOR_ROOM;
		struct address_place place = address_place(slice->map, slice->l2.tags[victim]);
		uint32_t bytes = sector_count(line->dirty) * slice->l2.sector_bytes,
			 burst = slice->model->dram_burst_bytes;
		dram_push(slice->dram,
			&(struct dram_request){.bank = place.bank,
				.row = place.row,
				.write = true,
				.weight = 1,
				.bursts = (uint8_t)((bytes + burst - 1) / burst)},
			now + slice->model->dram_latency);
		slice->counters->l2_write_backs++;
	}
	l2_take(&slice->l2, victim, address);
	*index = victim;
	return SLICE_READY;
}

/* Checks that all the request needs is to be had, and takes its line. */
static enum slice_state admit(
	struct slice *slice, const struct message *m, uint32_t set, struct demand *demand, uint64_t now)
{
	uint32_t missing = sector_count(demand->missing);
	if (missing && dram_backlog(slice->dram) >= slice->model->dram_backlog)
		return SLICE_WAITS_FOR_ROOM;
	if (missing && slice->mshrs && slice->mshrs + missing > slice->model->l2_mshrs)
		return SLICE_WAITS_FOR_FILL;
	if (demand->awaited && merges_full(slice, demand))
		return SLICE_WAITS_FOR_FILL;
	if (demand->index == L2_NONE)
		return make_room(slice, m->line, set, now, &demand->index);
	l2_use(&slice->l2, demand->index);
	return SLICE_READY;
}

static void ask_dram(struct slice *slice, const struct address_place *place, const struct demand *demand, uint64_t now)
{
	uint32_t burst = slice->model->dram_burst_bytes, sectors = sector_count(demand->missing);
	dram_push(slice->dram,
		&(struct dram_request){.bank = place->bank,
			.row = place->row,
			.weight = (uint8_t)sectors,
			.bursts = (uint8_t)(sectors * ((slice->l2.sector_bytes + burst - 1) / burst)),
			.cookie = (uint64_t)slice->local << COOKIE_SLICE | (uint64_t)demand->index << COOKIE_SECTORS |
				  demand->missing},
		now + slice->model->dram_latency);
	slice->mshrs += sectors;
	l2_ask(&slice->l2, demand->index, demand->missing);
}

/* Lets the request take effect and makes its reply; `w` belongs to a load or an atomic. */
static void take_effect(struct slice *slice, const struct message *m, struct waiter *w)
{
	if (m->kind == MESSAGE_LOAD) {
		memcpy(w->data, space_host(slice->space, m->line), LINE_BYTES);
		return;
	}
	const struct atomic_payload *atomic = m->payload;
	assert(atomic->count && atomic->count <= MAX_LANES);
	uint32_t words = atomic->bytes == 16 ? 2 : 1;
	apply_atomic(slice->space, atomic, atomic->no_result ? NULL : w->data);
	if (!atomic->no_result) {
		w->reply.payload_bytes = atomic->count * words * 8;
		w->reply.data_bytes = (uint16_t)(atomic->count * atomic->bytes);
	}
	w->entry_count = atomic->count;
	w->entries = (struct atomic_entry *)(w->data + (size_t)MAX_LANES * 2);
	memcpy(w->entries, atomic_entries(atomic), atomic->count * sizeof(struct atomic_entry));
}

static void count(struct slice *slice, const struct message *m, const struct demand *demand)
{
	struct partition_counters *c = slice->counters;
	uint64_t sectors = sector_count(demand->wanted);
	uint64_t hits = sector_count(demand->wanted & ~demand->missing & ~demand->awaited);
	if (m->kind == MESSAGE_LOAD) {
		c->l2_loads += sectors;
		c->l2_load_hits += hits;
	} else if (m->kind == MESSAGE_STORE) {
		c->l2_stores += sectors;
		c->l2_store_hits += demand->index != L2_NONE
					    ? sector_count(demand->wanted & slice->l2.lines[demand->index].valid)
					    : 0;
	}
}

static void answer_store(
	struct slice *slice, const struct message *m, struct outbox *out, uint32_t index, uint64_t ready)
{
	const struct store_payload *store = m->payload;
	struct l2_line *line = &slice->l2.lines[index];
	struct message reply = reply_to(slice, m);
	apply_store(space_host(slice->space, m->line), store);
	l2_write(&slice->l2, index, store->mask);
	if (line->settled <= ready) {
		send(slice, out, &reply, NULL, ready);
		return;
	}
	struct waiter *w = waiter_take(slice, false);
	w->reply = reply;
	late_push(slice, w, line->settled);
}

static void answer(struct slice *slice, const struct message *m, struct outbox *out, const struct demand *demand,
	uint64_t now, uint64_t ready)
{
	struct l2_line *line = &slice->l2.lines[demand->index];
	uint8_t missing = demand->missing | demand->awaited;
	if (m->kind == MESSAGE_LOAD && !missing && line->settled <= ready) {
		struct message reply = reply_to(slice, m);
		send(slice, out, &reply, space_host(slice->space, m->line), ready);
		return;
	}
	struct waiter *w = waiter_take(slice, m->kind == MESSAGE_ATOMIC);
	w->reply = reply_to(slice, m);
	w->index = demand->index;
	w->missing = missing;
	take_effect(slice, m, w);
	if (m->kind == MESSAGE_ATOMIC)
		line->dirty |= demand->wanted;
	if (!missing) {
		complete(slice, out, w, now, ready);
		return;
	}
	struct waiter **link = (struct waiter **)&line->waiters;
	while (*link)
		link = &(*link)->next;
	*link = w;
}

uint64_t slice_next_service(const struct slice *slice, struct inbox *inbox)
{
	uint64_t time = slice->state == SLICE_READY ? inbox_time(inbox) : UINT64_MAX;
	return later(later(time, slice->resume), later(slice->port_in, slice->array));
}

/* The bytes of the next request's line are far away, in the host's memory: have them fetched meanwhile. */
static void prefetch_next(const struct slice *slice, struct inbox *inbox)
{
	const struct message *next = inbox_first(inbox);
	if (next) {
		const uint8_t *line = space_host(slice->space, next->line);
		__builtin_prefetch(line);
		__builtin_prefetch(line + 64);
	}
}

void slice_serve(struct slice *slice, struct inbox *inbox, struct outbox *out, uint64_t now)
{
	const struct message *m = inbox_first(inbox);
	const struct gpu_model *model = slice->model;
	struct address_place place = address_place(slice->map, m->line);
	assert(place.slice == slice->index && m->line % LINE_BYTES == 0);
	struct demand demand = demand_of(slice, m, place.set), before = demand;
	slice->state = admit(slice, m, place.set, &demand, now);
	if (slice->state != SLICE_READY)
		return;
	count(slice, m, &before);
	uint32_t flits = flits_of(model, m->data_bytes);
	uint32_t bytes = sector_count(demand.wanted) * slice->l2.sector_bytes;
	uint32_t cycles = bytes > model->l2_port ? (bytes + model->l2_port - 1) / model->l2_port : 1;
	slice->counters->request_flits += flits;
	slice->port_in = later(slice->port_in, m->time) + flits;
	slice->array = now + cycles;
	uint64_t ready = now + cycles - 1 + model->l2_latency;
	if (demand.missing)
		ask_dram(slice, &place, &demand, now);
	if (m->kind == MESSAGE_STORE)
		answer_store(slice, m, out, demand.index, ready);
	else
		answer(slice, m, out, &demand, now, ready);
	inbox_drop(inbox);
	prefetch_next(slice, inbox);
}
