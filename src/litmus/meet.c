/* Which arrivals at barriers meet (8.9.4): the barriers' numbers are the values of their events.
 *
 * A barrier goes through rounds.  Each takes the next arrival of as many threads of the CTA as it needs; which threads,
 * when more come, is open, so all choices are tried.  What remains is fewer than a round needs.  When the barrier has
 * had a round they go on after it, as in Dartagnan's tests (PTX lets them wait for ever); when not, the execution has
 * no end. */
#include "litmus/barriers.h"
#include "litmus/execution.h"

struct meeting {
	struct litmus_execution *e;
	void (*found)(void *context);
	void *context;
	uint64_t *tries, limit; /* rounds that were tried; gives up at the limit */
};

static bool is_of(const struct litmus_execution *e, uint64_t event, uint64_t other)
{
	return litmus_same_cta(e->test, e->events[event].thread, e->events[other].thread) &&
	       e->values[event] == e->values[other];
}

/* Arrivals at the barrier of an event. */
static uint64_t arrivals_at(const struct litmus_execution *e, uint64_t event)
{
	uint64_t result = 0;
	EACH_EVENT(other, e->arrivals)
		result |= is_of(e, event, other) ? EVENT_BIT(other) : 0;
	return result;
}

/* Threads of the CTA that name the barrier, or come to it by a number in a register. */
static uint32_t count_users(const struct litmus_execution *e, uint64_t event, uint64_t arrivals)
{
	uint32_t threads = 0, count = 0;
	EACH_EVENT(other, arrivals)
		threads |= 1u << e->events[other].thread;
	for (uint32_t t = 0; t < e->test->threads.count; t++)
		count += (threads >> t & 1) || (litmus_same_cta(e->test, t, e->events[event].thread) &&
						       litmus_names_barrier(&e->test->threads.at[t], e->values[event]));
	return count;
}

/* The next arrival of each thread. */
static uint64_t next_arrivals(const struct litmus_execution *e, uint64_t open)
{
	uint64_t result = 0;
	EACH_EVENT(event, open) {
		uint64_t earlier = 0;
		EACH_EVENT(other, open)
			earlier |= relation_has(&e->program, other, event);
		result |= earlier ? 0 : EVENT_BIT(event);
	}
	return result;
}

/* Nobody waits for what comes only after him. */
static bool can_happen(const struct litmus_execution *e)
{
	struct relation all = e->program;
	for (uint32_t k = 0; k < e->count; k++)
		all.to[k] |= e->barrier.to[k];
	relation_close(&all, e->count);
	for (uint32_t k = 0; k < e->count; k++)
		EACH_EVENT(after, e->program.to[k])
			if (relation_has(&all, after, k))
				return false;
	return true;
}

static void meet(struct meeting *m, uint64_t open);

/* Those of `from` arrive before those of `to` go on. */
static void order(struct litmus_execution *e, uint64_t from, uint64_t to)
{
	EACH_EVENT(a, from)
		EACH_EVENT(b, to)
			if (e->events[a].thread != e->events[b].thread && !e->events[b].arrives)
				relation_add(&e->barrier, a, b);
}

/* Rounds of `needed` more of the arrivals in `choice`, with those of `round`. */
static void choose_round(struct meeting *m, uint64_t open, uint64_t choice, uint64_t round, uint32_t needed)
{
	struct relation kept = m->e->barrier;
	if (++*m->tries >= m->limit)
		return;
	if (needed > (uint32_t)__builtin_popcountll(choice))
		return;
	if (!needed) {
		order(m->e, round, round);
		meet(m, open & ~round);
		m->e->barrier = kept;
		return;
	}
	uint64_t first = choice & -choice;
	choose_round(m, open, choice & ~first, round | first, needed - 1);
	choose_round(m, open, choice & ~first, round, needed);
}

/* `open` arrivals are in no round yet. */
static void meet(struct meeting *m, uint64_t open)
{
	struct litmus_execution *e = m->e;
	if (!open) {
		if (can_happen(e))
			m->found(m->context);
		return;
	}
	uint64_t event = (uint64_t)__builtin_ctzll(open), all = arrivals_at(e, event), choice, rest = all & open;
	uint32_t needed = e->events[event].quorum ? e->events[event].quorum : count_users(e, event, all);
	choice = next_arrivals(e, rest);
	if ((uint32_t)__builtin_popcountll(choice) >= needed) {
		choose_round(m, open, choice, 0, needed);
	} else if (rest != all) {
		struct relation kept = e->barrier;
		order(e, all & ~rest, rest);
		meet(m, open & ~rest);
		e->barrier = kept;
	}
}

void litmus_meet(
	struct litmus_execution *e, void (*found)(void *context), void *context, uint64_t *tries, uint64_t limit)
{
	struct meeting m = {e, found, context, tries, limit};
	meet(&m, e->arrivals);
}
