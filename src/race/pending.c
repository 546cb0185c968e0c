/* Joins of clocks that are made only when needed.
 *
 * Threads that pass a lock to each other learn very much that is never looked up: whether an access was before theirs,
 * they mostly see by the one event that the lock's last holder passed on.  So what a thread knows is at first a list of
 * what it learned, each with its event; and an event is such a list and its own number.  An epoch that the events do
 * not tell is looked up in the join of all, which is then made, first of what it depends on, and kept in place of the
 * list.
 */
#include "race/nodes.h"

#include <assert.h>
#include <string.h>

#define MOST_PARTS 256  /* more are joined */
#define MOST_LEARNED 16 /* see known_join_long */
#define MOST_TREES 4

/* ---- Memory ---- */

static struct pending_clock *pending_take(struct clock_pool *pool)
{
	struct pending_clock *p = pool->free_pending;

	if (p)
		pool->free_pending = p->next;
	else
		p = arena_new(pool->arena, struct pending_clock);
	*p = (struct pending_clock){.references = 1, .shift = PENDING, .thread = CLOCK_NO_THREAD, .pool = pool};
	pool->waiting++;
	return p;
}

struct free_parts {
	struct free_parts *next;
};

void *clock_memory(struct clock_pool *pool, uint32_t size)
{
	struct free_parts *parts = pool->free_list[size];

	assert(size < sizeof pool->free_list / sizeof *pool->free_list);
	if (!parts)
		return arena_alloc(pool->arena, (size_t)32 << size);
	pool->free_list[size] = parts->next;
	return parts;
}

void clock_give_back(struct clock_pool *pool, void *memory, uint32_t size)
{
	struct free_parts *parts = memory;

	assert(memory);
	assert(size < sizeof pool->free_list / sizeof *pool->free_list);
	parts->next = pool->free_list[size];
	pool->free_list[size] = parts;
}

static void parts_give_back(struct clock_pool *pool, struct pending_clock *p)
{
	if (p->part)
		clock_give_back(pool, p->part, p->size);
	p->part = NULL;
}

/* The parts of one that is dropped may be such clocks, too, and so on: as deep as the program ran long. */
void pending_drop(struct clock_pool *pool, struct pending_clock *p)
{
	struct pending_clock *first = p;

	p->next = NULL;
	while (first) {
		p = first;
		first = p->next;
		assert(!p->references);
		for (uint32_t k = 0; k < p->count; k++) {
			vector_clock clock = p->part[k].clock;

			if (!is_pending(clock)) {
				clock_drop(pool, clock);
			} else if (!--pending_of(clock)->references) {
				pending_of(clock)->next = first;
				first = pending_of(clock);
			}
		}
		if (p->joined)
			clock_drop(pool, p->joined);
		else
			pool->waiting--;
		parts_give_back(pool, p);
		p->next = pool->free_pending;
		pool->free_pending = p;
	}
}

/* ---- Parts ---- */

/* Makes room for `count` parts. */
static void make_room(struct pending_clock *p, uint32_t count)
{
	uint32_t size = p->size;
	struct known *more;

	assert(!p->joined);
	assert(p->count <= (p->part ? 2u << size : 0));
	if (count <= (p->part ? 2u << size : 0))
		return;
	while (2u << size < count)
		size++;
	more = clock_memory(p->pool, size);
	if (p->part)
		memcpy(more, p->part, p->count * sizeof *more);
	parts_give_back(p->pool, p);
	p->size = (uint8_t)size;
	p->part = more;
}

_Static_assert(2 * sizeof(struct known) == 32, "room for 2 << size parts is clock_memory of that size");

/* Several threads share a bit. */
static uint64_t bit_of(uint32_t thread)
{
	return (uint64_t)1 << (thread * 0x9e3779b1u >> 26);
}

/* Parts are in the order of their threads.  The place of the first that is not before the thread's. */
static uint32_t place_of(const struct pending_clock *p, uint32_t thread)
{
	uint32_t low = 0;

	assert(p->part || !p->count);
	for (uint32_t left = p->count; left;) {
		uint32_t half = left / 2;
		bool is_before = p->part[low + half].thread < thread;

		low += is_before ? half + 1 : 0;
		left = is_before ? left - half - 1 : half;
	}
	return low;
}

static bool has_clock(const struct pending_clock *p, vector_clock clock)
{
	for (uint32_t k = 0; k < p->count; k++)
		if (p->part[k].clock == clock)
			return true;
	return false;
}

