/* One L2 slice at work.  slice.h says when requests take effect and why. */
#include "memory/slice_parts.h"

#include <assert.h>
#include <string.h>

void slice_create(struct slice *slice, struct arena *arena, uint32_t index)
{
	const struct gpu_model *model = slice->model;
	slice->arena = arena;
	slice->index = index;
	slice->local = index % slice->map->per_channel;
	slice->late_time = UINT64_MAX;
	l2_create(&slice->l2, arena,
		&(struct l2_shape){.sets = model->l2_sets,
			.ways = model->l2_ways,
			.line_bytes = model->line_bytes,
			.sector_bytes = model->l2_sector});
	assert(index < model->slices);
	assert(slice->l2.sectors <= COOKIE_SECTORS);
	slice->parts = l2_parts_create(arena, model, index);
	atomic_unit_create(&slice->atomics, model);
	slice->takes_packets = model->atomic_packets || model->atomic_clock;
}

static inline uint32_t sector_count(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

/* ---- Replies ---- */

static inline struct message reply_to(const struct message *m, enum message_kind kind)
{
	return (struct message){.line = m->line,
		.source = m->destination,
		.destination = m->source,
		.token = m->token,
		.lanes = m->lanes,
		.kind = (uint8_t)kind};
}

/* Its only place in slice->recent. */
static inline uint32_t recent_index(const struct slice *slice, uint64_t line)
{
	uint64_t number = line >> slice->l2.line_bits;

	assert(line % LEAST_LINE == 0);
	return (uint32_t)((number ^ number / SLICE_RECENT) % SLICE_RECENT);
}

static inline struct recent_place *place_of(struct slice *slice, uint64_t line)
{
	struct recent_place *recent = &slice->recent[recent_index(slice, line)];

	assert(line);
	if (recent->line != line)
		*recent = (struct recent_place){.line = line, .place = address_place(slice->map, line)};
	return recent;
}

struct recent_place *slice_place(struct slice *slice, uint64_t line)
{
	return place_of(slice, line);
}

/* Where a line's copy for the other part is, or L2_NONE. */
static uint32_t copy_place(struct slice *slice, uint64_t line)
{
	assert(slice->parts);
	return l2_find(&slice->l2, place_of(slice, line)->place.set, l2_copy_of(line));
}

static __attribute__((noinline)) uint64_t arrival_in_parts(struct slice *slice, const struct message *reply)
{
	assert(slice->parts);
	if (!l2_parts_is_far(slice->parts, reply->destination))
		return reply->time;
	return l2_parts_arrival(slice->parts, reply, copy_place(slice, reply->line), reply->time);
}

uint64_t slice_arrival(struct slice *slice, const struct message *reply, uint64_t left)
{
	struct message m = *reply;

	assert(left);
	m.time = left + slice->model->crossbar_reply_latency;
	return slice->parts ? arrival_in_parts(slice, &m) : m.time;
}

/* A line is written. */
static __attribute__((noinline)) void end_copy(struct slice *slice, const struct message *m)
{
	assert(slice->parts);
	if (m->kind == MESSAGE_STORE && l2_parts_is_far(slice->parts, m->source))
		return;
	uint32_t copy = copy_place(slice, m->line);

	if (copy != L2_NONE)
		l2_leave(&slice->l2, copy);
}

static inline __attribute__((always_inline)) void send_inline(
	struct slice *slice, struct outbox *out, const struct message *reply, const void *payload, uint64_t ready)
{
	assert(!reply->payload_bytes || payload);
	uint32_t flits = flits_of(slice->model, reply->data_bytes);
	struct message *m = outbox_write(out, reply->payload_bytes);
	*m = *reply;
	m->time = slice_leave(slice, reply, ready) + slice->model->crossbar_reply_latency;
	if (slice->parts)
		m->time = arrival_in_parts(slice, m);
	slice->counters->replies++;
	slice->counters->reply_flits += flits;
	if (reply->payload_bytes == sizeof(uint64_t)) /* of one lane, as most of locks */
		memcpy(message_payload(m), payload, sizeof(uint64_t));
	else if (reply->payload_bytes == LINE_BYTES)
		memcpy(message_payload(m), payload, LINE_BYTES);
	else if (reply->payload_bytes)
		memcpy(message_payload(m), payload, reply->payload_bytes);
	outbox_post(out, reply->destination, m);
}

void slice_send(
	struct slice *slice, struct outbox *out, const struct message *reply, const void *payload, uint64_t ready)
{
	send_inline(slice, out, reply, payload, ready);
}

static __attribute__((noinline)) struct waiter *new_waiter(struct slice *slice, bool big)
{
	struct waiter *w = arena_alloc(slice->arena, sizeof *w + (big ? SLICE_BIG_DATA : LINE_BYTES));
	w->is_big = big;
	return w;
}

static inline struct waiter *waiter_take(struct slice *slice, bool big)
{
	struct waiter *w = slice->free[big];
	if (!w)
		return new_waiter(slice, big);
	assert(w->is_big == big);
	slice->free[big] = w->next;
	w->next = NULL;
	w->missing = 0;
	w->is_bulk = 0;
	w->entry_count = 0;
	return w;
}

static void waiter_free(struct slice *slice, struct waiter *w)
{
	assert(!w->missing);
	w->next = slice->free[w->is_big];
	slice->free[w->is_big] = w;
}

struct waiter *slice_take_waiter(struct slice *slice, bool big)
{
	return waiter_take(slice, big);
}

void slice_free_waiter(struct slice *slice, struct waiter *w)
{
	waiter_free(slice, w);
}

/* The record of the next request in the queue has been read. */
static __attribute__((noinline)) void begin_turn(struct slice *slice, uint32_t record, uint64_t now)
{
	assert(slice->locks);
	lock_service_begin_turn(slice->locks, record);
	slice->resume = later(slice->resume, now);
	if (slice->state == SLICE_READY)
		slice->state = SLICE_HAS_ACCESS;
}

void slice_line_served(struct slice *slice, uint64_t line, uint64_t now)
{
	assert(slice->directory);
	directory_served(slice->directory, line);
	slice->resume = later(slice->resume, now);
	if (slice->state == SLICE_READY)
		slice->state = slice_ready_state(slice);
}

static inline __attribute__((always_inline)) void waiter_send_inline(
	struct slice *slice, struct outbox *out, struct waiter *w, uint64_t ready)
{
	assert(!w->missing);
	if (w->reply.kind == MESSAGE_LOAD) /* the slice's own, of a record */
		begin_turn(slice, w->reply.token, ready);
	else if (w->is_bulk)
		slice_send_bulk(slice, out, w, ready);
	else
		send_inline(slice, out, &w->reply, w->data, ready);
	if (w->reply.kind == MESSAGE_GRANT)
		slice_line_served(slice, w->reply.line, ready);
	waiter_free(slice, w);
}

static __attribute__((noinline)) void waiter_send(
	struct slice *slice, struct outbox *out, struct waiter *w, uint64_t ready)
{
	waiter_send_inline(slice, out, w, ready);
}

static void send_later(struct slice *slice, struct waiter *w, uint64_t time)
{
	assert(!w->missing);
	w->due.time = time;
	calendar_put(&slice->late, &w->due);
	slice->late_time = earlier(slice->late_time, time);
}

static inline uint64_t next_late(struct slice *slice)
{
	const struct calendar_item *next = calendar_first(&slice->late);
	uint64_t time = next ? next->time : UINT64_MAX;
	return slice->locks ? earlier(time, lock_service_timeout(slice->locks)) : time;
}

/* Gives `reply` the size of *answer. */
static void make_answer(struct message *reply, const struct lock_answer *answer)
{
	assert(!(answer->granted & answer->refused));
	reply->payload_bytes = sizeof *answer;
	reply->data_bytes = (uint16_t)(LOCK_ANSWER_BYTES * __builtin_popcountll(answer->granted | answer->refused));
}

/* If the next late event is the timeout of a lock request, refuses that request. */
static __attribute__((noinline)) bool refuse_lock(struct slice *slice, struct outbox *out)
{
	assert(slice->locks);
	assert(slice->late_time != UINT64_MAX);
	const struct calendar_item *first = calendar_first(&slice->late);
	struct lock_answer answer;
	uint64_t now = slice->late_time;
	if (first && first->time <= now)
		return false;
	struct message request = lock_service_expire(slice->locks, &answer),
		       reply = reply_to(&request, MESSAGE_LOCK_ANSWER);
	make_answer(&reply, &answer);
	slice_send(slice, out, &reply, &answer, now);
	slice->late_time = next_late(slice);
	return true;
}

void slice_send_late(struct slice *slice, struct outbox *out)
{
	if (slice->locks && refuse_lock(slice, out))
		return;
	struct waiter *w = (struct waiter *)calendar_first(&slice->late);
	assert(w);
	assert(w->due.time == slice->late_time);
	if (w->due.next) {
		__builtin_prefetch(w->due.next);
		__builtin_prefetch((const char *)w->due.next + 64);
	}
	calendar_drop(&slice->late);
	slice->late_time = next_late(slice);
	waiter_send_inline(slice, out, w, w->due.time);
}

/* ---- A request whose sectors are all there ---- */

/* All sectors of `w` are there at cycle `now`, and it may leave at `ready`.  Atomics (`count` of `entries`) are first
 * served one after another, and no answer for a line leaves before those of the atomics that were accepted earlier. */
static inline void complete(struct slice *slice, struct outbox *out, struct waiter *w,
	const struct atomic_entry *entries, uint32_t count, uint64_t now, uint64_t ready)
{
	assert(!w->missing);
	assert((!count || entries));
	struct l2_line *line = &slice->l2.lines[w->index];
	if (count)
		ready += atomic_unit_serve(&slice->atomics, w->numbers, entries, count, now) - now;
	ready = later(ready, line->settled);
	if (count)
		line->settled = ready;
	if (ready <= now + 1)
		waiter_send(slice, out, w, ready);
	else
		send_later(slice, w, ready);
}

void slice_fill(struct slice *slice, struct outbox *out, uint64_t cookie, uint64_t now)
{
	uint32_t index = (uint32_t)(cookie >> COOKIE_SECTORS);
	uint8_t sectors = cookie & ((1u << COOKIE_SECTORS) - 1);
	struct l2_line *line = &slice->l2.lines[index];
	assert(sectors);
	assert(slice->mshrs >= sector_count(sectors));
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
		complete(slice, out, w, w->entries, w->entry_count, now, now + 1);
	}
	if (slice->state == SLICE_WAITS_FOR_FILL) {
		slice->state = slice_ready_state(slice);
		slice->resume = now + 1;
	}
}

