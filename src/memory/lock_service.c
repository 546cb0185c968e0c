/* Lock requests at one slice: decisions, words, and accesses of the slice itself. */
#include "memory/lock_service.h"

#include "memory/slice.h"
#include "policy/contract.h"

#include <assert.h>
#include <inttypes.h>

#define FIRST_ROOM 64

struct lock_service *lock_service_create(const struct slice *slice)
{
	assert(slice->lock_unit);
	struct lock_service *s = arena_new(slice->arena, struct lock_service);
	s->model = slice->model;
	s->unit = slice->lock_unit;
	s->unit_state = arena_alloc(slice->arena, s->unit->state_size + 1);
	s->map = slice->map;
	s->space = slice->space;
	s->counters = slice->counters;
	s->slice = slice->index;
	s->next_line = (GLOBAL_BASE + slice->space->size + LINE_BYTES - 1) & ~(uint64_t)(LINE_BYTES - 1);
	s->table.arena = slice->arena;
	return s;
}

/* ---- Accesses of the slice itself ---- */

static void push(struct lock_service *s, enum lock_access_kind kind, uint32_t record)
{
	assert(record < s->table.room);
	if (s->access_count == s->access_room) {
		uint32_t room = s->access_room ? s->access_room * 2 : FIRST_ROOM;
		struct lock_access *old = s->accesses;
		s->accesses = arena_new_array(s->table.arena, struct lock_access, room);
		for (uint32_t k = 0; k < s->access_count; k++)
			s->accesses[k] = old[(s->first_access + k) & (s->access_room - 1)];
		s->access_room = room;
		s->first_access = 0;
	}
	s->accesses[(s->first_access + s->access_count++) & (s->access_room - 1)] =
		(struct lock_access){.record = record, .kind = (uint8_t)kind};
}

/* The line of a record, found when the first record lies in it. */
static uint64_t record_line(struct lock_service *s, uint32_t record)
{
	assert(record < s->table.room);
	uint32_t index = record / (s->model->line_bytes / RECORD_BYTES);
	while (index >= s->lines.count) {
		while (address_slice(s->map, s->next_line) != s->slice)
			s->next_line += s->model->line_bytes;
		*vector_push(s->table.arena, &s->lines) = s->next_line;
		s->next_line += s->model->line_bytes;
	}
	return s->lines.at[index];
}

static void tell_write(struct lock_service *s, struct message *m, uint32_t record)
{
	uint32_t offset = record * RECORD_BYTES % s->model->line_bytes;
	assert(offset % 64 + RECORD_BYTES <= 64);
	struct store_payload *store = &s->own.payload.store;
	m->kind = MESSAGE_STORE;
	m->line = record_line(s, record);
	store->mask[offset / 64] = ((1ull << RECORD_BYTES) - 1) << offset % 64;
	store->mask[1 - offset / 64] = 0;
}

static void tell_read(struct lock_service *s, struct message *m, uint32_t record)
{
	assert(s->table.records[record].stage == LOCK_HAS_TURN);
	m->kind = MESSAGE_LOAD;
	m->line = record_line(s, record);
	m->token = record;
	m->sectors = (uint8_t)(1u << record * RECORD_BYTES % s->model->line_bytes / s->model->sector_bytes);
}

static struct message message_of(const struct lock_service *s, const struct lock_record *r)
{
	assert(r->stage != LOCK_IS_HELD);
	return (struct message){.line = r->address & ~(uint64_t)(s->model->line_bytes - 1),
		.source = r->core,
		.destination = (uint16_t)(s->model->core_count + s->slice),
		.token = r->token,
		.kind = MESSAGE_LOCK};
}

const struct message *lock_service_access(struct lock_service *s)
{
	const struct lock_access *access = &s->accesses[s->first_access];
	assert(s->access_count);
	assert(access->record < s->table.room);
	struct message *m = &s->own.message;
	*m = (struct message){0};
	if (access->kind == LOCK_ACCESS_WRITE) {
		tell_write(s, m, access->record);
	} else if (access->kind == LOCK_ACCESS_READ) {
		tell_read(s, m, access->record);
	} else {
		const struct lock_record *r = &s->table.records[access->record];
		*m = message_of(s, r);
		s->own.payload.again.lock = (struct lock_payload){.op = r->op, .count = 1};
		s->own.payload.again.entry = (struct lock_entry){.address = r->address, .id = r->id, .lane = r->lane};
	}
	return m;
}

void lock_service_drop_access(struct lock_service *s)
{
	assert(s->access_count);
	s->first_access = (s->first_access + 1) & (s->access_room - 1);
	s->access_count--;
}

