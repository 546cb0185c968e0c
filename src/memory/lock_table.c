/* Lists of lock records by address, numbers, and the heap of times. */
#include "memory/lock_table.h"

#include <assert.h>

#define FIRST_ROOM 64 /* records; a multiple of 64 */

/* ---- Lists ---- */

/* Where the address's first record is, plus one; it has one. */
static uint64_t *first_of(const struct lock_table *table, uint64_t address)
{
	return &lookup_slot_of(&table->lists, address >> 2)->value;
}

uint32_t lock_table_first(const struct lock_table *table, uint64_t address)
{
	return (uint32_t)lookup_get(&table->lists, address >> 2) - 1;
}

/* ---- Records ---- */

static void grow_records(struct lock_table *table)
{
	assert(table->record_count == table->room);
	assert(table->room % 64 == 0);
	uint32_t room = table->room ? table->room * 2 : FIRST_ROOM;
	table->records = arena_grow(
		table->arena, table->records, table->room * sizeof *table->records, room * sizeof *table->records);
	table->taken = arena_grow(table->arena, table->taken, table->room / 8, room / 8);
	table->timers = arena_grow(
		table->arena, table->timers, table->room * sizeof *table->timers, room * sizeof *table->timers);
	table->room = room;
}

static uint32_t take_number(struct lock_table *table)
{
	if (table->record_count == table->room)
		grow_records(table);
	assert(table->record_count < table->room);
	while (table->taken[table->lowest] == UINT64_MAX)
		table->lowest++;
	assert(table->lowest < table->room / 64);
	uint32_t bit = (uint32_t)__builtin_ctzll(~table->taken[table->lowest]);
	table->taken[table->lowest] |= 1ull << bit;
	table->record_count++;
	return table->lowest * 64 + bit;
}

static void free_number(struct lock_table *table, uint32_t number)
{
	assert(table->record_count);
	assert(table->taken[number / 64] >> number % 64 & 1);
	table->taken[number / 64] &= ~(1ull << number % 64);
	if (number / 64 < table->lowest)
		table->lowest = number / 64;
	table->record_count--;
}

uint32_t lock_table_append(struct lock_table *table, const struct lock_record *record)
{
	uint32_t number = take_number(table), last = number;
	uint64_t *first = lookup_at(table->arena, &table->lists, record->address >> 2);
	struct lock_record *r = &table->records[number];
	if (*first) {
		last = table->records[*first - 1].previous;
		table->records[last].next = number;
		table->records[*first - 1].previous = number;
	} else {
		*first = number + 1ull;
	}
	*r = *record;
	r->next = r->timer = LOCK_NO_RECORD;
	r->previous = last;
	return number;
}

/* Takes it out of its list, which has others. */
static void unlink_record(struct lock_table *table, uint64_t *first, uint32_t record)
{
	const struct lock_record *r = &table->records[record];
	uint32_t head = (uint32_t)*first - 1;
	table->records[r->next == LOCK_NO_RECORD ? head : r->next].previous = r->previous;
	if (head == record)
		*first = r->next + 1ull;
	else
		table->records[r->previous].next = r->next;
}

void lock_table_to_front(struct lock_table *table, uint32_t record)
{
	assert(lock_table_has(table, table->records[record].address, record));
	struct lock_record *r = &table->records[record];
	uint64_t *first = first_of(table, r->address);
	uint32_t head = (uint32_t)*first - 1;
	if (head == record)
		return;
	unlink_record(table, first, record);
	r->previous = table->records[head].previous;
	r->next = head;
	table->records[head].previous = record;
	*first = record + 1ull;
}

void lock_table_remove(struct lock_table *table, uint32_t record)
{
	const struct lock_record *r = &table->records[record];
	lock_table_disarm(table, record);
	if (r->previous == record)
		lookup_remove(&table->lists, r->address >> 2);
	else
		unlink_record(table, first_of(table, r->address), record);
	free_number(table, record);
}

/* ---- Times ---- */

static bool is_sooner(const struct lock_table *table, uint32_t a, uint32_t b)
{
	const struct lock_record *p = &table->records[a], *q = &table->records[b];
	if (p->until != q->until)
		return p->until < q->until;
	return p->since != q->since ? p->since < q->since : a < b;
}

static void put_timer(struct lock_table *table, uint32_t at, uint32_t record)
{
	assert(at < table->timer_count);
	table->timers[at] = record;
	table->records[record].timer = at;
}

/* Puts `record` at `at` or nearer to the top. */
static void rise(struct lock_table *table, uint32_t at, uint32_t record)
{
	assert(table->records[record].until != UINT64_MAX);
	while (at && is_sooner(table, record, table->timers[(at - 1) / 2])) {
		put_timer(table, at, table->timers[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put_timer(table, at, record);
}

/* Puts `record` at `at` or farther from the top. */
static void sink(struct lock_table *table, uint32_t at, uint32_t record)
{
	assert(table->records[record].until != UINT64_MAX);
	for (uint32_t child; (child = at * 2 + 1) < table->timer_count; at = child) {
		if (child + 1 < table->timer_count && is_sooner(table, table->timers[child + 1], table->timers[child]))
			child++;
		if (!is_sooner(table, table->timers[child], record))
			break;
		put_timer(table, at, table->timers[child]);
	}
	put_timer(table, at, record);
}

void lock_table_arm(struct lock_table *table, uint32_t record)
{
	assert(table->timer_count < table->record_count);
	assert(table->records[record].timer == LOCK_NO_RECORD && table->records[record].until != UINT64_MAX);
	rise(table, table->timer_count++, record);
}

void lock_table_disarm(struct lock_table *table, uint32_t record)
{
	uint32_t at = table->records[record].timer;
	if (at == LOCK_NO_RECORD)
		return;
	assert(table->timers[at] == record);
	table->records[record].timer = LOCK_NO_RECORD;
	uint32_t last = table->timers[--table->timer_count];
	if (last == record)
		return;
	if (at && is_sooner(table, last, table->timers[(at - 1) / 2]))
		rise(table, at, last);
	else
		sink(table, at, last);
}