/* ---- Accepting a request ---- */

static inline uint32_t sector_at(const struct slice *slice, uint64_t address)
{
	return 1u << (address >> slice->l2.sector_bits & (slice->l2.sectors - 1));
}

/* None if all that its lanes need is a place in a queue. */
static __attribute__((noinline)) uint8_t lock_sectors(const struct slice *slice, const struct message *m)
{
	const struct lock_payload *lock = message_payload(m);
	assert(lock->count);
	assert(lock->count <= LOCK_LANES);
	const struct lock_entry *entry = lock_entries(lock);
	bool all = slice->state == SLICE_HAS_ACCESS || !slice->locks;
	uint32_t wanted = 0;
	for (uint32_t k = 0; k < lock->count; k++)
		if (all || lock_service_touches(slice->locks, lock->op, entry[k].address))
			wanted |= sector_at(slice, entry[k].address);
	return (uint8_t)wanted;
}

/* `kind`: m's, here and below.  Where it is known what is for others is left out. */
static inline __attribute__((always_inline)) uint8_t wanted_sectors(
	const struct slice *slice, const struct message *m, uint8_t kind)
{
	const struct l2 *l2 = &slice->l2;
	uint32_t wanted = 0;
	if (kind == MESSAGE_STORE)
		return l2_sectors_of(l2, ((const struct store_payload *)message_payload(m))->mask);
	if (kind > MESSAGE_LOCK) /* of coherent L1s: the line */
		return (uint8_t)((1u << l2->sectors) - 1);
	if (kind == MESSAGE_ATOMIC) {
		const struct atomic_payload *atomic = message_payload(m);
		const struct atomic_entry *entry = atomic_entries(atomic);
		for (uint32_t k = 0; k < atomic->count; k++)
			wanted |= sector_at(slice, entry[k].address);
		return (uint8_t)wanted;
	}
	if (kind == MESSAGE_LOCK)
		return lock_sectors(slice, m);
	uint32_t ratio = slice->model->sector_bytes / l2->sector_bytes, ones = (1u << ratio) - 1;
	for (uint32_t k = 0; k * ratio < l2->sectors; k++)
		if (m->sectors >> k & 1)
			wanted |= ones << k * ratio;
	return (uint8_t)wanted;
}