void lock_service_begin_turn(struct lock_service *s, uint32_t record)
{
	assert(s->table.records[record].stage == LOCK_HAS_TURN);
	push(s, LOCK_ACCESS_TURN, record);
}

/* ---- Words ---- */

static uint32_t *touch(struct lock_service *s, uint64_t address)
{
	assert(s->touched_count < sizeof s->touched / sizeof *s->touched);
	assert(address % sizeof(uint32_t) == 0);
	s->touched[s->touched_count++].address = address;
	return space_host(s->space, address);
}

/* Takes the lock, or decrements the semaphore, if that is possible. */
static bool take(uint32_t *word, enum lock_op op, uint32_t id)
{
	assert(op == LOCK_ACQUIRE || op == LOCK_WAIT);
	if (op == LOCK_ACQUIRE) {
		if (*word != LOCK_FREE)
			return false;
		*word = id;
		return true;
	}
	if ((int32_t)*word <= 0)
		return false;
	--*word;
	return true;
}

bool lock_service_touches(const struct lock_service *s, enum lock_op op, uint64_t address)
{
	assert(op <= LOCK_SIGNAL);
	return op == LOCK_RELEASE || op == LOCK_SIGNAL || lock_table_first(&s->table, address) == LOCK_NO_RECORD;
}

/* ---- Requests ---- */

static bool has_room(const struct lock_service *s, bool has_list)
{
	const struct gpu_model *model = s->model;
	return (!model->queue_capacity || s->table.record_count < model->queue_capacity) &&
	       (has_list || !model->queue_locks || s->table.lists.count < model->queue_locks);
}

static uint32_t append(struct lock_service *s, const struct lock_record *record)
{
	uint32_t number = lock_table_append(&s->table, record);
	s->counters->lock_records++;
	if (s->table.record_count > s->most) {
		s->most = s->table.record_count;
		s->counters->lock_records_most++;
	}
	if (s->model->queue_traffic)
		push(s, LOCK_ACCESS_WRITE, number);
	return number;
}

/* Gives the turn to a request that waits for this address, if there is one and no other has the turn. */
static void pass_on(struct lock_service *s, uint64_t address, const struct lock_record *released)
{
	uint32_t first = lock_table_first(&s->table, address);
	if (first == LOCK_NO_RECORD || s->table.records[first].stage != LOCK_IS_WAITING)
		return;
	uint32_t next = s->unit->next(s->unit_state, s->table.records, first, released);
	if (!lock_table_has(&s->table, address, next))
		contract_broken(POLICY_lock, s->unit,
			"next returned record %" PRIu32 ", expected one of the lock's queue", next);
	assert(s->table.records[next].stage == LOCK_IS_WAITING);
	lock_table_to_front(&s->table, next);
	lock_table_disarm(&s->table, next);
	s->table.records[next].stage = LOCK_HAS_TURN;
	push(s, s->model->queue_traffic ? LOCK_ACCESS_READ : LOCK_ACCESS_TURN, next);
}

static void release_lock(struct lock_service *s, uint64_t address)
{
	uint32_t first = lock_table_first(&s->table, address);
	*touch(s, address) = LOCK_FREE;
	if (first == LOCK_NO_RECORD)
		return;
	struct lock_record record = s->table.records[first];
	if (record.stage == LOCK_IS_HELD)
		lock_table_remove(&s->table, first);
	pass_on(s, address, record.stage == LOCK_IS_HELD ? &record : NULL);
}

enum verdict { GRANTED, REFUSED, NO_ANSWER };

static enum verdict refuse(struct lock_service *s)
{
	s->counters->lock_refusals++;
	return REFUSED;
}

/* A request from a core for a lock or semaphore. */
static enum verdict ask(
	struct lock_service *s, enum lock_op op, const struct lock_entry *entry, struct lock_record *record)
{
	assert(record->stage == LOCK_IS_WAITING);
	bool has_list = lock_table_first(&s->table, entry->address) != LOCK_NO_RECORD;
	s->counters->lock_requests++;
	if (!has_list) {
		uint32_t *word = touch(s, entry->address);
		if (take(word, op, entry->id)) {
			record->stage = LOCK_IS_HELD;
			/* Without room the lock is held without a record.  To refuse the request instead could block
			 * its thread forever, if that holds another lock. */
			if (op == LOCK_ACQUIRE && has_room(s, false))
				append(s, record);
			return GRANTED;
		}
		if (op == LOCK_ACQUIRE)
			return refuse(s);
	}
	if (!entry->patience || !has_room(s, has_list))
		return refuse(s);
	uint32_t number = append(s, record);
	if (record->until != UINT64_MAX)
		lock_table_arm(&s->table, number);
	return NO_ANSWER;
}

