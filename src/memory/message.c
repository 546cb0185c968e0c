/* Outboxes and inboxes.
 *
 * An outbox writes the messages of a quantum one behind another into a batch, chained by destination.  A batch is used
 * again when its receivers have dropped all its messages; most are empty after two or three quanta.  Receivers may run
 * on other threads, so each counts what it drops in a word of its own, which only the sender reads. */
#include "memory/message.h"

#include <assert.h>
#include <string.h>

/* ---- Outbox ---- */

struct chain {
	uint64_t first, last; /* offsets plus one; the message's due.next holds the next one's until it is collected */
	uint32_t sent;
};

/* The messages of one quantum. */
struct batch {
	struct batch *next; /* older */
	uint8_t *bytes;
	uint64_t used, capacity;
	uint32_t count;
	struct chain *chains; /* per destination */
	uint32_t *dropped;    /* likewise */
};

struct outbox {
	struct arena *arena;
	uint32_t first, destinations; /* addresses it reaches */
	struct batch *all;            /* latest first */
	struct batch *next;           /* the next to check whether it is finished; null: the latest */
	struct batch *batch[2];       /* by parity */
	struct batch *current;
};

static struct batch *batch_create(struct outbox *outbox)
{
	struct batch *batch = arena_new(outbox->arena, struct batch);
	batch->chains = arena_new_array(outbox->arena, struct chain, outbox->destinations);
	batch->dropped = arena_new_array(outbox->arena, uint32_t, outbox->destinations);
	batch->capacity = 4096;
	batch->bytes = arena_alloc(outbox->arena, batch->capacity);
	batch->next = outbox->all;
	outbox->all = batch;
	return batch;
}

struct outbox *outbox_create(struct arena *arena, uint32_t first, uint32_t destinations)
{
	struct outbox *outbox = arena_new(arena, struct outbox);
	outbox->arena = arena;
	outbox->first = first;
	outbox->destinations = destinations;
	outbox->batch[0] = batch_create(outbox);
	outbox->batch[1] = batch_create(outbox);
	outbox->current = outbox->batch[0];
	return outbox;
}

static bool is_finished(const struct outbox *outbox, const struct batch *batch)
{
	for (uint32_t k = 0; batch->count && k < outbox->destinations; k++)
		if (__atomic_load_n(&batch->dropped[k], __ATOMIC_ACQUIRE) != batch->chains[k].sent)
			return false;
	return true;
}

static void batch_clear(const struct outbox *outbox, struct batch *batch)
{
	if (!batch->count)
		return;
	memset(batch->chains, 0, outbox->destinations * sizeof *batch->chains);
	memset(batch->dropped, 0, outbox->destinations * sizeof *batch->dropped);
	batch->used = 0;
	batch->count = 0;
}

/* Where messages wait for thousands of cycles there are as many batches: each time only the next few are checked. */
#define LOOKS 8

/* The batch of the last quantum is still to be collected. */
static struct batch *free_batch(struct outbox *outbox, const struct batch *last)
{
	for (uint32_t k = 0; k < LOOKS; k++) {
		struct batch *batch = outbox->next ? outbox->next : outbox->all;
		outbox->next = batch->next;
		if (batch != last && is_finished(outbox, batch))
			return batch;
	}
	return batch_create(outbox);
}

void outbox_begin(struct outbox *outbox, uint32_t parity)
{
	struct batch *batch = outbox->batch[parity];
	if (!is_finished(outbox, batch))
		batch = free_batch(outbox, outbox->batch[1 - parity]);
	batch_clear(outbox, batch);
	outbox->batch[parity] = outbox->current = batch;
}

uint32_t outbox_count(const struct outbox *outbox, uint32_t parity)
{
	return outbox->batch[parity]->count;
}

struct message *outbox_write(struct outbox *outbox, uint32_t payload_bytes)
{
	struct batch *batch = outbox->current;
	uint64_t end = batch->used + sizeof(struct message) + payload_bytes + 8;
	if (end > batch->capacity) {
		uint64_t capacity = end * 2;
		batch->bytes = arena_grow(outbox->arena, batch->bytes, batch->capacity, capacity);
		batch->capacity = capacity;
	}
	return (struct message *)(batch->bytes + batch->used);
}

void outbox_post(struct outbox *outbox, uint32_t destination, struct message *message)
{
	struct batch *batch = outbox->current;
	uint32_t index = destination - outbox->first;
	struct chain *chain = &batch->chains[index];
	uint64_t at = batch->used + 1;
	assert(index < outbox->destinations && message->payload_bytes % 8 == 0);
	assert((uint8_t *)message == batch->bytes + batch->used);
	batch->used += sizeof *message + message->payload_bytes;
	batch->count++;
	message->due.next = NULL;
	message->dropped = &batch->dropped[index];
	if (chain->sent++)
		((struct message *)(batch->bytes + chain->last - 1))->due.next = (struct calendar_item *)(uintptr_t)at;
	else
		chain->first = at;
	chain->last = at;
}

/* ---- Inbox ---- */

struct inbox {
	struct calendar calendar;
};

struct inbox *inbox_create(struct arena *arena)
{
	return arena_new(arena, struct inbox);
}

/* A chain, which begins at offset `at` less one. */
static __attribute__((noinline)) void collect(struct inbox *inbox, const struct batch *batch, uint64_t at)
{
	do {
		struct message *message = (struct message *)(batch->bytes + at - 1);
		at = (uint64_t)(uintptr_t)message->due.next;
		calendar_put(&inbox->calendar, &message->due);
	} while (at);
}

void inbox_collect(struct inbox *const *inboxes, uint32_t count, const struct outbox *outbox, uint32_t parity,
	uint32_t destination)
{
	const struct batch *batch = outbox->batch[parity];
	uint32_t index = destination - outbox->first;
	if (!batch->count)
		return;
	for (uint32_t k = 0; k < count; k++, index++)
		if (index < outbox->destinations && batch->chains[index].first)
			collect(inboxes[k], batch, batch->chains[index].first);
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
	uint32_t *dropped = ((struct message *)calendar_first(&inbox->calendar))->dropped;
	calendar_drop(&inbox->calendar);
	__atomic_store_n(dropped, *dropped + 1, __ATOMIC_RELEASE);
	if (inbox->calendar.first)
		__builtin_prefetch(inbox->calendar.first->next);
}

uint32_t inbox_count(const struct inbox *inbox)
{
	return inbox->calendar.count;
}