/* The index of a line, mostly where it was when it was last served. */
static inline uint32_t find_line(const struct l2 *l2, struct recent_place *place)
{
	assert(place->line);
	assert(place->line % LEAST_LINE == 0);
	if (l2->tags[place->index] == place->line)
		return place->index;
	uint32_t index = l2_find(l2, place->place.set, place->line);
	if (index != L2_NONE)
		place->index = index;
	return index;
}

static inline __attribute__((always_inline)) struct demand demand_of(
	const struct slice *slice, const struct message *m, uint8_t kind, struct recent_place *place)
{
	struct demand demand = {.index = find_line(&slice->l2, place), .wanted = wanted_sectors(slice, m, kind)};
	if (kind == MESSAGE_STORE || kind == MESSAGE_EVICTED)
		return demand;
	demand.missing = demand.wanted;
	if (demand.index != L2_NONE) {
		const struct l2_line *line = &slice->l2.lines[demand.index];
		demand.awaited = demand.wanted & line->pending;
		demand.missing = (uint8_t)(demand.wanted & ~line->pending & ~line->valid);
	}
	return demand;
}

/* Whether one of the awaited sectors has as many waiting requests as it may have. */
static bool merges_full(const struct slice *slice, const struct demand *demand)
{
	assert(demand->index != L2_NONE);
	assert(demand->awaited);
	uint32_t waiting = 0;
	for (const struct waiter *w = slice->l2.lines[demand->index].waiters; w; w = w->next)
		waiting += (w->missing & demand->awaited) != 0;
	return waiting >= slice->model->l2_merges;
}

/* The bursts that hold these sectors of a line.  A burst is moved whole, and sectors that lie in one share it. */
static inline uint8_t bursts_of(const struct slice *slice, uint32_t sectors)
{
	uint32_t width = slice->model->dram_burst_bytes >> slice->l2.sector_bits, bursts = 0;

	assert(sectors);
	assert(sectors >> slice->l2.sectors == 0);
	if (width <= 1)
		return (uint8_t)(sector_count(sectors) * slice->l2.sector_bytes / slice->model->dram_burst_bytes);
	if (width >= slice->l2.sectors)
		return 1;
	for (uint32_t block = (1u << width) - 1; sectors; sectors >>= width)
		bursts += (sectors & block) != 0;
	return (uint8_t)bursts;
}