/* Adds a part, and a reference to it; of a chain's events, the last is enough. */
static void add_part(struct pending_clock *p, const struct known *what)
{
	uint32_t at = place_of(p, what->thread);
	struct known *there = at < p->count ? &p->part[at] : NULL;

	assert(!p->joined);
	assert(what->clock != CLOCK_NOTHING);
	if (!is_pending(what->clock) && has_clock(p, what->clock))
		return;
	if (there && there->thread == what->thread && what->thread != CLOCK_NO_THREAD) {
		if (there->epoch >= what->epoch)
			return;
		p->trees = (uint16_t)(p->trees + !is_pending(what->clock) - !is_pending(there->clock));
		known_become(p->pool, there, what);
		return;
	}
	make_room(p, p->count + 1u);
	memmove(&p->part[at + 1], &p->part[at], (p->count - at) * sizeof *p->part);
	p->part[at] = *what;
	p->count++;
	p->trees = (uint16_t)(p->trees + !is_pending(what->clock));
	assert(p->trees <= p->count);
	if (what->thread != CLOCK_NO_THREAD)
		p->threads |= bit_of(what->thread);
	clock_keep(what->clock);
}

/* Adds what is known; of a list that is no event, its parts. */
static void absorb(struct pending_clock *p, const struct known *what)
{
	const struct pending_clock *other = is_pending(what->clock) ? pending_of(what->clock) : NULL;
	struct known part = *what;

	assert(!p->joined);
	if (what->clock == CLOCK_NOTHING)
		return;
	if (!part.epoch)
		part.thread = CLOCK_NO_THREAD;
	if (other && other->thread != CLOCK_NO_THREAD) {
		part.thread = other->thread;
		part.epoch = other->epoch;
	} else if (other && other->joined) {
		part.clock = other->joined;
	} else if (other) {
		for (uint32_t k = 0; k < other->count; k++)
			add_part(p, &other->part[k]);
		return;
	}
	add_part(p, &part);
}

/* The clock itself, if it may be added to and nothing else refers to it; else a new one with the same parts. */
static struct pending_clock *open(struct clock_pool *pool, const struct known *into)
{
	struct pending_clock *p = is_pending(into->clock) ? pending_of(into->clock) : NULL;

	if (p && p->references == 1 && !p->joined && p->thread == CLOCK_NO_THREAD)
		return p;
	p = pending_take(pool);
	absorb(p, into);
	clock_drop(pool, into->clock);
	assert(p->references == 1);
	return p;
}

static void settle_long(struct pending_clock *p)
{
	assert(p->trees <= p->count);
	if (p->count > MOST_PARTS || p->trees > MOST_TREES)
		pending_settle(p);
}

vector_clock pending_join(struct clock_pool *pool, const struct known *into, const struct known *other)
{
	struct pending_clock *p = open(pool, into);

	absorb(p, other);
	settle_long(p);
	return clock_of(p);
}

/* Keeps the given events that have not been joined, as parts, in the order of their threads and each thread once;
 * *count of them.  The others are absorbed. */
static void sort_events(struct pending_clock *p, struct known *part, uint32_t *count)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < *count; k++) {
		const struct pending_clock *event = is_pending(part[k].clock) ? pending_of(part[k].clock) : NULL;
		struct known now = part[k];
		uint32_t at = kept;

		if (!event || event->joined || event->thread == CLOCK_NO_THREAD) {
			absorb(p, &now);
			continue;
		}
		now.thread = event->thread;
		now.epoch = event->epoch;
		while (at && part[at - 1].thread > now.thread)
			at--;
		if (at && part[at - 1].thread == now.thread) {
			if (part[at - 1].epoch < now.epoch)
				part[at - 1] = now;
			continue;
		}
		memmove(&part[at + 1], &part[at], (kept - at) * sizeof *part);
		part[at] = now;
		kept++;
	}
	assert(kept <= *count);
	*count = kept;
}

/* Keeps those of whose threads the clock has no part; parts that it has may become them. */
static uint32_t new_threads(struct pending_clock *p, struct known *part, uint32_t count)
{
	uint32_t kept = 0, at = 0;

	for (uint32_t k = 0; k < count; k++) {
		while (at < p->count && p->part[at].thread < part[k].thread)
			at++;
		if (at == p->count || p->part[at].thread != part[k].thread)
			part[kept++] = part[k];
		else if (p->part[at].epoch < part[k].epoch)
			add_part(p, &part[k]);
	}
	assert(kept <= count);
	return kept;
}

