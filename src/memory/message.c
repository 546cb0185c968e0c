/* Outboxes and inboxes.
 *
 * An outbox writes the messages of a quantum one behind another, chained by destination.  In the next quantum each
 * inbox copies what is for it into memory of its own, which is used again at once when a message is dropped: however
 * long messages wait, an outbox needs room for those of two quanta only, and what is read when a message is served lies
 * near what was read before. */
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

struct inbox {
	struct calendar calendar;
	struct calendar_item *free[SIZES]; /* rooms of messages that have been dropped */
	struct arena *arena;
};

struct inbox *inbox_create(struct arena *arena)
{
	struct inbox *inbox = arena_new(arena, struct inbox);
	inbox->arena = arena;
	return inbox;
}

static inline uint32_t size_of(const struct message *message)
{
	uint32_t units = ((uint32_t)sizeof *message + message->payload_bytes - 1) / UNIT;
	return units ? 32 - (uint32_t)__builtin_clz(units) : 0;
}

static __attribute__((noinline)) void make_rooms(struct inbox *inbox, uint32_t size)
{
	uint8_t *bytes = arena_alloc(inbox->arena, (size_t)TOGETHER * UNIT << size);
	for (uint32_t k = TOGETHER; k-- > 0;) {
		struct calendar_item *room = (struct calendar_item *)(void *)(bytes + ((size_t)k * UNIT << size));
		room->next = inbox->free[size];
		inbox->free[size] = room;
	}
}

static struct message *copy(struct inbox *inbox, const struct message *message)
{
	uint32_t size = size_of(message);
	if (!inbox->free[size])
		make_rooms(inbox, size);
	struct message *copy = (struct message *)inbox->free[size];
	inbox->free[size] = copy->due.next;
	if (size == 0)
		memcpy(copy, message, UNIT);
	else
		memcpy(copy, message, sizeof *message + message->payload_bytes);
	return copy;
}

/* A chain of messages, which is not empty. */
static void collect(struct inbox *inbox, const struct box *box, uint32_t place)
{
	while (place) {
		const struct message *sent = at_place(box, place);
		struct message *message;
		place = (uint32_t)(uintptr_t)sent->due.next;
		__builtin_prefetch(box->bytes + (uint64_t)place * 8);
		message = copy(inbox, sent);
		calendar_put(&inbox->calendar, &message->due);
	}
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

uint64_t inbox_time(struct inbox *inbox)
{
	const struct calendar_item *first = calendar_first(&inbox->calendar);
	return first ? first->time : UINT64_MAX;
}

const struct message *inbox_first(struct inbox *inbox)
{
	return (const struct message *)calendar_first(&inbox->calendar);
}

void inbox_drop(struct inbox *inbox)
{
	struct message *message = (struct message *)calendar_first(&inbox->calendar);
	uint32_t size = size_of(message);
	calendar_drop(&inbox->calendar);
	message->due.next = inbox->free[size];
	inbox->free[size] = &message->due;
}

uint32_t inbox_count(const struct inbox *inbox)
{
	return inbox->calendar.count;
}