/* Finds a place for an absent line and writes back what was there. */
static inline __attribute__((always_inline)) enum slice_state make_room(
	struct slice *slice, uint64_t address, uint32_t set, uint64_t now, uint32_t *index)
{
	uint32_t victim = l2_victim(&slice->l2, set);
	if (victim == L2_NONE)
		return SLICE_WAITS_FOR_FILL;
	const struct l2_line *line = &slice->l2.lines[victim];
	if (line->dirty) {
		if (dram_backlog(slice->dram) >= slice->model->dram_backlog)
			return SLICE_WAITS_FOR_ROOM;
		struct address_place place = address_place(slice->map, slice->l2.tags[victim]);
		dram_push(slice->dram,
			&(struct dram_request){.bank = place.bank,
				.row = place.row,
				.write = true,
				.weight = 1,
				.bursts = bursts_of(slice, line->dirty)},
			now + slice->model->dram_latency);
		slice->counters->l2_write_backs += sector_count(line->dirty);
	}
	l2_take(&slice->l2, victim, address);
	*index = victim;
	return SLICE_READY;
}

/* Checks that everything that the request needs is available, and takes a line for it. */
static inline __attribute__((always_inline)) enum slice_state admit(
	struct slice *slice, const struct message *m, uint32_t set, struct demand *demand, uint64_t now)
{
	assert((demand->missing & ~demand->wanted) == 0);
	assert((demand->missing & demand->awaited) == 0);
	uint32_t missing = sector_count(demand->missing);
	if (missing && dram_backlog(slice->dram) >= slice->model->dram_backlog)
		return SLICE_WAITS_FOR_ROOM;
	if (missing && slice->mshrs && slice->mshrs + missing > slice->model->l2_mshrs)
		return SLICE_WAITS_FOR_FILL;
	if (demand->awaited && merges_full(slice, demand))
		return SLICE_WAITS_FOR_FILL;
	if (demand->index == L2_NONE)
		return demand->wanted ? make_room(slice, m->line, set, now, &demand->index) : SLICE_READY;
	l2_use(&slice->l2, demand->index);
	return SLICE_READY;
}

__attribute__((noinline)) void slice_keep_copy(struct slice *slice, const struct message *m, uint64_t now)
{
	uint32_t copy = copy_place(slice, m->line);

	assert(slice->parts);
	if (copy != L2_NONE)
		l2_use(&slice->l2, copy);
	else if (slice->l2.ways > 1 &&
		 make_room(slice, l2_copy_of(m->line), place_of(slice, m->line)->place.set, now, &copy) == SLICE_READY)
		slice->parts->copies[copy] = L2_COPY_COMES;
}

/* With dram.sectors_apart. */
static __attribute__((noinline)) uint8_t bursts_apart(const struct slice *slice, uint32_t sectors)
{
	uint32_t burst = slice->model->dram_burst_bytes;

	assert(sectors);
	assert(slice->model->dram_sectors_apart);
	return (uint8_t)(sectors * ((slice->l2.sector_bytes + burst - 1) / burst));
}

static inline __attribute__((always_inline)) void ask_dram(
	struct slice *slice, const struct address_place *place, const struct demand *demand, uint64_t now)
{
	assert(demand->index != L2_NONE);
	assert(demand->missing);
	assert(!(demand->missing & demand->awaited));
	const struct gpu_model *model = slice->model;
	uint32_t sectors = sector_count(demand->missing);
	dram_push(slice->dram,
		&(struct dram_request){.bank = place->bank,
			.row = place->row,
			.weight = (uint8_t)sectors,
			.bursts = model->dram_sectors_apart ? bursts_apart(slice, sectors)
							    : bursts_of(slice, demand->missing),
			.cookie = (uint64_t)slice->local << COOKIE_SLICE | (uint64_t)demand->index << COOKIE_SECTORS |
				  demand->missing},
		now + model->dram_latency);
	slice->mshrs += sectors;
	slice->counters->l2_fills += sectors;
	l2_ask(&slice->l2, demand->index, demand->missing);
}

/* Appends `w` to those that wait for the line. */
static void wait_for_line(struct slice *slice, struct waiter *w, uint8_t missing)
{
	assert(missing);
	assert((slice->l2.lines[w->index].pending & missing) == missing);
	struct waiter **link = (struct waiter **)&slice->l2.lines[w->index].waiters;
	w->missing = missing;
	while (*link)
		link = &(*link)->next;
	*link = w;
}

void slice_wait(struct slice *slice, struct waiter *w, const struct demand *demand, uint64_t ready)
{
	uint8_t missing = demand->missing | demand->awaited;

	assert(w->index == demand->index);
	if (missing)
		wait_for_line(slice, w, missing);
	else
		send_later(slice, w, later(ready, slice->l2.lines[w->index].settled));
}

uint8_t slice_wanted(const struct slice *slice, const struct message *m)
{
	assert(m->kind == MESSAGE_LOAD);
	return wanted_sectors(slice, m, MESSAGE_LOAD);
}

