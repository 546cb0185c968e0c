/* Lists of lock records by address, numbers, and the heap of times. */
#include "memory/lock_table.h"

#include <assert.h>

#define FIRST_ROOM 64 /* records; a multiple of 64 */

void lock_table_create(struct lock_table *table, struct arena *arena)
{
	*table = (struct lock_table){.arena = arena};
}

/* ---- Lists ---- */

static void clear_lists(struct lock_list *lists, uint32_t places)
{
	for (uint32_t k = 0; k < places; k++)
		lists[k].head = LOCK_NO_RECORD;
}

/* The address's place, or the free one where it would be; the table is never full. */
static uint32_t place_of(const struct lock_table *table, uint64_t address)
{
	assert(table->list_count < table->places);
	uint32_t at = (uint32_t)((address >> 2) * 0x9e3779b97f4a7c15ull >> 32) & (table->places - 1);
	while (table->lists[at].head != LOCK_NO_RECORD && table->lists[at].address != address)
		at = (at + 1) & (table->places - 1);
	return at;
}

/* At most half the places are taken. */
static void grow_lists(struct lock_table *table)
{
	struct lock_list *old = table->lists;
	uint32_t old_places = table->places;
	assert((old_places & (old_places - 1)) == 0);
	table->places = old_places ? old_places * 2 : FIRST_ROOM;
	table->lists = arena_new_array(table->arena, struct lock_list, table->places);
	clear_lists(table->lists, table->places);
	for (uint32_t k = 0; k < old_places; k++)
		if (old[k].head != LOCK_NO_RECORD)
			table->lists[place_of(table, old[k].address)] = old[k];
}

/* Frees a place, and moves back the lists that were put after it because it was taken. */
static void close_list(struct lock_table *table, uint32_t place)
{
	assert(table->list_count);
	assert(table->lists[place].head != LOCK_NO_RECORD);
	uint32_t mask = table->places - 1;
	table->list_count--;
	table->lists[place].head = LOCK_NO_RECORD;
	for (uint32_t at = (place + 1) & mask; table->lists[at].head != LOCK_NO_RECORD; at = (at + 1) & mask) {
		struct lock_list list = table->lists[at];
		table->lists[at].head = LOCK_NO_RECORD;
		table->lists[place_of(table, list.address)] = list;
	}
}

uint32_t lock_table_first(const struct lock_table *table, uint64_t address)
{
	return table->places ? table->lists[place_of(table, address)].head : LOCK_NO_RECORD;
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
	uint32_t number = take_number(table);
	if (table->list_count * 2 >= table->places)
		grow_lists(table);
	struct lock_list *list = &table->lists[place_of(table, record->address)];
	struct lock_record *r = &table->records[number];
	*r = *record;
	r->next = r->previous = r->timer = LOCK_NO_RECORD;
	if (list->head == LOCK_NO_RECORD) {
		*list = (struct lock_list){.address = record->address, .head = number};
		table->list_count++;
	} else {
		r->previous = list->tail;
		table->records[list->tail].next = number;
	}
	assert(table->list_count * 2 <= table->places);
	assert(table->list_count <= table->record_count);
	list->tail = number;
	return number;
}

/* Takes it out of a list that has others. */
static void unlink_record(struct lock_table *table, struct lock_list *list, const struct lock_record *r)
{
	assert(list->head != list->tail);
	if (r->previous == LOCK_NO_RECORD)
		list->head = r->next;
	else
		table->records[r->previous].next = r->next;
	if (r->next == LOCK_NO_RECORD)
		list->tail = r->previous;
	else
		table->records[r->next].previous = r->previous;
}

void lock_table_to_front(struct lock_table *table, uint32_t record)
{
	assert(lock_table_has(table, table->records[record].address, record));
	struct lock_record *r = &table->records[record];
	struct lock_list *list = &table->lists[place_of(table, r->address)];
	if (list->head == record)
		return;
	unlink_record(table, list, r);
	r->previous = LOCK_NO_RECORD;
	r->next = list->head;
	table->records[list->head].previous = record;
	list->head = record;
}

void lock_table_remove(struct lock_table *table, uint32_t record)
{
	assert(lock_table_has(table, table->records[record].address, record));
	struct lock_record *r = &table->records[record];
	uint32_t place = place_of(table, r->address);
	struct lock_list *list = &table->lists[place];
	lock_table_disarm(table, record);
	if (list->head == record && list->tail == record)
		close_list(table, place);
	else
		unlink_record(table, list, r);
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
