/* Outboxes and inboxes.
 *
 * An outbox is one buffer of records, each a message and its payload, chained by destination.
 *
 * An inbox keeps each message in a slot of its own and orders small keys.  What one source sent comes in order, and an
 * inbox collects from one source after another, so the keys that have come since the last look are a few sorted runs. 
 * They are ordered only when somebody looks: by counting cycles when they lie close together, else neighbouring runs are merged
 * two by two; then the result is merged with what was still waiting.  It sorts any input, only slower. */
#include "memory/message.h"

#include <assert.h>
#include <string.h>

/* ---- Outbox ---- */

struct record {
	struct message message;
	uint64_t next; /* offset of the next record for the same destination, plus one; 0: last */
};

struct chain {
	uint64_t first, last; /* offsets plus one */
};

struct outbox {
	struct arena *arena;
	uint8_t *bytes;
	uint64_t used, capacity;
	uint32_t destinations;
	uint32_t count; /* messages */
	struct chain *chains;
};

struct outbox *outbox_create(struct arena *arena, uint32_t destinations)
{
	struct outbox *outbox = arena_new(arena, struct outbox);
	outbox->arena = arena;
	outbox->destinations = destinations;
	outbox->chains = arena_new_array(arena, struct chain, destinations);
	outbox->capacity = 16384;
	outbox->bytes = arena_alloc(arena, outbox->capacity);
	return outbox;
}

void outbox_clear(struct outbox *outbox)
{
	if (outbox->count == 0)
		return;
	memset(outbox->chains, 0, outbox->destinations * sizeof(*outbox->chains));
	outbox->used = 0;
	outbox->count = 0;
}

uint32_t outbox_count(const struct outbox *outbox)
{
	return outbox->count;
}

void *outbox_send(struct outbox *outbox, uint32_t destination, const struct message *message)
{
	assert(destination < outbox->destinations && message->payload_bytes % 8 == 0);
	uint64_t at = outbox->used, size = sizeof(struct record) + message->payload_bytes;
	if (at + size > outbox->capacity) {
		uint64_t capacity = outbox->capacity * 2 + size;
		outbox->bytes = arena_grow(outbox->arena, outbox->bytes, outbox->capacity, capacity);
		outbox->capacity = capacity;
	}
	outbox->used += size;
	outbox->count++;
	struct record *record = (struct record *)(outbox->bytes + at);
	record->message = *message;
	record->next = 0;
	struct chain *chain = &outbox->chains[destination];
	if (chain->last)
		((struct record *)(outbox->bytes + chain->last - 1))->next = at + 1;
	else
		chain->first = at + 1;
	chain->last = at + 1;
	return record + 1;
}

/* ---- Inbox ---- */

#define WINDOW 256 /* cycles: a few quanta */

struct key {
	uint64_t time, order; /* order: source, then sequence */
	struct message *message;
};

struct keys {
	struct key *at;
	uint32_t count, capacity;
};

/* Slots come in sizes 64 << class, reused by size. */
#define SLOT_CLASSES 12

struct slot {
	struct slot *next;
};

struct inbox {
	struct arena *arena;
	struct keys sorted; /* [first, count) still to come, in order */
	uint32_t first;
	struct keys fresh;   /* collected since the last look */
	struct keys scratch; /* merging goes through here */
	struct slot *free[SLOT_CLASSES];
};

struct inbox *inbox_create(struct arena *arena)
{
	struct inbox *inbox = arena_new(arena, struct inbox);
	inbox->arena = arena;
	return inbox;
}

static void keys_reserve(struct arena *arena, struct keys *keys, uint32_t count)
{
	if (count <= keys->capacity)
		return;
	uint32_t capacity = keys->capacity ? keys->capacity : 128;
	while (capacity < count)
		capacity *= 2;
	keys->at = arena_grow(arena, keys->at, keys->capacity * sizeof(struct key), capacity * sizeof(struct key));
	keys->capacity = capacity;
}

static uint32_t slot_class(uint32_t payload_bytes)
{
	uint64_t lines = (sizeof(struct message) + payload_bytes + 63) / 64;
	uint32_t class = lines <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(lines - 1);
	assert(class < SLOT_CLASSES);
	return class;
}