void slice_send_filled(struct slice *slice, const struct message *reply, const struct demand *demand)
{
	struct waiter *w = waiter_take(slice, false);
	assert(demand->index != L2_NONE);
	assert(demand->missing | demand->awaited);
	w->reply = *reply;
	w->index = demand->index;
	wait_for_line(slice, w, demand->missing | demand->awaited);
}

static inline void apply(struct slice *slice, const struct message *m, uint8_t kind, uint64_t now, uint64_t *result)
{
	if (kind == MESSAGE_STORE)
		apply_store(space_host(slice->space, m->line), message_payload(m));
	else if (kind == MESSAGE_ATOMIC)
		apply_atomic(slice->space, message_payload(m), result);
	else
		lock_service_apply(slice->locks, m, now, (struct lock_answer *)result);
}

/* The same, and gives the journal the old bytes of the line, the logs of atomics and of writes what they need. */
static __attribute__((noinline)) void apply_watched(
	struct slice *slice, const struct message *m, uint64_t now, uint64_t *result)
{
	uint8_t before[LINE_BYTES];
	uint64_t found[SLICE_LANES * 2];
	bool is_atomic = m->kind == MESSAGE_ATOMIC;

	assert(slice->watch.any);
	if (is_atomic && (slice->watch.effects || slice->watch.writes) && !result)
		result = found;
	memcpy(before, space_host(slice->space, m->line), slice->model->line_bytes);
	apply(slice, m, m->kind, now, result);
	if (slice->watch.journal)
		journal_wrote(
			slice->watch.journal, space_host(slice->space, m->line), before, slice->model->line_bytes);
	if (slice->watch.effects && is_atomic)
		effect_log_add(slice->watch.effects, m, result);
	if (slice->watch.writes)
		write_log_add(slice->watch.writes,
			&(struct logged_request){.payload = message_payload(m),
				.line = m->line,
				.line_bytes = slice->model->line_bytes,
				.time = now,
				.source = m->source,
				.pc = m->pc,
				.group = m->group,
				.kind = m->kind},
			before, space_host(slice->space, m->line), result);
}

/* The writer is unknown if it is a lock unit, which may write for another request than this one, or not a core: the
 * line history has only instructions of cores. */
static uint64_t writer_of(const struct slice *slice, const struct message *m)
{
	return m->kind == MESSAGE_LOCK || m->source >= slice->model->core_count
		       ? LINE_WRITER_UNKNOWN
		       : line_writer(m->source, m->group, m->pc);
}

static inline void set_mark(uint8_t *mark, uint8_t bits)
{
	assert(bits);
	if ((*mark & bits) != bits)
		__atomic_store_n(mark, (uint8_t)(*mark | bits), __ATOMIC_RELAXED);
}

/* The line will be written, and its mark is not plain_mark: saves it in the snapshot, or records the write in its
 * history. */
static __attribute__((noinline)) void note_write(struct slice *slice, const struct message *m)
{
	assert(m->line >= GLOBAL_BASE);
	uint8_t *mark = space_mark(slice->space, m->line);
	if (slice->plain_mark && !(*mark & LINE_SAVED) && !snapshot_save(slice->saved, m->line))
		slice->plain_mark = 0;
	if (!(*mark & LINE_LOADED))
		return;
	line_record_write(space_line(slice->space, m->line), slice->space->now, writer_of(slice, m));
	set_mark(mark, LINE_WRITTEN);
}

/* Carries out a store, an atomic or a lock request.  `result`: an atomic's old values, a lock request's answer. */
static inline __attribute__((always_inline)) void write_line(
	struct slice *slice, const struct message *m, uint8_t kind, uint64_t now, uint64_t *result)
{
	if (slice->marks[m->line >> slice->l2.line_bits] != slice->plain_mark)
		note_write(slice, m);
	if (slice->parts)
		end_copy(slice, m);
	if (slice->watch.any)
		apply_watched(slice, m, now, result);
	else
		apply(slice, m, kind, now, result);
}

/* `w`, the answer to atomics on `count` words of a line, leaves when its sectors have arrived and the atomic unit has
 * served it. */
static inline __attribute__((always_inline)) void answer_words(struct slice *slice, struct outbox *out,
	struct waiter *w, const struct demand *demand, const struct atomic_entry *entries, uint32_t count, uint64_t now,
	uint64_t ready)
{
	assert(demand->index != L2_NONE);
	assert(count);
	assert(count <= SLICE_LANES);
	uint8_t missing = demand->missing | demand->awaited;
	w->index = demand->index;
	slice->l2.lines[demand->index].dirty |= demand->wanted;
	if (!missing) {
		complete(slice, out, w, entries, count, now, ready);
		return;
	}
	w->entry_count = count;
	w->entries = (struct atomic_entry *)(w->data + (size_t)SLICE_LANES * 2);
	memcpy(w->entries, entries, count * sizeof(struct atomic_entry));
	wait_for_line(slice, w, missing);
}

/* The port, which has booked a cycle for each flit, takes those of atomics in cycles of their unit's clock.  Returns
 * when the last of the packets that the message stands for has arrived. */
