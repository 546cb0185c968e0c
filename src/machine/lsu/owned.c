/* Loads, stores and atomics on lines of a coherent L1 (owned.h), and what it answers its directory. */
#include "machine/lsu/owned.h"

#include "machine/core/observer.h"
#include "machine/core/port.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/load_store.h"
#include "machine/state/machine.h"

#include "memory/atomic_unit.h"
#include "memory/snapshot.h"

#include <assert.h>
#include <string.h>

/* An access that waits for its line. */
struct owned_waiter {
	lane_mask lanes;
	uint32_t operation, element;
	uint32_t next; /* index, or L1_NONE; likewise below */
	uint8_t access;
};

/* A line that was asked for. */
struct owned_miss {
	uint64_t line;
	uint32_t first, last, waiting; /* waiters in order */
	uint32_t next, previous;       /* the free ones, or those in use */
};

struct owned {
	uint32_t sets, ways, places;
	uint64_t *tags;  /* 0: the place is empty; one place more than there are, for a line that finds none */
	uint8_t *states; /* enum line_state */
	uint8_t *asked;  /* it has been asked for, for writing: it stays */
	uint64_t *last_use;
	uint64_t clock;
	struct owned_miss *misses;
	uint32_t miss_free, miss_used, merges;
	struct owned_waiter *waiters;
	uint32_t waiter_free;
	struct atomic_unit atomics; /* like a slice's */
	uint64_t atomics_done;      /* cycle at which the last of its operations is done */
	struct journal *journal;
	struct write_log *writes;
	struct snapshot_log *saved;
};

#define NO_PLACE UINT32_MAX

/* ---- Making ---- */

static void make_lists(struct owned *o, struct arena *arena, uint32_t misses, uint32_t merges)
{
	assert(misses && merges);
	o->merges = merges;
	o->misses = arena_new_array(arena, struct owned_miss, misses);
	o->waiters = arena_new_array(arena, struct owned_waiter, (size_t)misses * merges);
	o->miss_used = L1_NONE;
	for (uint32_t k = 0; k < misses; k++)
		o->misses[k].next = k + 1 < misses ? k + 1 : L1_NONE;
	for (uint32_t k = 0; k < misses * merges; k++)
		o->waiters[k].next = k + 1 < misses * merges ? k + 1 : L1_NONE;
}

static void receive_grant(struct core *core, const struct message *m);
static void receive_probe(struct core *core, const struct message *m);

struct owned *owned_create(struct core *core, struct arena *arena)
{
	const struct machine *machine = core->machine;
	const struct gpu_model *model = machine->model;
	struct owned *o = arena_new(arena, struct owned);

	o->sets = model->l1_sets;
	o->ways = divisions_ways(&machine->divisions, model->core_shared, model->l1_ways);
	o->places = o->sets * o->ways;
	assert(o->places);
	o->tags = arena_new_array(arena, uint64_t, o->places + 1);
	o->states = arena_new_array(arena, uint8_t, o->places + 1);
	o->asked = arena_new_array(arena, uint8_t, o->places + 1);
	o->last_use = arena_new_array(arena, uint64_t, o->places + 1);
	make_lists(o, arena, model->l1_mshrs, model->l1_merges);
	atomic_unit_create(&o->atomics, model);
	if (machine->at_start.snapshot)
		o->saved = &machine->at_start.snapshot->logs[machine->partition_count + core->index];
	core->lsu.receive[MESSAGE_GRANT] = receive_grant;
	core->lsu.receive[MESSAGE_PROBE] = receive_probe;
	return o;
}

void owned_watch(struct core *core, struct journal *journal)
{
	core->owned->journal = journal;
}

void owned_log_writes(struct core *core, struct write_log *log)
{
	core->owned->writes = log;
}

/* ---- Lines ---- */

static uint32_t find(const struct core *core, uint64_t line)
{
	const struct owned *o = core->owned;
	uint32_t first = l1_set_of(&core->l1, line) * o->ways;

	assert(line && line % LEAST_LINE == 0);
	for (uint32_t k = first; k < first + o->ways; k++)
		if (o->tags[k] == line)
			return k;
	return NO_PLACE;
}

static void drop(struct owned *o, uint32_t place)
{
	assert(place <= o->places);
	assert(o->tags[place] && o->states[place] != LINE_INVALID);
	o->tags[place] = 0;
	o->states[place] = LINE_INVALID;
	o->asked[place] = false;
	o->last_use[place] = 0;
}

/* Tells the line's slice something that it does not answer. */
static void tell(struct core *core, uint8_t kind, uint64_t line, enum line_state state, uint32_t bytes)
{
	struct message *m = outbox_write(core->outbox, 0);

	assert(kind == MESSAGE_EVICTED || kind == MESSAGE_PROBED);
	*m = (struct message){.line_state = (uint8_t)state};
	port_post(core, m, kind, line, bytes, 0);
	core->in_flight--;
}