static struct message *slot_take(struct inbox *inbox, uint32_t payload_bytes)
{
	uint32_t class = slot_class(payload_bytes);
	if (!inbox->free[class]) {
		uint64_t size = 64ull << class, count = class < 4 ? 64 : 4;
		uint8_t *bytes = arena_alloc(inbox->arena, size * count);
		for (uint64_t k = count; k-- > 0;) {
			struct slot *slot = (struct slot *)(bytes + k * size);
			slot->next = inbox->free[class];
			inbox->free[class] = slot;
		}
	}
	struct slot *slot = inbox->free[class];
	inbox->free[class] = slot->next;
	return (struct message *)slot;
}

static void slot_give(struct inbox *inbox, struct message *message)
{
	uint32_t class = slot_class(message->payload_bytes);
	struct slot *slot = (struct slot *)message;
	slot->next = inbox->free[class];
	inbox->free[class] = slot;
}

static struct message *copy_of(struct inbox *inbox, const struct message *message, const void *payload)
{
	struct message *copy = slot_take(inbox, message->payload_bytes);
	*copy = *message;
	copy->borrowed = 0;
	copy->payload = copy->payload_bytes ? copy + 1 : NULL;
	if (copy->payload_bytes)
		if (copy->payload_bytes)
		memcpy(copy + 1, payload, copy->payload_bytes);
	return copy;
}

static void push_key(struct inbox *inbox, struct message *message)
{
	keys_reserve(inbox->arena, &inbox->fresh, inbox->fresh.count + 1);
	inbox->fresh.at[inbox->fresh.count++] = (struct key){
		.time = message->time, .order = (uint64_t)message->source << 32 | message->sequence, .message = message};
}

void inbox_collect(struct inbox *inbox, const struct outbox *outbox, uint32_t destination)
{
	for (uint64_t at = outbox->chains[destination].first; at;) {
		const struct record *record = (const struct record *)(outbox->bytes + at - 1);
		push_key(inbox, copy_of(inbox, &record->message, record + 1));
		at = record->next;
	}
}

void inbox_borrow(struct inbox *inbox, const struct outbox *outbox, uint32_t destination)
{
	for (uint64_t at = outbox->chains[destination].first; at;) {
		struct record *record = (struct record *)(outbox->bytes + at - 1);
		record->message.borrowed = 1;
		record->message.payload = record->message.payload_bytes ? record + 1 : NULL;
		push_key(inbox, &record->message);
		at = record->next;
	}
}

static void keep_all(struct inbox *inbox, struct key *at, const struct key *end)
{
	for (; at < end; at++)
		if (at->message->borrowed)
			at->message = copy_of(inbox, at->message, at->message->payload);
}

void inbox_keep(struct inbox *inbox)
{
	keep_all(inbox, inbox->fresh.at, inbox->fresh.at + inbox->fresh.count);
	keep_all(inbox, inbox->sorted.at + inbox->first, inbox->sorted.at + inbox->sorted.count);
}