static __attribute__((noinline)) uint64_t take_packets(struct slice *slice, uint32_t flits)
{
	uint32_t one = 1 << ATOMIC_PARTS_BITS, period = slice->atomics.period;
	uint32_t parts = period > one ? flits * (period - one) + slice->port_in_part : 0;

	assert(slice->takes_packets);
	slice->port_in_part = parts % one;
	slice->port_in += parts / one;
	return slice->model->atomic_packets ? slice->port_in : 0;
}

static inline __attribute__((always_inline)) void answer_atomic(struct slice *slice, const struct message *m,
	struct outbox *out, const struct demand *demand, uint64_t now, uint64_t ready)
{
	assert(m->kind == MESSAGE_ATOMIC);
	const struct atomic_payload *atomic = message_payload(m);
	const struct atomic_entry *entries = atomic_entries(atomic);
	uint32_t old_bytes = atomic->no_result ? 0 : atomic->count * (atomic->bytes == 16 ? 16 : 8);
	struct waiter *w = waiter_take(slice, demand->missing || demand->awaited || old_bytes > LINE_BYTES);
	assert(atomic->count && atomic->count <= SLICE_LANES);
	w->reply = reply_to(m, MESSAGE_DONE);
	w->reply.payload_bytes = (uint16_t)old_bytes;
	w->reply.data_bytes = (uint16_t)(atomic->no_result ? 0 : atomic->count * atomic->bytes);
	w->numbers = (uint8_t)atomic_numbers_of(atomic);
	if (slice->takes_packets)
		ready = later(ready, take_packets(slice, flits_of(slice->model, m->data_bytes)));
	write_line(slice, m, MESSAGE_ATOMIC, now, atomic->no_result ? NULL : w->data);
	answer_words(slice, out, w, demand, entries, atomic->count, now, ready);
}

/* Sends one answer for all lanes of a lock request, from a core or the slice itself, that can be answered; the others
 * wait. */
static __attribute__((noinline)) void answer_lock(struct slice *slice, const struct message *m, struct outbox *out,
	const struct demand *demand, uint64_t now, uint64_t ready)
{
	assert(m->kind == MESSAGE_LOCK);
	if (!slice->locks)
		slice->locks = lock_service_create(slice);
	struct lock_service *locks = slice->locks;
	struct waiter *w = waiter_take(slice, demand->missing || demand->awaited);
	const struct lock_answer *answer = (const struct lock_answer *)w->data;
	write_line(slice, m, MESSAGE_LOCK, now, w->data);
	w->numbers = ATOMIC_INTEGERS;
	w->reply = reply_to(m, MESSAGE_LOCK_ANSWER);
	make_answer(&w->reply, answer);
	slice->late_time = next_late(slice);
	if (!(answer->granted | answer->refused)) {
		atomic_unit_serve(&slice->atomics, ATOMIC_INTEGERS, locks->touched, locks->touched_count, now);
		waiter_free(slice, w);
	} else if (demand->wanted) {
		answer_words(slice, out, w, demand, locks->touched, locks->touched_count, now, ready);
	} else {
		send_later(slice, w, ready);
	}
}

/* An access of the slice itself to the record of a lock request. */
static void answer_record(struct slice *slice, const struct message *m, struct outbox *out, const struct demand *demand,
	uint64_t now, uint64_t ready)
{
	assert(demand->index != L2_NONE);
	if (m->kind == MESSAGE_STORE) {
		l2_write(&slice->l2, demand->index, ((const struct store_payload *)message_payload(m))->mask);
		return;
	}
	struct waiter *w = waiter_take(slice, false);
	w->reply.kind = MESSAGE_LOAD;
	w->reply.token = m->token;
	w->index = demand->index;
	if (demand->missing | demand->awaited)
		wait_for_line(slice, w, demand->missing | demand->awaited);
	else
		complete(slice, out, w, NULL, 0, now, ready);
}

static inline __attribute__((always_inline)) void answer_load(struct slice *slice, const struct message *m,
	struct outbox *out, const struct demand *demand, uint64_t now, uint64_t ready)
{
	assert(m->kind == MESSAGE_LOAD);
	assert(demand->index != L2_NONE);
	assert(m->sectors);
	if (m->bulk) {
		slice_answer_bulk(slice, m, out, demand, now, ready);
		return;
	}
	uint8_t missing = demand->missing | demand->awaited;
	struct message reply = reply_to(m, MESSAGE_LOADED);
	const void *line = space_host(slice->space, m->line);
	reply.sectors = m->sectors;
	reply.data_bytes = (uint16_t)(sector_count(m->sectors) * slice->model->sector_bytes);
	reply.payload_bytes = (uint16_t)slice->model->line_bytes;
	reply.loaded = demand->looked_up;
	if (slice->parts && l2_parts_is_far(slice->parts, m->source))
		slice_keep_copy(slice, m, now);
	if (m->kept)
		set_mark(space_mark(slice->space, m->line), LINE_LOADED);
	if (!missing && slice->l2.lines[demand->index].settled <= ready) {
		send_inline(slice, out, &reply, line, ready);
		return;
	}
	struct waiter *w = waiter_take(slice, false);
	w->reply = reply;
	w->index = demand->index;
	slice_copy_line(w->data, line, reply.payload_bytes);
	if (missing)
		wait_for_line(slice, w, missing);
	else
		complete(slice, out, w, NULL, 0, now, ready);
}