static void evict(struct core *core, uint32_t place)
{
	struct owned *o = core->owned;
	enum line_state state = o->states[place];

	assert(place <= o->places && o->tags[place]);
	tell(core, MESSAGE_EVICTED, o->tags[place], state, line_is_dirty(state) ? l1_line_bytes(&core->l1) : 0);
	drop(o, place);
}

/* Where a line goes that has come: where it is, an empty place, or that of the least recently used; the place for lines
 * that find none if all others of the set are to stay. */
static uint32_t place_for(struct core *core, uint64_t line)
{
	struct owned *o = core->owned;
	uint32_t first = l1_set_of(&core->l1, line) * o->ways, best = o->places;

	assert(!o->tags[o->places]);
	for (uint32_t k = first; k < first + o->ways; k++) {
		if (o->tags[k] == line)
			return k;
		if (!o->asked[k] && (best == o->places || o->last_use[k] < o->last_use[best]))
			best = k;
	}
	if (o->tags[best])
		evict(core, best);
	return best;
}

/* ---- Misses ---- */

static uint32_t find_miss(const struct owned *o, uint64_t line)
{
	uint32_t k = o->miss_used;

	assert(line && line % LEAST_LINE == 0);
	while (k != L1_NONE && o->misses[k].line != line)
		k = o->misses[k].next;
	return k;
}

static uint32_t take_miss(struct owned *o, uint64_t line)
{
	uint32_t k = o->miss_free;

	assert(k != L1_NONE);
	assert(find_miss(o, line) == L1_NONE);
	o->miss_free = o->misses[k].next;
	o->misses[k] = (struct owned_miss){
		.line = line, .first = L1_NONE, .last = L1_NONE, .next = o->miss_used, .previous = L1_NONE};
	if (o->miss_used != L1_NONE)
		o->misses[o->miss_used].previous = k;
	o->miss_used = k;
	return k;
}

static void release_miss(struct owned *o, uint32_t index)
{
	struct owned_miss *miss = &o->misses[index];

	assert(!miss->waiting);
	assert(miss->first == L1_NONE);
	if (miss->previous != L1_NONE)
		o->misses[miss->previous].next = miss->next;
	else
		o->miss_used = miss->next;
	if (miss->next != L1_NONE)
		o->misses[miss->next].previous = miss->previous;
	miss->next = o->miss_free;
	o->miss_free = index;
}

static void append(struct owned *o, struct owned_miss *miss, struct owned_waiter waiter)
{
	uint32_t index = o->waiter_free; /* there are as many as all misses can have */

	assert(index != L1_NONE && miss->waiting < o->merges);
	assert(!miss->waiting == (miss->first == L1_NONE));
	o->waiter_free = o->waiters[index].next;
	waiter.next = L1_NONE;
	o->waiters[index] = waiter;
	if (miss->waiting++)
		o->waiters[miss->last].next = index;
	else
		miss->first = index;
	miss->last = index;
}

static struct owned_waiter take_first(struct owned *o, struct owned_miss *miss)
{
	uint32_t index = miss->first;
	struct owned_waiter waiter = o->waiters[index];

	assert(miss->waiting && index != L1_NONE);
	miss->first = waiter.next;
	miss->waiting--;
	o->waiters[index].next = o->waiter_free;
	o->waiter_free = index;
	return waiter;
}

static void ask(struct core *core, uint32_t miss, uint64_t line, bool writes)
{
	assert(core->owned->misses[miss].line == line);
	struct message *m = outbox_write(core->outbox, 0);

	*m = (struct message){0};
	port_post(core, m, writes ? MESSAGE_OWN : MESSAGE_SHARE, line, 0, miss);
}

/* ---- Taking effect ---- */

struct payload {
	struct atomic_payload atomic;
	uint64_t entries[CORE_WARPS * (sizeof(struct atomic_entry) + 16) / sizeof(uint64_t)];
};

static void log_write(const struct core *core, const struct operation *op, uint64_t line,
	const struct store_payload *store, const struct payload *atomic, const uint8_t *before, const uint64_t *old)
{
	assert(!store != !atomic);
	const struct logged_request request = {.payload = store ? (const void *)store : atomic,
		.line = line,
		.line_bytes = l1_line_bytes(&core->l1),
		.time = core->now,
		.source = (uint16_t)core->index,
		.pc = (uint16_t)op->signature,
		.group = (uint8_t)(op->signature >> 16),
		.kind = store ? MESSAGE_STORE : MESSAGE_ATOMIC};

	write_log_add(core->owned->writes, &request, before, space_host(core->machine->space, line), old);
}