static inline bool before(const struct key *a, const struct key *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

/* Merges [a, a_end) and [b, b_end) to `to`; returns the end of what was written. */
static struct key *merge(
	struct key *to, const struct key *a, const struct key *a_end, const struct key *b, const struct key *b_end)
{
	while (a < a_end && b < b_end)
		*to++ = before(b, a) ? *b++ : *a++;
	while (a < a_end)
		*to++ = *a++;
	while (b < b_end)
		*to++ = *b++;
	return to;
}

static const struct key *run_end(const struct key *at, const struct key *end)
{
	do
		at++;
	while (at < end && !before(at, at - 1));
	return at;
}

/* One pass of a natural merge sort from `from` to `to`; false when there was only one run, and nothing was moved. */
static bool merge_runs(const struct keys *from, struct key *to)
{
	const struct key *at = from->at, *end = from->at + from->count;
	if (run_end(at, end) == end)
		return false;
	while (at < end) {
		const struct key *middle = run_end(at, end);
		const struct key *stop = middle < end ? run_end(middle, end) : end;
		to = merge(to, at, middle, middle, stop);
		at = stop;
	}
	return true;
}

static void swap(struct keys *a, struct keys *b)
{
	struct keys c = *a;
	*a = *b;
	*b = c;
}

/* Counts the keys of each cycle from `first` on and places them in that order, which leaves only keys of one cycle to sort. */
static void place_by_time(const struct keys *from, struct keys *to, uint64_t first)
{
	uint32_t place[WINDOW + 1] = {0};
	for (uint32_t k = 0; k < from->count; k++)
		place[from->at[k].time - first + 1]++;
	for (uint32_t t = 0; t < WINDOW; t++)
		place[t + 1] += place[t];
	for (uint32_t k = 0; k < from->count; k++)
		to->at[place[from->at[k].time - first]++] = from->at[k];
	to->count = from->count;
}

static void insertion_sort(struct keys *keys)
{
	for (uint32_t k = 1; k < keys->count; k++) {
		struct key key = keys->at[k];
		uint32_t at = k;
		for (; at > 0 && before(&key, &keys->at[at - 1]); at--)
			keys->at[at] = keys->at[at - 1];
		keys->at[at] = key;
	}
}

/* What a quantum brings mostly arrives within a quantum's time. */
static bool within_window(const struct keys *keys, uint64_t *first)
{
	uint64_t low = keys->at[0].time, high = low;
	for (uint32_t k = 1; k < keys->count; k++) {
		low = keys->at[k].time < low ? keys->at[k].time : low;
		high = keys->at[k].time > high ? keys->at[k].time : high;
	}
	*first = low;
	return high - low < WINDOW;
}

static void sort_fresh(struct inbox *inbox)
{
	struct keys *fresh = &inbox->fresh, *scratch = &inbox->scratch;
	uint64_t first;
	if (fresh->count > 16 && within_window(fresh, &first)) {
		place_by_time(fresh, scratch, first);
		swap(fresh, scratch);
		insertion_sort(fresh);
		return;
	}
	while (merge_runs(fresh, scratch->at)) {
		scratch->count = fresh->count;
		swap(fresh, scratch);
		keys_reserve(inbox->arena, scratch, fresh->count + inbox->sorted.count);
	}
}

/* Brings what is fresh into the order.  Out of line: it happens once a quantum. */
static __attribute__((noinline)) void settle(struct inbox *inbox)
{
	struct keys *fresh = &inbox->fresh, *sorted = &inbox->sorted, *scratch = &inbox->scratch;
	keys_reserve(inbox->arena, scratch, fresh->count + sorted->count);
	sort_fresh(inbox);
	keys_reserve(inbox->arena, scratch, fresh->count + sorted->count);
	if (inbox->first == sorted->count) {
		swap(fresh, sorted);
	} else {
		struct key *end = merge(scratch->at, sorted->at + inbox->first, sorted->at + sorted->count, fresh->at,
			fresh->at + fresh->count);
		scratch->count = (uint32_t)(end - scratch->at);
		swap(scratch, sorted);
	}
	inbox->first = 0;
	fresh->count = 0;
}

uint64_t inbox_time(struct inbox *inbox)
{
	if (inbox->fresh.count)
		settle(inbox);
	return inbox->first == inbox->sorted.count ? UINT64_MAX : inbox->sorted.at[inbox->first].time;
}

const struct message *inbox_first(struct inbox *inbox)
{
	if (inbox->fresh.count)
		settle(inbox);
	if (inbox->first == inbox->sorted.count)
		return NULL;
	return inbox->sorted.at[inbox->first].message;
}

void inbox_drop(struct inbox *inbox)
{
	assert(!inbox->fresh.count && inbox->first < inbox->sorted.count);
	struct message *message = inbox->sorted.at[inbox->first++].message;
	if (!message->borrowed)
		slot_give(inbox, message);
	if (inbox->first + 2 < inbox->sorted.count)
		__builtin_prefetch(inbox->sorted.at[inbox->first + 2].message);
}

uint32_t inbox_count(const struct inbox *inbox)
{
	return inbox->sorted.count - inbox->first + inbox->fresh.count;
}