/* `before`: the demand when no place was made for the line. */
static inline __attribute__((always_inline)) void count(
	struct slice *slice, uint8_t kind, const struct demand *before, uint8_t *looked_up)
{
	struct partition_counters *c = slice->counters;
	uint32_t sectors, hits;
	if (kind == MESSAGE_LOAD || kind == MESSAGE_SHARE || kind == MESSAGE_OWN) {
		sectors = sector_count(before->wanted);
		hits = sector_count(before->wanted & ~before->missing & ~before->awaited);
		c->l2_loads += sectors;
		c->l2_load_hits += hits;
		*looked_up = message_looked_up(sectors, hits);
	} else if (kind == MESSAGE_STORE || kind == MESSAGE_EVICTED) {
		sectors = sector_count(before->wanted);
		hits = before->index != L2_NONE ? sector_count(before->wanted & slice->l2.lines[before->index].valid)
						: 0;
		c->l2_stores += sectors;
		c->l2_store_hits += hits;
		*looked_up = message_looked_up(sectors, hits);
	}
}

static inline __attribute__((always_inline)) void answer_store(struct slice *slice, const struct message *m,
	struct outbox *out, const struct demand *demand, uint64_t now, uint64_t ready)
{
	assert(m->kind == MESSAGE_STORE);
	assert(demand->index != L2_NONE);
	const struct store_payload *store = message_payload(m);
	struct l2_line *line = &slice->l2.lines[demand->index];
	struct message reply = reply_to(m, MESSAGE_STORED);
	reply.pc = m->pc;
	reply.stored = demand->looked_up;
	write_line(slice, m, MESSAGE_STORE, now, NULL);
	l2_write(&slice->l2, demand->index, store->mask);
	if (line->settled <= ready) {
		send_inline(slice, out, &reply, NULL, ready);
		return;
	}
	struct waiter *w = waiter_take(slice, false);
	w->reply = reply;
	send_later(slice, w, line->settled);
}

/* Prefetches what the next request will touch into the host's cache, and the request after that.  A function that does
 * nothing else is left out by GCC 12 where it is called. */
static inline __attribute__((always_inline)) void prefetch_next(const struct slice *slice, const struct inbox *inbox)
{
	const struct message *next = inbox_ahead(inbox, 0), *far = inbox_ahead(inbox, 2);
	assert(!far || next);
	if (far) {
		__builtin_prefetch(far);
		__builtin_prefetch((const char *)far + 64);
	}
	if (next) {
		const uint8_t *line = space_host(slice->space, next->line);
		const struct recent_place *recent = &slice->recent[recent_index(slice, next->line)];
		__builtin_prefetch(line);
		__builtin_prefetch(line + 64);
		__builtin_prefetch(&slice->l2.tags[recent->index]);
		__builtin_prefetch(&slice->l2.used[recent->index]);
		__builtin_prefetch(&slice->l2.lines[recent->index]);
	}
}

void slice_finish_access(struct slice *slice, const struct message *m, struct outbox *out, const struct demand *demand,
	uint64_t now, uint64_t ready)
{
	assert(slice->locks);
	if (m->kind == MESSAGE_LOCK)
		answer_lock(slice, m, out, demand, now, ready);
	else
		answer_record(slice, m, out, demand, now, ready);
	lock_service_drop_access(slice->locks);
	slice->state = slice_ready_state(slice);
}

static inline __attribute__((always_inline)) void answer(struct slice *slice, const struct message *m, uint8_t kind,
	struct outbox *out, const struct demand *demand, uint64_t now, uint64_t ready)
{
	switch (kind) {
	case MESSAGE_LOAD: answer_load(slice, m, out, demand, now, ready); break;
	case MESSAGE_STORE: answer_store(slice, m, out, demand, now, ready); break;
	case MESSAGE_ATOMIC: answer_atomic(slice, m, out, demand, now, ready); break;
	default: answer_lock(slice, m, out, demand, now, ready); break;
	}
}

/* The first message of the inbox has been accepted. */
static inline __attribute__((always_inline)) void finish_request(struct slice *slice, const struct message *m,
	uint8_t kind, struct outbox *out, const struct demand *demand, uint64_t now, uint64_t ready)
{
	assert(m->kind == kind);
	slice_take_in(slice, m);
	if (kind != MESSAGE_LOAD && slice->parts)
		l2_parts_cross(slice->parts, m, flits_of(slice->model, m->data_bytes), now);
	answer(slice, m, kind, out, demand, now, ready);
	if (kind == MESSAGE_LOCK)
		slice->state = slice_ready_state(slice);
}

