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

#define FIRST_BYTES 4096
#define FIRST_ROOM 64

struct outbox *outbox_create(struct arena *arena, uint32_t first, uint32_t destinations)
{
	assert(destinations);
	struct outbox *outbox = arena_new(arena, struct outbox);
	outbox->arena = arena;
	outbox->first = first;
	outbox->destinations = destinations;
	for (uint32_t k = 0; k < 2; k++) {
		struct sent_box *box = &outbox->box[k];
		box->to = arena_new_array(arena, struct sent_chain, destinations);
		box->capacity = FIRST_BYTES;
		box->bytes = arena_alloc(arena, box->capacity);
		box->room = FIRST_ROOM;
		box->sent = arena_alloc(arena, box->room * sizeof *box->sent);
	}
	outbox->current = &outbox->box[0];
	return outbox;
}

void outbox_begin(struct outbox *outbox, uint32_t parity)
{
	assert(parity < 2);
	struct sent_box *box = &outbox->box[parity];
	outbox->current = box;
	if (!box->count)
		return;
	box->used = box->addressed = 0;
	box->count = 0;
	memset(box->to, 0, outbox->destinations * sizeof *box->to);
}

void outbox_grow(struct outbox *outbox, uint64_t bytes)
{
	struct sent_box *box = outbox->current;
	assert(bytes > box->capacity || box->count == box->room);
	if (bytes > box->capacity) {
		box->bytes = arena_grow(outbox->arena, box->bytes, box->capacity, 2 * bytes);
		box->capacity = 2 * bytes;
	}
	if (box->count == box->room) {
		size_t size = box->room * sizeof *box->sent;
		box->sent = arena_grow(outbox->arena, box->sent, size, 2 * size);
		box->room *= 2;
	}
}

/* ---- Inbox ---- */

#define UNIT 64u  /* bytes; room for a message is that times a power of two */
#define SIZES 12  /* such powers: the longest message has 65,575 bytes */
#define SPAN 256u /* cycles that are put in order at a time: more than a quantum, since few come much later */
#define FIRST_CAPACITY 32
#define FEW_WAITING 16 /* at most so many are put in order one by one */

/* What is put in order at a time: of each cycle the first of the waiting, its index plus one; 0: none. */
struct cycles {
	uint64_t used[SPAN / 64];
	uint32_t first[SPAN];
};

struct free_room {
	struct free_room *next;
};

