/* Chains of events: see parts.h. */
#include "race/parts.h"

#include <assert.h>

void chain_forget_all(struct races *races, uint64_t strands)
{
	uint32_t base = CLOCK_FAN;

	while (base < strands && base < 1u << 24)
		base *= CLOCK_FAN;
	races->chain_base = base;
	assert(base >= strands || base >= 1u << 24);
	races->chains.count = 0;
	vector_push(races->arena, &races->chains); /* NO_CHAIN */
	for (uint32_t k = 0; k < races->events.count; k++)
		races->events.at[k].list.count = 0;
}

/* ---- What is known ---- */

/* The strand's first event that ended that epoch or a later one; null: it has passed on nothing by a chain since. */
static const struct event *first_event(const struct races *races, uint32_t strand, uint32_t epoch)
{
	const struct strand_events *events = strand < races->events.count ? &races->events.at[strand] : NULL;
	uint32_t low = 0, high = events ? events->list.count : 0;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (events->list.at[middle].epoch < epoch)
			low = middle + 1;
		else
			high = middle;
	}
	assert(!low || events->list.at[low - 1].epoch < epoch);
	return events && low < events->list.count ? &events->list.at[low] : NULL;
}

enum clock_glance chain_glance(const struct races *races, vector_clock clock, uint32_t strand, uint32_t epoch)
{
	enum clock_glance own = clock_glance(clock, strand, epoch), chained;
	const struct event *event;

	if (own == CLOCK_HAS)
		return own;
	event = first_event(races, strand, epoch);
	chained = event ? clock_glance(clock, races->chain_base + event->chain, event->index) : CLOCK_LACKS;
	return chained == CLOCK_LACKS ? own : chained;
}

bool chain_knows(const struct races *races, vector_clock clock, uint32_t strand, uint32_t epoch)
{
	enum clock_glance glance = chain_glance(races, clock, strand, epoch);
	const struct event *event;

	assert(epoch);
	if (glance != CLOCK_UNSURE)
		return glance == CLOCK_HAS;
	if (clock_at(clock, strand) >= epoch)
		return true;
	event = first_event(races, strand, epoch);
	return event && clock_at(clock, races->chain_base + event->chain) >= event->index;
}

/* ---- Events ---- */

void chain_learned(const struct races *races, struct strand *u, const struct known *what)
{
	if (what->epoch && what->thread - races->chain_base < races->chains.count)
		u->chain = what->thread - races->chain_base;
}

static bool is_last(const struct races *races, vector_clock clock, uint32_t chain)
{
	assert(chain == NO_CHAIN || chain < races->chains.count);
	return chain != NO_CHAIN &&
	       clock_glance(clock, races->chain_base + chain, races->chains.at[chain]) == CLOCK_HAS;
}

/* The strand no longer holds the chain: the word's next thread continues it. */
static void let_go(struct strand *u, uint32_t chain)
{
	for (uint32_t h = 0; h < HELD_CHAINS; h++)
		if (u->held[h] == chain)
			u->held[h] = NO_CHAIN;
	if (u->chain == chain)
		u->chain = NO_CHAIN;
}

void chain_written(const struct races *races, struct strand *u, struct sync_word *w, const struct known *what,
	bool is_rmw, bool again)
{
	uint32_t chain = what->thread - races->chain_base;
	bool is_chain = what->epoch && chain < races->chains.count;

	assert(w->chain == NO_CHAIN || w->chain < races->chains.count);
	if (is_rmw && !again) {
		w->taken = true;
		if (w->chain != NO_CHAIN && w->chain != u->held[(u->held_next - 1) % HELD_CHAINS])
			u->held[u->held_next++ % HELD_CHAINS] = w->chain;
		return;
	}
	if (w->taken && again) {
		if (is_chain && (w->chain == NO_CHAIN || !is_last(races, what->clock, w->chain)))
			w->chain = chain;
		let_go(u, w->chain);
	}
	w->taken = false;
}

/* A chain of which the strand knows the last event; else a new one.  NO_CHAIN: there are too many, and the strand has
 * an entry of its own. */
static uint32_t chain_of(struct races *races, const struct strand *u)
{
	assert(races->chains.count); /* NO_CHAIN */
	for (uint32_t k = 1; k <= HELD_CHAINS; k++)
		if (is_last(races, u->knows.clock, u->held[(u->held_next - k) % HELD_CHAINS]))
			return u->held[(u->held_next - k) % HELD_CHAINS];
	if (is_last(races, u->knows.clock, u->chain))
		return u->chain;
	if (races->chains.count >= (CLOCK_FAN - 1) * (uint64_t)races->chain_base)
		return NO_CHAIN;
	vector_push(races->arena, &races->chains);
	return races->chains.count - 1;
}

static void note(struct races *races, uint32_t strand, struct event event)
{
	while (races->events.count <= strand)
		vector_push(races->arena, &races->events);
	assert(!races->events.at[strand].list.count ||
		event.epoch >= races->events.at[strand].list.at[races->events.at[strand].list.count - 1].epoch);
	*vector_push(races->arena, &races->events.at[strand].list) = event;
}

struct known chain_event(struct races *races, struct strand *u, uint32_t strand)
{
	uint32_t chain = chain_of(races, u), index;
	struct known now = u->knows;

	assert(u->epoch);
	clock_keep(now.clock);
	if (chain == NO_CHAIN) {
		known_mark(&races->clocks, &now, strand, u->epoch);
		return now;
	}
	index = ++races->chains.at[chain];
	note(races, strand, (struct event){.epoch = u->epoch, .chain = chain, .index = index});
	u->chain = chain;
	clock_drop(&races->clocks, now.clock);
	known_mark(&races->clocks, &u->knows, races->chain_base + chain, index); /* its later events include it */
	now = u->knows;
	clock_keep(now.clock);
	return now;
}
