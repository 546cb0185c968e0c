/* What is known with a thread, and what several threads have handed on. */
#include "race/nodes.h"

#include <assert.h>
#include <string.h>

/* ---- What is known with a thread ---- */

bool known_is_in(vector_clock clock, const struct known *known)
{
	return known->epoch && clock_glance(clock, known->thread, known->epoch) == CLOCK_HAS;
}

void known_become(struct clock_pool *pool, struct known *known, const struct known *what)
{
	assert(known != what);
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
	into->epoch = 0;
	assert(into->clock != CLOCK_NOTHING);
	return true;
}

bool known_join_all(struct clock_pool *pool, struct known *into, struct known *part, uint32_t count, struct known *last)
{
	uint32_t k = count;

	assert(count);
	while (k && (part[k - 1].clock == into->clock || known_is_in(into->clock, &part[k - 1])))
		k--;
	if (!k)
		return false;
	*last = part[k - 1];
	into->clock = pending_join_all(pool, into, part, k);
	into->epoch = 0;
	return true;
}

void known_mark(struct clock_pool *pool, struct known *known, uint32_t thread, uint32_t epoch)
{
	assert(epoch);
	known->clock = pending_event(pool, known, thread, epoch);
	known->thread = thread;
	known->epoch = epoch;
}

#define PARTS_SIZE 1 /* clock_memory */
_Static_assert(KNOWLEDGE_PARTS * sizeof(struct known) == (size_t)32 << PARTS_SIZE, "clock_memory of that size");

/* Has these parts, whose references it takes over, in place of what it had. */
static void set_parts(struct clock_pool *pool, struct knowledge *k, const struct known *part, uint32_t count)
{
	assert(count <= KNOWLEDGE_PARTS);
	assert(k->count <= KNOWLEDGE_PARTS);
	if (count > 1 && k->count <= 1)
		k->part = clock_memory(pool, PARTS_SIZE);
	else if (count <= 1 && k->count > 1)
		clock_give_back(pool, k->part, PARTS_SIZE);
	k->count = count;
	if (count)
		memcpy(count > 1 ? k->part : &k->one, part, count * sizeof *part);
}

void knowledge_add(struct clock_pool *pool, struct knowledge *into, const struct known *what)
{
	struct known parts[KNOWLEDGE_PARTS];
	uint32_t kept = 0;

	if (what->clock == CLOCK_NOTHING)
		return;
	EACH_PART(p, into)
		if (p->clock == what->clock || known_is_in(p->clock, what))
			return;
	EACH_PART(p, into) {
		if (known_is_in(what->clock, p))
			clock_drop(pool, p->clock);
		else
			parts[kept++] = *p;
	}
	assert(kept <= into->count);
	if (kept == KNOWLEDGE_PARTS) {
		known_join(pool, &parts[kept - 1], what);
	} else {
		parts[kept++] = *what;
		clock_keep(what->clock);
	}
	set_parts(pool, into, parts, kept);
}

void knowledge_join(struct clock_pool *pool, struct knowledge *into, const struct knowledge *other)
{
	assert(into != other);
	EACH_PART(p, other)
		knowledge_add(pool, into, p);
}

void knowledge_become(struct clock_pool *pool, struct knowledge *knowledge, const struct knowledge *what)
{
	assert(knowledge != what);
	EACH_PART(p, what)
		clock_keep(p->clock);
	EACH_PART(p, knowledge)
		clock_drop(pool, p->clock);
	set_parts(pool, knowledge, knowledge_part(what), what->count);
}

void knowledge_forget(struct clock_pool *pool, struct knowledge *knowledge)
{
	EACH_PART(p, knowledge)
		clock_drop(pool, p->clock);
	set_parts(pool, knowledge, NULL, 0);
}
