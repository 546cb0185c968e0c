/* Outboxes and inboxes.
 *
 * An outbox writes the messages of a quantum one behind another, chained by destination.  In the next quantum each
 * inbox goes once through what is for it, and sorts times and addresses.  What it has not dropped by the end it copies
 * into memory of its own, which is used again at once when a message is dropped: however long messages wait, an outbox
 * needs room for those of two quanta only. */
#include "memory/message.h"

#include <assert.h>
#include <string.h>

/* ---- Outbox ---- */

/* The messages of one quantum.  Places are in units of 8 bytes, plus one; 0: none. */
struct box {
	uint32_t *first, *last; /* per destination: places; a message's due.next is that of the next one */
	uint8_t *bytes;
	uint64_t used, capacity;
	uint64_t addressed; /* see outbox_addressed */
	uint32_t count;
};

struct outbox {
	struct box *current;
	struct box box[2];            /* by parity */
	uint32_t first, destinations; /* addresses it reaches */
	struct arena *arena;
};

#define SLACK 64 /* bytes behind the last message, which may be read with it */

struct outbox *outbox_create(struct arena *arena, uint32_t first, uint32_t destinations)
{
	struct outbox *outbox = arena_new(arena, struct outbox);
	outbox->arena = arena;
	outbox->first = first;
	outbox->destinations = destinations;
	for (uint32_t k = 0; k < 2; k++) {
		struct box *box = &outbox->box[k];
		box->first = arena_new_array(arena, uint32_t, destinations);
		box->last = arena_new_array(arena, uint32_t, destinations);
		box->capacity = 4096;
		box->bytes = arena_alloc(arena, box->capacity);
	}
	outbox->current = &outbox->box[0];
	return outbox;
}

void outbox_begin(struct outbox *outbox, uint32_t parity)
{
	struct box *box = &outbox->box[parity];
	outbox->current = box;
	if (!box->count)
		return;
	memset(box->first, 0, outbox->destinations * sizeof *box->first);
	box->used = 0;
	box->addressed = 0;
	box->count = 0;
}

uint32_t outbox_count(const struct outbox *outbox, uint32_t parity)
{
	return outbox->box[parity].count;
}

uint64_t outbox_addressed(const struct outbox *outbox)
{
	return outbox->current->addressed;
}

static __attribute__((noinline)) void grow(struct outbox *outbox, struct box *box, uint64_t bytes)
{
	box->bytes = arena_grow(outbox->arena, box->bytes, box->capacity, bytes);
	box->capacity = bytes;
}

struct message *outbox_write(struct outbox *outbox, uint32_t payload_bytes)
{
	struct box *box = outbox->current;
	uint64_t end = box->used + sizeof(struct message) + payload_bytes + SLACK;
	if (end > box->capacity)
		grow(outbox, box, 2 * end);
	return (struct message *)(box->bytes + box->used);
}

static struct message *at_place(const struct box *box, uint32_t place)
{
	return (struct message *)(box->bytes + (uint64_t)(place - 1) * 8);
}

void outbox_post(struct outbox *outbox, uint32_t destination, struct message *message)
{
	struct box *box = outbox->current;
	uint32_t index = destination - outbox->first, place = (uint32_t)(box->used / 8) + 1;
	assert(index < outbox->destinations && message->payload_bytes % 8 == 0);
	assert((uint8_t *)message == box->bytes + box->used);
	box->used += sizeof *message + message->payload_bytes;
	box->count++;
	message->due.next = NULL;
	if (box->first[index]) {
		at_place(box, box->last[index])->due.next = (struct calendar_item *)(uintptr_t)place;
	} else {
		box->first[index] = place;
		box->addressed |= address_bit(destination);
	}
	box->last[index] = place;
}

/* ---- Inbox ---- */

#define UNIT 64u    /* bytes; room for a message is that times a power of two */
#define SIZES 12    /* such powers: the longest message has 65,575 bytes */
#define TOGETHER 32 /* rooms of one size that are made at a time */
#define SPAN 256u   /* cycles that are put in order at a time: more than a quantum, since few come much later */
#define FIRST_CAPACITY 32
#define IN_OUTBOX ((uintptr_t)1) /* the bit of delivery.at */

/* What is put in order at a time: of each cycle the first and the last of the waiting, as indices. */
struct cycles {
	uint64_t used[SPAN / 64];
	uint32_t first[SPAN], last[SPAN];
};

struct inbox_rest {
	struct delivery *sorted;  /* 2 * capacity, and one more: inbox->next points into it */
	struct delivery *end;     /* behind the last in order */
	struct delivery *fresh;   /* in order, from here on: some may lie in outboxes */
	struct delivery *waiting; /* not in order: as they were collected */
	struct delivery *spare;
	uint32_t *after;        /* of each that waits, the next of the same cycle */
	uint32_t waiting_count; /* of those */
	uint32_t count;         /* messages in all: at most */
	uint32_t capacity;
	uint64_t waiting_time;             /* the earliest of those that wait; UINT64_MAX: there are none */
	struct calendar_item *free[SIZES]; /* rooms of messages that have been dropped */
	struct arena *arena;
	struct cycles cycles;
};

