/* What is known with a thread, and what several threads have handed on. */
#include "race/nodes.h"

#include <string.h>

/* ---- What is known with a thread ---- */

bool known_is_in(vector_clock clock, const struct known *known)
{
	return known->thread != CLOCK_NO_THREAD && clock_glance(clock, known->thread, known->epoch) == CLOCK_HAS;
}

void known_become(struct clock_pool *pool, struct known *known, const struct known *what)
{
	vector_clock old = known->clock;

	*known = *what;
	clock_keep(what->clock);
	clock_drop(pool, old);
}

void known_forget(struct clock_pool *pool, struct known *known)
{
	clock_drop(pool, known->clock);
	*known = KNOWN_NOTHING;
}

bool known_join(struct clock_pool *pool, struct known *into, const struct known *other)
{
	if (other->clock == into->clock || other->clock == CLOCK_NOTHING || known_is_in(into->clock, other))
		return false;
	if (into->clock == CLOCK_NOTHING || known_is_in(other->clock, into)) {
		known_become(pool, into, other);
		return true;
	}
	into->clock = pending_join(pool, into, other);
	into->thread = CLOCK_NO_THREAD;
	return true;
}

void known_mark(struct clock_pool *pool, struct known *known, uint32_t thread, uint32_t epoch)
{
	known->clock = pending_event(pool, known, thread, epoch);
	known->thread = thread;
	known->epoch = epoch;
}

union known_parts {
	struct known part[KNOWLEDGE_PARTS];
	union known_parts *next_free;
};

static struct known *parts_take(struct clock_pool *pool)
{
	union known_parts *parts = pool->free_parts;

	if (!parts)
		return arena_new(pool->arena, union known_parts)->part;
	pool->free_parts = parts->next_free;
	return parts->part;
}

static void parts_drop(struct clock_pool *pool, struct known *part)
{
	union known_parts *parts = (union known_parts *)(void *)part;

	parts->next_free = pool->free_parts;
	pool->free_parts = parts;
}

void knowledge_add(struct clock_pool *pool, struct knowledge *into, const struct known *what)
{
	uint32_t kept = 0;

	if (what->clock == CLOCK_NOTHING)
		return;
	for (uint32_t k = 0; k < into->count; k++)
		if (into->part[k].clock == what->clock || known_is_in(into->part[k].clock, what))
			return;
	for (uint32_t k = 0; k < into->count; k++) {
		if (known_is_in(what->clock, &into->part[k]))
			clock_drop(pool, into->part[k].clock);
		else
			into->part[kept++] = into->part[k];
	}
	into->count = kept;
	if (kept == KNOWLEDGE_PARTS) {
		known_join(pool, &into->part[kept - 1], what);
		return;
	}
	if (!into->part)
		into->part = parts_take(pool);
	into->part[into->count++] = *what;
	clock_keep(what->clock);
}

void knowledge_join(struct clock_pool *pool, struct knowledge *into, const struct knowledge *other)
{
	for (uint32_t k = 0; k < other->count; k++)
		knowledge_add(pool, into, &other->part[k]);
}

void knowledge_become(struct clock_pool *pool, struct knowledge *knowledge, const struct knowledge *what)
{
	struct knowledge old = *knowledge;

	*knowledge = KNOWLEDGE_NOTHING;
	if (what->count) {
		knowledge->count = what->count;
		knowledge->part = parts_take(pool);
		memcpy(knowledge->part, what->part, what->count * sizeof *what->part);
	}
	for (uint32_t k = 0; k < what->count; k++)
		clock_keep(what->part[k].clock);
	knowledge_forget(pool, &old);
}

void knowledge_forget(struct clock_pool *pool, struct knowledge *knowledge)
{
	for (uint32_t k = 0; k < knowledge->count; k++)
		clock_drop(pool, knowledge->part[k].clock);
	if (knowledge->part)
		parts_drop(pool, knowledge->part);
	*knowledge = KNOWLEDGE_NOTHING;
}