struct inbox_rest {
	struct delivery *sorted;  /* 2 * capacity, and one more: inbox->next points into it */
	struct delivery *end;     /* behind the last in order */
	struct delivery *fresh;   /* in order, from here on: some may lie in outboxes */
	struct delivery *waiting; /* not in order: as they were collected */
	struct delivery *spare;
	uint32_t *after;               /* of each that waits, the next of the same cycle, as `first` in cycles */
	uint32_t waiting_count;        /* of those */
	uint32_t capacity;             /* messages in all, at most */
	uint64_t waiting_time;         /* the earliest of those that wait; UINT64_MAX: there are none */
	struct free_room *free[SIZES]; /* of messages that have been dropped */
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
	assert(inbox_count(inbox) == old);
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

uint32_t inbox_count(const struct inbox *inbox)
{
	assert(inbox->next <= inbox->rest->end);
	return (uint32_t)(inbox->rest->end - inbox->next) + inbox->rest->waiting_count;
}

/* A chain of messages, which is not empty. */
static void collect(struct inbox *inbox, const struct sent_box *box, uint32_t first)
{
	struct inbox_rest *rest = inbox->rest;
	uint64_t earliest = rest->waiting_time;
	struct delivery *to = rest->waiting + rest->waiting_count, *end = to + (rest->capacity - inbox_count(inbox));
	assert(first);
	for (uint32_t k = first; k;) {
		const struct sent sent = box->sent[k - 1];
		assert(k <= box->count);
		k = sent.next;
		if (to == end) {
			rest->waiting_count = (uint32_t)(to - rest->waiting);
			grow_inbox(inbox);
			to = rest->waiting + rest->waiting_count;
			end = to + rest->capacity / 2;
		}
		const uint8_t *message = box->bytes + sent.place * 8ull;
		__builtin_prefetch(message);
		__builtin_prefetch(message + 64); /* entries of an atomic */
		*to++ = (struct delivery){sent.time, (uintptr_t)message | DELIVERY_SENT};
		earliest = sent.time < earliest ? sent.time : earliest;
	}
	rest->waiting_count = (uint32_t)(to - rest->waiting);
	rest->waiting_time = earliest;
	inbox->order_time = 0;
}

void inbox_collect(struct inbox *const *inboxes, uint32_t count, const struct outbox *outbox, uint32_t parity,
	uint32_t destination)
{
	assert(parity < 2);
	const struct sent_box *box = &outbox->box[parity];
	uint32_t index = destination - outbox->first;
	if (!box->count)
		return;
	for (uint32_t k = 0; k < count; k++, index++)
		if (index < outbox->destinations && box->to[index].first)
			collect(inboxes[k], box, box->to[index].first);
}

/* ---- Order ---- */

/* Of the waiting, those that arrive less than SPAN cycles behind the earliest get into `cycles`; the others move to the
 * end of the spare ones, and how many these are is returned.  From the last to the first: so that each goes before
 * those of its cycle that were collected later. */
static uint32_t sort_by_cycle(struct inbox_rest *rest, uint64_t earliest)
{
	struct cycles *cycles = &rest->cycles;
	const struct delivery *waiting = rest->waiting;
	struct delivery *spare = rest->spare + rest->capacity;
	uint32_t *after = rest->after;
	rest->waiting_time = UINT64_MAX;
	for (uint32_t k = rest->waiting_count; k > 0; k--) {
		uint64_t time = waiting[k - 1].time, cycle = time - earliest;
		assert(time >= earliest);
		if (cycle >= SPAN) {
			*--spare = waiting[k - 1];
			rest->waiting_time = time < rest->waiting_time ? time : rest->waiting_time;
			continue;
		}
		cycles->used[cycle / 64] |= 1ull << cycle % 64;
		after[k - 1] = cycles->first[cycle];
		cycles->first[cycle] = k;
	}
	return (uint32_t)(rest->spare + rest->capacity - spare);
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
	assert(rest->end + rest->waiting_count <= rest->sorted + 2 * rest->capacity);
}

/* Takes those that arrive later than `time` from the end of those in order to before `end`, in the spare ones; returns
 * the first of them. */
static struct delivery *take_later(struct inbox *inbox, uint64_t time, struct delivery *end)
{
	struct inbox_rest *rest = inbox->rest;
	while (rest->end > inbox->next && rest->end[-1].time > time)
		*--end = *--rest->end;
	return end;
}

/* Appends what `cycles` has, with those from `later` to `later_end` between them. */
static struct delivery *merge(struct inbox_rest *rest, struct delivery *to, uint64_t earliest,
	const struct delivery *later, const struct delivery *later_end)
{
	assert(later <= later_end);
	struct cycles *cycles = &rest->cycles;
	const struct delivery *waiting = rest->waiting;
	const uint32_t *after = rest->after;
	for (uint32_t word = 0; word < SPAN / 64; word++) {
		for (uint64_t used = cycles->used[word]; used; used &= used - 1) {
			uint32_t cycle = word * 64 + (uint32_t)__builtin_ctzll(used), k = cycles->first[cycle];
			while (later < later_end && later->time <= earliest + cycle)
				*to++ = *later++;
			cycles->first[cycle] = 0;
			do
				*to++ = waiting[k - 1];
			while ((k = after[k - 1]));
		}
		cycles->used[word] = 0;
	}
	while (later < later_end)
		*to++ = *later++;
	return to;
}

/* Puts all that wait in order, one after another: what is in order already arrives earlier, mostly. */
static void insert_all(struct inbox *inbox)
{
	struct inbox_rest *rest = inbox->rest;
	assert(rest->waiting_count <= FEW_WAITING);
	const struct delivery *next = inbox->next;
	struct delivery *end = rest->end, *earliest = end;
	for (uint32_t k = 0; k < rest->waiting_count; k++) {
		const struct delivery waiting = rest->waiting[k];
		struct delivery *to = end++;
		for (; to > next && to[-1].time > waiting.time; to--)
			*to = to[-1];
		*to = waiting;
		earliest = to < earliest ? to : earliest;
	}
	*end = (struct delivery){UINT64_MAX, 0};
	rest->fresh = rest->fresh < earliest ? rest->fresh : earliest;
	rest->end = end;
	rest->waiting_count = 0;
	rest->waiting_time = inbox->order_time = UINT64_MAX;
}

/* What arrives in the same cycle stays in the order in which it was collected: what is in order already was collected
 * before all that waits and arrives then, since nothing of a cycle in order was left waiting. */
void inbox_order(struct inbox *inbox)
{
	struct inbox_rest *rest = inbox->rest;
	uint64_t earliest = rest->waiting_time;
	struct delivery *later, *later_end;
	uint32_t others;
	make_place(inbox);
	assert(rest->waiting_count);
	assert(rest->waiting_count <= rest->capacity);
	if (rest->waiting_count <= FEW_WAITING) {
		insert_all(inbox);
		return;
	}
	others = sort_by_cycle(rest, earliest);
	later_end = rest->spare + rest->capacity - others;
	later = take_later(inbox, earliest, later_end);
	rest->fresh = rest->fresh < rest->end ? rest->fresh : rest->end;
	rest->end = merge(rest, rest->end, earliest, later, later_end);
	*rest->end = (struct delivery){UINT64_MAX, 0};
	memcpy(rest->waiting, later_end, others * sizeof *rest->waiting);
	rest->waiting_count = others;
	inbox->order_time = rest->waiting_time;
}

/* ---- Rooms ---- */

static inline uint32_t size_of(const struct message *message)
{
	uint32_t units = ((uint32_t)sizeof *message + message->payload_bytes - 1) / UNIT;
	return units ? 32 - (uint32_t)__builtin_clz(units) : 0;
}

static void keep(struct inbox_rest *rest, struct delivery *delivery)
{
	const struct message *message = (const struct message *)(delivery->at - DELIVERY_SENT);
	uint32_t size = size_of(message);
	assert(delivery->at & DELIVERY_SENT);
	assert(size < SIZES);
	struct free_room *room = rest->free[size];
	if (room)
		rest->free[size] = room->next;
	else
		room = arena_alloc(rest->arena, (size_t)UNIT << size);
	memcpy(room, message, sizeof *message + message->payload_bytes);
	delivery->at = (uintptr_t)room;
}

static void keep_all(struct inbox_rest *rest, struct delivery *first, struct delivery *end)
{
	assert(first <= end);
	for (struct delivery *d = first; d < end; d++)
		if (d->at & DELIVERY_SENT)
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

void inbox_free(struct inbox *inbox, struct message *message)
{
	struct inbox_rest *rest = inbox->rest;
	uint32_t size = size_of(message);
	assert(size < SIZES);
	assert((uintptr_t)message % 8 == 0);
	struct free_room *room = (struct free_room *)(void *)message;
	room->next = rest->free[size];
	rest->free[size] = room;
}