/* Carries out a store or an atomic. */
static void apply(struct core *core, const struct operation *op, uint64_t line, const struct store_payload *store,
	const struct payload *atomic, uint64_t *old)
{
	const struct address_space *space = core->machine->space;
	struct owned *o = core->owned;
	uint8_t before[LINE_BYTES], *bytes = space_host(space, line);

	assert(!store != !atomic && line % LEAST_LINE == 0);
	if (o->saved && !(*space_mark(space, line) & LINE_SAVED) && !snapshot_save(o->saved, line))
		o->saved = NULL;
	if (o->journal || o->writes)
		memcpy(before, bytes, l1_line_bytes(&core->l1));
	if (store)
		apply_store(bytes, store);
	else
		apply_atomic(space, &atomic->atomic, old);
	if (o->journal)
		journal_wrote(o->journal, bytes, before, l1_line_bytes(&core->l1));
	if (o->writes)
		log_write(core, op, line, store, atomic, before, old);
}

static void store(struct core *core, struct operation *op, lane_mask lanes, uint64_t line)
{
	struct store_payload payload;

	assert(lanes && !(lanes & ~op->lanes));
	op->kind->gather(op, lanes, line, &payload);
	apply(core, op, line, &payload, NULL, NULL);
	load_store_answered(core, op, core->now);
}

/* The operations happen now, one after another; the old values are there when the L1's atomic unit is through, from
 * cycle `at` on. */
static void atomic(
	struct core *core, struct operation *op, lane_mask lanes, uint32_t element, uint64_t line, uint64_t at)
{
	struct payload payload;
	uint64_t old[CORE_WARPS * 2];
	const struct insn *i = op->insn;

	assert(lanes && !(lanes & ~op->lanes) && at >= core->now);
	atomic_fill(core, op, lanes, element, &payload.atomic);
	apply(core, op, line, NULL, &payload, old);
	core->counters.l1_atomics += payload.atomic.count;
	at = atomic_unit_serve(&core->owned->atomics, atomic_numbers_of(&payload.atomic),
		atomic_entries(&payload.atomic), payload.atomic.count, at);
	core->owned->atomics_done = at;
	if (op->kind->found && (!(i->flags & INSN_NO_RESULT) || i->kind == INSN_ATOMIC))
		op->kind->found(core, op, lanes, element, old);
	load_store_answered(core, op, at);
}

/* An access takes effect, on a line that is at this place. */
static void take_effect(struct core *core, const struct owned_waiter *w, uint64_t line, uint32_t place, uint64_t at)
{
	struct owned *o = core->owned;
	struct operation *op = &core->lsu.operations[w->operation];

	assert(place <= o->places);
	assert(w->operation < core->lsu.operation_fresh);
	assert(o->tags[place] == line);
	assert(o->states[place] != LINE_INVALID);
	o->last_use[place] = ++o->clock;
	if (w->access != OWNED_LOAD)
		o->states[place] = LINE_MODIFIED;
	if (w->access == OWNED_ATOMIC) {
		atomic(core, op, w->lanes, w->element, line, at);
	} else if (w->access == OWNED_STORE) {
		store(core, op, w->lanes, line);
	} else {
		op->kind->deliver(core, op, w->lanes, space_host(core->machine->space, line), line);
		load_store_answered(core, op, at);
	}
}

/* ---- Accesses ---- */

static void count(struct counters *c, enum owned_access access, bool hit, bool joined)
{
	assert(!hit || !joined);
	if (access == OWNED_LOAD) {
		c->l1_loads++;
		c->l1_hits += hit;
		c->l1_merged += joined;
	} else if (access == OWNED_STORE) {
		c->l1_stores++;
		c->l1_store_hits += hit;
	} else {
		c->l1_atomic_lines++;
		c->l1_atomic_hits += hit;
	}
}

static bool allows(enum line_state state, enum owned_access access)
{
	return access == OWNED_LOAD ? state != LINE_INVALID : line_may_be_written(state);
}

static bool stall(struct core *core)
{
	assert(!core->lsu.queue_stalled);
	core->lsu.queue_stalled = true;
	return false;
}