static inline __attribute__((always_inline)) bool pass_array(struct slice *slice, const struct message *m, uint8_t kind,
	struct demand *demand, uint64_t now, uint64_t *ready)
{
	const struct gpu_model *model = slice->model;
	struct recent_place *recent = place_of(slice, m->line);
	const struct address_place *place = &recent->place;
	assert(place->slice == slice->index && m->line % LEAST_LINE == 0);
	struct demand before = demand_of(slice, m, kind, recent);
	*demand = before;
	slice->state = admit(slice, m, place->set, demand, now);
	if (slice->state != SLICE_READY)
		return false;
	count(slice, kind, &before, &demand->looked_up);
	uint32_t bytes = sector_count(demand->wanted) * slice->l2.sector_bytes;
	uint32_t cycles = bytes > model->l2_port ? (bytes + model->l2_port - 1) / model->l2_port : 1;
	slice->array = now + cycles;
	*ready = now + cycles - 1 + model->l2_latency;
	if (demand->missing)
		ask_dram(slice, place, demand, now);
	return true;
}

/* ---- For coherent L1s: what is inlined without a directory, as functions ---- */

bool slice_pass(struct slice *slice, const struct message *m, struct demand *demand, uint64_t now, uint64_t *ready)
{
	return pass_array(slice, m, m->kind, demand, now, ready);
}

void slice_answer(struct slice *slice, const struct message *m, struct outbox *out, const struct demand *demand,
	uint64_t now, uint64_t ready)
{
	answer(slice, m, m->kind, out, demand, now, ready);
}

/* ---- Code ---- */

uint64_t slice_read_code(struct slice *slice, uint64_t from, uint64_t now)
{
	const struct gpu_model *model = slice->model;
	uint32_t bytes = model->fetch_line, flits = flits_of(model, bytes);
	uint32_t cycles = bytes > model->l2_port ? (bytes + model->l2_port - 1) / model->l2_port : 1;
	uint64_t ready = later(slice->array, from) + cycles - 1 + model->l2_latency;
	uint64_t left = later(slice->port_out, ready) + flits;

	assert(from >= now);
	assert(model->fetch_l2);
	slice->array = later(slice->array, now) + cycles;
	slice->port_out = later(slice->port_out, now) + flits;
	return left;
}

/* ---- Serving ---- */

static inline __attribute__((always_inline)) void serve_request(
	struct slice *slice, struct inbox *inbox, uint8_t kind, struct outbox *out, uint64_t now)
{
	const struct message *m = inbox_head(inbox);
	assert(m);
	assert(m->time <= now);
	assert(slice->state == SLICE_READY);
	struct demand demand;
	uint64_t ready;
	if (!pass_array(slice, m, kind, &demand, now, &ready))
		return;
	finish_request(slice, m, kind, out, &demand, now, ready);
	inbox_drop(inbox);
	prefetch_next(slice, inbox);
}

/* A load, of a core or the control processor. */
static inline __attribute__((always_inline)) void serve_load(
	struct slice *slice, struct inbox *inbox, struct outbox *out, uint64_t now)
{
	const struct message *m = inbox_head(inbox);

	assert(m);
	assert(slice->state == SLICE_READY);
	if (!m->bulk || !slice->model->bulk_coalesce || !slice_coalesce(slice, m, out, now)) {
		serve_request(slice, inbox, MESSAGE_LOAD, out, now);
		return;
	}
	slice_take_in(slice, m);
	inbox_drop(inbox);
}

static __attribute__((noinline)) void serve_lock(
	struct slice *slice, struct inbox *inbox, struct outbox *out, uint64_t now)
{
	assert(inbox_head(inbox)->kind == MESSAGE_LOCK);
	serve_request(slice, inbox, MESSAGE_LOCK, out, now);
}

/* The slice's own access: to a lock's record, or to the line of the lock that it serves next. */
static __attribute__((noinline)) void serve_access(struct slice *slice, struct outbox *out, uint64_t now)
{
	assert(slice_has_lock_access(slice));
	const struct message *m = lock_service_access(slice->locks);
	struct demand demand;
	uint64_t ready;
	if (slice_pass(slice, m, &demand, now, &ready))
		slice_finish_access(slice, m, out, &demand, now, ready);
}

void slice_serve(struct slice *slice, struct inbox *inbox, struct outbox *out, uint64_t now)
{
	assert(now >= slice->resume);
	assert(now >= slice->array);
	assert(now >= slice->port_in);
	if (slice->directory) {
		slice_serve_coherent(slice, inbox, out, now);
		return;
	}
	if (slice->state == SLICE_HAS_ACCESS) {
		serve_access(slice, out, now);
		return;
	}
	if (slice->parts && !l2_parts_may_cross(slice->parts, inbox_head(inbox), now)) {
		slice->resume = slice->parts->link_free;
		return;
	}
	switch (inbox_head(inbox)->kind) {
	case MESSAGE_ATOMIC: serve_request(slice, inbox, MESSAGE_ATOMIC, out, now); break;
	case MESSAGE_LOAD: serve_load(slice, inbox, out, now); break;
	case MESSAGE_STORE: serve_request(slice, inbox, MESSAGE_STORE, out, now); break;
	default: serve_lock(slice, inbox, out, now); break;
	}
}