struct inbox *inbox_create(struct arena *arena)
{
	struct inbox *inbox = arena_new(arena, struct inbox);
	struct inbox_rest *rest = arena_new(arena, struct inbox_rest);
	rest->arena = arena;
	rest->capacity = FIRST_CAPACITY;
	rest->sorted = rest->end = rest->fresh = arena_new_array(arena, struct delivery, 2 * FIRST_CAPACITY + 1);
	rest->spare = arena_new_array(arena, struct delivery, FIRST_CAPACITY);
	rest->waiting = arena_new_array(arena, struct delivery, FIRST_CAPACITY);
	rest->after = arena_new_array(arena, uint32_t, FIRST_CAPACITY);
	rest->end->time = rest->waiting_time = inbox->order_time = UINT64_MAX;
	inbox->rest = rest;
	inbox->next = rest->sorted;
	return inbox;
}

static struct delivery *grow_deliveries(
	struct inbox_rest *rest, struct delivery *at, uint32_t old_count, uint32_t count)
{
	return arena_grow(rest->arena, at, old_count * sizeof *at, count * sizeof *at);
}

static __attribute__((noinline)) void grow_inbox(struct inbox *inbox)
{
	struct inbox_rest *rest = inbox->rest;
	uint32_t old = rest->capacity, capacity = 2 * old;
	ptrdiff_t next = inbox->next - rest->sorted, end = rest->end - rest->sorted, fresh = rest->fresh - rest->sorted;
	rest->sorted = grow_deliveries(rest, rest->sorted, 2 * old + 1, 2 * capacity + 1);
	rest->spare = grow_deliveries(rest, rest->spare, old, capacity);
	rest->waiting = grow_deliveries(rest, rest->waiting, old, capacity);
	rest->after = arena_grow(rest->arena, rest->after, old * sizeof *rest->after, capacity * sizeof *rest->after);
	rest->capacity = capacity;
	inbox->next = rest->sorted + next;
	rest->end = rest->sorted + end;
	rest->fresh = rest->sorted + fresh;
}

/* A chain of messages, which is not empty. */
static void collect(struct inbox *inbox, const struct box *box, uint32_t place)
{
	struct inbox_rest *rest = inbox->rest;
	uint64_t earliest = rest->waiting_time;
	while (place) {
		const struct message *sent = at_place(box, place);
		uint64_t time = sent->due.time;
		place = (uint32_t)(uintptr_t)sent->due.next;
		__builtin_prefetch(box->bytes + (uint64_t)place * 8);
		if (rest->count == rest->capacity)
			grow_inbox(inbox);
		rest->count++;
		rest->waiting[rest->waiting_count++] = (struct delivery){time, (uintptr_t)sent | IN_OUTBOX};
		earliest = time < earliest ? time : earliest;
	}
	rest->waiting_time = earliest;
	inbox->order_time = 0;
}

void inbox_collect(struct inbox *const *inboxes, uint32_t count, const struct outbox *outbox, uint32_t parity,
	uint32_t destination)
{
	const struct box *box = &outbox->box[parity];
	uint32_t index = destination - outbox->first;
	if (!box->count)
		return;
	for (uint32_t k = 0; k < count; k++, index++)
		if (index < outbox->destinations && box->first[index])
			collect(inboxes[k], box, box->first[index]);
}

/* ---- Order ---- */

/* Of the waiting, those that arrive less than SPAN cycles behind the earliest get into `cycles`; the others move to the
 * front of the spare ones, and how many these are is returned. */
static uint32_t sort_by_cycle(struct inbox_rest *rest, uint64_t earliest)
{
	struct cycles *cycles = &rest->cycles;
	uint32_t others = 0;
	rest->waiting_time = UINT64_MAX;
	for (uint32_t k = 0; k < rest->waiting_count; k++) {
		uint64_t time = rest->waiting[k].time, cycle = time - earliest, bit = 1ull << cycle % 64;
		if (cycle >= SPAN) {
			rest->spare[others++] = rest->waiting[k];
			rest->waiting_time = time < rest->waiting_time ? time : rest->waiting_time;
			continue;
		}
		if (cycles->used[cycle / 64] & bit)
			rest->after[cycles->last[cycle]] = k;
		else
			cycles->first[cycle] = k;
		cycles->used[cycle / 64] |= bit;
		cycles->last[cycle] = k;
	}
	return others;
}

/* Room for all that wait behind those in order. */
static void make_place(struct inbox *inbox)
{
	struct inbox_rest *rest = inbox->rest;
	size_t count = (size_t)(rest->end - inbox->next);
	if (rest->end + rest->waiting_count <= rest->sorted + 2 * rest->capacity)
		return;
	memmove(rest->sorted, inbox->next, count * sizeof *rest->sorted);
	rest->fresh = rest->fresh > inbox->next ? rest->fresh - (inbox->next - rest->sorted) : rest->sorted;
	inbox->next = rest->sorted;
	rest->end = rest->sorted + count;
}