vector_clock pending_join_all(struct clock_pool *pool, const struct known *into, struct known *part, uint32_t count)
{
	struct pending_clock *p = open(pool, into);
	uint32_t from, to;

	sort_events(p, part, &count);
	count = new_threads(p, part, count);
	from = p->count;
	to = from + count;
	make_room(p, to);
	p->count = (uint16_t)to;
	assert(to <= UINT16_MAX);
	while (count) { /* from the end, so that nothing is overwritten that is still to be moved */
		if (from && p->part[from - 1].thread > part[count - 1].thread) {
			p->part[--to] = p->part[--from];
			continue;
		}
		p->part[--to] = part[--count];
		p->threads |= bit_of(part[count].thread);
		clock_keep(part[count].clock);
	}
	settle_long(p);
	return clock_of(p);
}

vector_clock pending_event(struct clock_pool *pool, const struct known *into, uint32_t thread, uint32_t epoch)
{
	struct pending_clock *p = open(pool, into);
	assert(thread != CLOCK_NO_THREAD);
	assert(p->thread == CLOCK_NO_THREAD);
	assert(!p->joined);

	p->thread = thread;
	p->epoch = epoch;
	if (pool->waiting > CLOCKS_WAITING)
		pending_settle(p);
	return clock_of(p);
}

/* ---- What can be seen without joining ---- */

bool clock_is_joined(vector_clock clock)
{
	return !is_pending(clock) || pending_of(clock)->joined;
}

/* Whether a part is that event, or a later one of its chain. */
static bool has_part(const struct pending_clock *p, uint32_t thread, uint32_t epoch)
{
	uint32_t at;

	assert(!p->joined);
	if (!(p->threads & bit_of(thread)))
		return false;
	at = place_of(p, thread);
	return at < p->count && p->part[at].thread == thread && p->part[at].epoch >= epoch;
}

enum clock_glance clock_glance(vector_clock clock, uint32_t thread, uint32_t epoch)
{
	const struct pending_clock *p = is_pending(clock) ? pending_of(clock) : NULL;

	assert(!p || p->trees <= p->count);
	if (!p || p->joined)
		return clock_at(p ? p->joined : clock, thread) >= epoch ? CLOCK_HAS : CLOCK_LACKS;
	if ((p->thread == thread && p->epoch >= epoch) || has_part(p, thread, epoch))
		return CLOCK_HAS;
	for (uint32_t k = 0; k < p->count && p->trees; k++)
		if (!is_pending(p->part[k].clock) && clock_at(p->part[k].clock, thread) >= epoch)
			return CLOCK_HAS;
	return p->trees == p->count ? CLOCK_LACKS : CLOCK_UNSURE;
}

/* ---- Joining ---- */

static vector_clock with_own(const struct pending_clock *p, vector_clock into)
{
	assert(is_all(into) || !is_pending(into));
	if (p->thread == CLOCK_NO_THREAD || clock_at(into, p->thread) >= p->epoch)
		return into;
	return clock_set(p->pool, into, p->thread, 1, p->epoch);
}

/* The clock is that tree, whose reference is the caller's. */
static void become_joined(struct pending_clock *p, vector_clock tree)
{
	assert(!p->joined);
	assert(p->pool->waiting);
	assert(!is_all(tree));
	assert(!is_pending(tree));
	p->joined = tree;
	p->pool->waiting--;
	for (uint32_t k = 0; k < p->count; k++)
		clock_drop(p->pool, p->part[k].clock);
	parts_give_back(p->pool, p);
	p->count = p->trees = 0;
}

static struct pending_clock *unjoined_part(const struct pending_clock *p)
{
	for (uint32_t k = 0; k < p->count; k++)
		if (is_pending(p->part[k].clock) && !pending_of(p->part[k].clock)->joined)
			return pending_of(p->part[k].clock);
	return NULL;
}

/* First joins the clocks that it depends on, each once and for all; not by recursion, since they may be very many. */
vector_clock pending_settle(struct pending_clock *p)
{
	struct clock_pool *pool = p->pool;

	if (p->joined)
		return p->joined;
	pool->unsettled.count = 0;
	*vector_push(pool->arena, &pool->unsettled) = p;
	while (pool->unsettled.count) {
		struct pending_clock *top = pool->unsettled.at[pool->unsettled.count - 1], *part = unjoined_part(top);
		vector_clock joined = CLOCK_NOTHING;

		if (part) {
			*vector_push(pool->arena, &pool->unsettled) = part;
			continue;
		}
		pool->unsettled.count--;
		for (uint32_t k = 0; k < top->count; k++)
			joined = clock_join(pool, joined, top->part[k].clock);
		become_joined(top, with_own(top, joined));
	}
	assert(p->joined);
	assert(!p->count);
	return p->joined;
}

void known_join_long(const struct known *known)
{
	struct pending_clock *p = is_pending(known->clock) ? pending_of(known->clock) : NULL;

	if (p && p->thread == CLOCK_NO_THREAD && p->count > MOST_LEARNED)
		pending_settle(p);
}