static bool begin(struct core *core, const struct transaction *t, enum owned_access access)
{
	struct owned *o = core->owned;
	struct owned_waiter waiter = {
		.lanes = t->lanes, .operation = t->operation, .element = t->element, .access = (uint8_t)access};
	uint32_t miss = find_miss(o, t->line), place = miss == L1_NONE ? find(core, t->line) : NO_PLACE;
	bool joins = miss != L1_NONE;

	assert(t->lanes && t->line);
	assert(!(t->lanes & ~core->lsu.operations[t->operation].lanes));
	assert(place == NO_PLACE || !o->asked[place]);
	if (place != NO_PLACE && allows(o->states[place], access)) {
		count(&core->counters, access, true, false);
		take_effect(core, &waiter, t->line, place, core->now + core->machine->model->l1_latency);
		return true;
	}
	if (joins ? o->misses[miss].waiting == o->merges : o->miss_free == L1_NONE)
		return stall(core);
	count(&core->counters, access, false, joins);
	if (!joins) {
		miss = take_miss(o, t->line);
		ask(core, miss, t->line, access != OWNED_LOAD);
		if (place != NO_PLACE)
			o->asked[place] = true;
	}
	append(o, &o->misses[miss], waiter);
	return true;
}

/* The atomic unit lags so far that the load-store unit waits for it. */
static bool waits_for_unit(struct core *core)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t done = core->owned->atomics_done;

	assert(core->owned);
	if (done <= core->now + model->l1_latency + model->atomic_interval)
		return false;
	core->lsu.queue_time = done - model->atomic_interval - model->l1_latency;
	return true;
}

bool owned_send(struct core *core, struct operation *op, const struct transaction *t, enum owned_access access)
{
	struct warp_slot *r = op->slot;
	uint64_t *address = op->address; /* the operation may be over after it, but nothing else has it yet */
	bool writes = access != OWNED_LOAD && !(access == OWNED_ATOMIC && op->insn->flags & INSN_LOCK_TRY);

	assert(op == &core->lsu.operations[t->operation]);
	if ((access == OWNED_ATOMIC && waits_for_unit(core)) || !begin(core, t, access))
		return false;
	if (writes)
		observe_written(core, r, address, t->lanes, access == OWNED_ATOMIC ? op : NULL);
	return true;
}

/* ---- Grants and probes ---- */

const struct operation *owned_waiting(const struct core *core, uint32_t token)
{
	assert(core->owned->misses[token].waiting);
	return &core->lsu.operations[core->owned->waiters[core->owned->misses[token].first].operation];
}

static void receive_grant(struct core *core, const struct message *m)
{
	struct owned *o = core->owned;
	struct owned_miss *miss = &o->misses[m->token];
	uint32_t place = place_for(core, m->line);
	bool stays = place != o->places;

	assert(miss->line == m->line && miss->waiting);
	assert(m->line_state != LINE_INVALID);
	assert(!o->tags[place] || o->tags[place] == m->line);
	o->tags[place] = m->line;
	o->states[place] = m->line_state;
	o->asked[place] = false;
	while (miss->waiting && allows(o->states[place], o->waiters[miss->first].access)) {
		struct owned_waiter waiter = take_first(o, miss);

		take_effect(core, &waiter, m->line, place, core->now);
	}
	o->asked[place] = miss->waiting != 0;
	if (!stays)
		evict(core, place);
	if (miss->waiting)
		ask(core, m->token, m->line, true);
	else
		release_miss(o, m->token);
}

/* The answer leaves in the cycle in which the probe is taken in: it must not follow a later message of this line. */
static void receive_probe(struct core *core, const struct message *m)
{
	struct owned *o = core->owned;
	uint32_t place = find(core, m->line);
	enum line_state state = place == NO_PLACE ? LINE_INVALID : o->states[place];
	bool gives = probe_wants_data(m->probe) && line_is_owned(state);

	assert(m->line && m->line % LEAST_LINE == 0);
	core->in_flight++; /* it answers nothing */
	core->counters.probe_hits += state != LINE_INVALID;
	if (place == NO_PLACE) {
		;
	} else if (m->probe == PROBE_SHARE) {
		o->states[place] = line_is_dirty(state) ? LINE_OWNED : LINE_SHARED;
	} else if (m->probe == PROBE_RECALL) {
		evict(core, place);
		state = LINE_INVALID;
	} else {
		drop(o, place);
	}
	tell(core, MESSAGE_PROBED, m->line, state, gives ? l1_line_bytes(&core->l1) : 0);
}

/* ---- For audits ---- */

bool owned_is_idle(const struct core *core)
{
	return core->owned->miss_used == L1_NONE;
}

uint32_t owned_places(const struct core *core)
{
	return core->owned->places;
}

enum line_state owned_at(const struct core *core, uint32_t place, uint64_t *line)
{
	assert(place < core->owned->places);
	*line = core->owned->tags[place];
	return core->owned->states[place];
}

enum line_state owned_state(const struct core *core, uint64_t line)
{
	uint32_t place = find(core, line);

	return place == NO_PLACE ? LINE_INVALID : core->owned->states[place];
}