/* Takes those that arrive later than `time` from the end of those in order to the end of the spare ones; returns the
 * first of them. */
static struct delivery *take_later(struct inbox *inbox, uint64_t time)
{
	struct inbox_rest *rest = inbox->rest;
	struct delivery *at = rest->spare + rest->capacity;
	while (rest->end > inbox->next && rest->end[-1].time > time)
		*--at = *--rest->end;
	return at;
}

/* Appends what `cycles` has, with those from `later` to the end of the spare ones between them. */
static struct delivery *merge(
	struct inbox_rest *rest, struct delivery *to, uint64_t earliest, const struct delivery *later)
{
	struct cycles *cycles = &rest->cycles;
	const struct delivery *later_end = rest->spare + rest->capacity;
	for (uint32_t word = 0; word < SPAN / 64; word++) {
		for (uint64_t used = cycles->used[word]; used; used &= used - 1) {
			uint32_t cycle = word * 64 + (uint32_t)__builtin_ctzll(used);
			while (later < later_end && later->time <= earliest + cycle)
				*to++ = *later++;
			for (uint32_t k = cycles->first[cycle];; k = rest->after[k]) {
				*to++ = rest->waiting[k];
				if (k == cycles->last[cycle])
					break;
			}
		}
		cycles->used[word] = 0;
	}
	while (later < later_end)
		*to++ = *later++;
	return to;
}

/* What arrives in the same cycle stays in the order in which it was collected: what is in order already was collected
 * before all that waits and arrives then, since nothing of a cycle in order was left waiting. */
void inbox_order(struct inbox *inbox)
{
	struct inbox_rest *rest = inbox->rest;
	uint64_t earliest = rest->waiting_time;
	struct delivery *later;
	uint32_t others;
	make_place(inbox);
	others = sort_by_cycle(rest, earliest);
	later = take_later(inbox, earliest);
	rest->fresh = rest->fresh < rest->end ? rest->fresh : rest->end;
	rest->end = merge(rest, rest->end, earliest, later);
	*rest->end = (struct delivery){UINT64_MAX, 0};
	memcpy(rest->waiting, rest->spare, others * sizeof *rest->waiting);
	rest->waiting_count = others;
	inbox->order_time = rest->waiting_time;
}

/* ---- Rooms ---- */

static inline uint32_t size_of(const struct message *message)
{
	uint32_t units = ((uint32_t)sizeof *message + message->payload_bytes - 1) / UNIT;
	return units ? 32 - (uint32_t)__builtin_clz(units) : 0;
}

static __attribute__((noinline)) void make_rooms(struct inbox_rest *rest, uint32_t size)
{
	uint8_t *bytes = arena_alloc(rest->arena, (size_t)TOGETHER * UNIT << size);
	for (uint32_t k = TOGETHER; k-- > 0;) {
		struct calendar_item *room = (struct calendar_item *)(void *)(bytes + ((size_t)k * UNIT << size));
		room->next = rest->free[size];
		rest->free[size] = room;
	}
}

static void keep(struct inbox_rest *rest, struct delivery *delivery)
{
	const struct message *message = (const struct message *)(delivery->at - IN_OUTBOX);
	uint32_t size = size_of(message);
	if (!rest->free[size])
		make_rooms(rest, size);
	struct message *room = (struct message *)rest->free[size];
	rest->free[size] = room->due.next;
	memcpy(room, message, sizeof *message + message->payload_bytes);
	delivery->at = (uintptr_t)room;
}

static void keep_all(struct inbox_rest *rest, struct delivery *first, struct delivery *end)
{
	for (struct delivery *d = first; d < end; d++)
		if (d->at & IN_OUTBOX)
			keep(rest, d);
}

void inbox_keep(struct inbox *inbox)
{
	struct inbox_rest *rest = inbox->rest;
	struct delivery *next = rest->sorted + (inbox->next - rest->sorted);
	keep_all(rest, rest->fresh > next ? rest->fresh : next, rest->end);
	keep_all(rest, rest->waiting, rest->waiting + rest->waiting_count);
	rest->fresh = rest->end;
}

static __attribute__((noinline)) void free_room(struct inbox_rest *rest, struct message *message)
{
	uint32_t size = size_of(message);
	message->due.next = rest->free[size];
	rest->free[size] = &message->due;
}

void inbox_drop(struct inbox *inbox)
{
	uintptr_t at = inbox->next->at;
	inbox->next++;
	inbox->rest->count--;
	if (!(at & IN_OUTBOX))
		free_room(inbox->rest, (struct message *)at);
}

uint32_t inbox_count(const struct inbox *inbox)
{
	return inbox->rest->count;
}