/* Tries a request again when its turn has come. */
static enum verdict try_again(struct lock_service *s, uint32_t number, uint64_t now)
{
	struct lock_record *r = &s->table.records[number];
	uint64_t address = r->address;
	assert(r->stage == LOCK_HAS_TURN);
	assert(now >= r->since);
	assert(lock_table_first(&s->table, address) == number);
	uint32_t *word = touch(s, address);
	if (take(word, r->op, r->id)) {
		s->counters->lock_wait_cycles += now - r->since;
		r->stage = LOCK_IS_HELD;
		if (r->op == LOCK_WAIT) {
			lock_table_remove(&s->table, number);
			if ((int32_t)*word > 0)
				pass_on(s, address, NULL);
		}
		return GRANTED;
	}
	if (r->op == LOCK_WAIT && r->until > now) {
		r->stage = LOCK_IS_WAITING;
		if (r->until != UINT64_MAX)
			lock_table_arm(&s->table, number);
		return NO_ANSWER;
	}
	s->counters->lock_timeouts += r->op == LOCK_WAIT;
	s->counters->lock_refusals += r->op == LOCK_ACQUIRE;
	lock_table_remove(&s->table, number);
	if (r->op == LOCK_ACQUIRE)
		pass_on(s, address, NULL);
	return REFUSED;
}

static enum verdict serve(
	struct lock_service *s, const struct message *m, enum lock_op op, const struct lock_entry *entry, uint64_t now)
{
	if (op == LOCK_RELEASE) {
		release_lock(s, entry->address);
		return GRANTED;
	}
	if (op == LOCK_SIGNAL) {
		++*touch(s, entry->address);
		pass_on(s, entry->address, NULL);
		return GRANTED;
	}
	assert(op == LOCK_ACQUIRE || op == LOCK_WAIT);
	struct lock_record record = {.address = entry->address,
		.since = now,
		.until = entry->patience < UINT64_MAX - now ? now + entry->patience : UINT64_MAX,
		.id = entry->id,
		.core = m->source,
		.lane = (uint8_t)entry->lane,
		.stage = LOCK_IS_WAITING,
		.token = m->token,
		.op = (uint8_t)op};
	return ask(s, op, entry, &record);
}

void lock_service_apply(struct lock_service *s, const struct message *m, uint64_t now, struct lock_answer *answer)
{
	const struct lock_payload *payload = message_payload(m);
	const struct lock_entry *entry = lock_entries(payload);
	assert(payload->count && payload->count <= LOCK_LANES);
	*answer = (struct lock_answer){0};
	s->touched_count = 0;
	for (uint32_t k = 0; k < payload->count; k++, entry++) {
		enum verdict verdict = m == &s->own.message ? try_again(s, s->accesses[s->first_access].record, now)
							    : serve(s, m, payload->op, entry, now);
		assert(entry->lane < LOCK_LANES);
		assert(entry->address - m->line < s->model->line_bytes);
		if (verdict == GRANTED)
			answer->granted |= 1ull << entry->lane;
		else if (verdict == REFUSED)
			answer->refused |= 1ull << entry->lane;
	}
}

/* ---- Times ---- */

uint64_t lock_service_timeout(const struct lock_service *s)
{
	uint32_t record = lock_table_next_timer(&s->table);
	return record == LOCK_NO_RECORD ? UINT64_MAX : s->table.records[record].until;
}

struct message lock_service_expire(struct lock_service *s, struct lock_answer *answer)
{
	uint32_t record = lock_table_next_timer(&s->table);
	assert(record != LOCK_NO_RECORD);
	const struct lock_record *r = &s->table.records[record];
	assert(r->stage == LOCK_IS_WAITING);
	assert(r->until != UINT64_MAX);
	struct message m = message_of(s, r);
	*answer = (struct lock_answer){.refused = 1ull << r->lane};
	s->counters->lock_timeouts++;
	lock_table_remove(&s->table, record);
	return m;
}

uint32_t lock_service_waiting(const struct lock_service *service)
{
	const struct lock_table *table = &service->table;
	uint32_t count = 0;
	for (uint32_t k = 0; k < table->room; k++)
		if (table->taken[k / 64] >> k % 64 & 1)
			count += table->records[k].stage == LOCK_IS_WAITING;
	return count;
}
