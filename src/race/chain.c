/* Chains of events: see parts.h. */
#include "race/parts.h"

void chain_forget_all(struct races *races, uint64_t strands)
{
	uint32_t base = CLOCK_FAN;

	while (base < strands && base < 1u << 24)
		base *= CLOCK_FAN;
	races->chain_base = base;
	races->chains.count = 0;
	for (uint32_t k = 0; k < races->events.count; k++)
		races->events.at[k].list.count = 0;
}

/* ---- What is known ---- */

/* The strand's first event in which that epoch ended, or a later one; null: it has handed on nothing by a chain since.
 */
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
	return events && low < events->list.count ? &events->list.at[low] : NULL;
}

bool chain_knows(const struct races *races, vector_clock clock, uint32_t strand, uint32_t epoch)
{
	const struct event *event;

	if (clock_at(clock, strand) >= epoch)
		return true;
	event = first_event(races, strand, epoch);
	return event && clock_at(clock, races->chain_base + event->chain) >= event->index;
}

/* ---- Events ---- */

void chain_learned(const struct races *races, struct strand *u, const struct known *what)
{
	if (what->thread != CLOCK_NO_THREAD && what->thread - races->chain_base < races->chains.count)
		u->chain = what->thread - races->chain_base;
}

static bool is_last(const struct races *races, const struct strand *u)
{
	return u->chain != NO_CHAIN &&
	       clock_at(u->knows.clock, races->chain_base + u->chain) == races->chains.at[u->chain];
}

/* The chain of which the strand knows the last event; else a new one.  NO_CHAIN: there are too many, and the strand has
 * an entry of its own. */
static uint32_t chain_of(struct races *races, const struct strand *u)
{
	if (is_last(races, u))
		return u->chain;
	if (races->chains.count >= (CLOCK_FAN - 1) * (uint64_t)races->chain_base)
		return NO_CHAIN;
	*vector_push(races->arena, &races->chains) = 0;
	return races->chains.count - 1;
}

static void note(struct races *races, uint32_t strand, struct event event)
{
	while (races->events.count <= strand)
		vector_push(races->arena, &races->events);
	*vector_push(races->arena, &races->events.at[strand].list) = event;
}

struct known chain_event(struct races *races, struct strand *u, uint32_t strand)
{
	uint32_t chain = chain_of(races, u);
	struct known now = {.clock = clock_keep(u->knows.clock), .thread = strand, .epoch = u->epoch};

	if (chain != NO_CHAIN) {
		now.thread = races->chain_base + chain;
		now.epoch = ++races->chains.at[chain];
		note(races, strand, (struct event){.epoch = u->epoch, .chain = chain, .index = now.epoch});
		u->chain = chain;
	}
	now.clock = clock_set(&races->clocks, now.clock, now.thread, 1, now.epoch);
	if (chain != NO_CHAIN) /* its later events are to have this one */
		known_become(&races->clocks, &u->knows, &now);
	return now;
}
