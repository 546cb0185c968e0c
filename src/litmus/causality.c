/* The orders of the memory model that do not depend on coherence: observation, synchronisation, causality. */
#include "litmus/barriers.h"
#include "litmus/execution.h"

/* 8.9.2: a write and a read that reads from it, both morally strong; and on through atomics. */
static void order_observations(struct litmus_execution *e)
{
	struct relation reads_from = {0};
	EACH_EVENT(read, e->reads)
		if (relation_has(&e->strong, e->source[read], read))
			relation_add(&reads_from, e->source[read], read);
	e->observed = reads_from;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t write = 0; write < e->count; write++)
			EACH_EVENT(read, e->observed.to[write]) {
				uint64_t on = e->events[read].atomic ? reads_from.to[read + 1] : 0;
				more |= on & ~e->observed.to[write];
				e->observed.to[write] |= on;
			}
	}
}

/* The first operations of the release patterns (8.8) that end with a write. */
static uint64_t releases_of(const struct litmus_execution *e, uint32_t write)
{
	uint64_t result = 0;
	if (!e->events[write].strong)
		return 0;
	for (uint32_t first = 0; first < e->count; first++) {
		bool fence = e->events[first].kind == LITMUS_FENCED;
		bool before =
			relation_has(&e->program, first, write) && (fence || relation_has(&e->strong, first, write));
		if (e->events[first].releases && (first == write || before))
			result |= EVENT_BIT(first);
	}
	return result;
}

/* The last operations of the acquire patterns that begin with a read. */
static uint64_t acquires_of(const struct litmus_execution *e, uint32_t read)
{
	uint64_t result = 0;
	if (!e->events[read].strong)
		return 0;
	for (uint32_t last = 0; last < e->count; last++) {
		bool fence = e->events[last].kind == LITMUS_FENCED;
		bool behind = relation_has(&e->program, read, last) && (fence || relation_has(&e->strong, read, last));
		if (e->events[last].acquires && (last == read || behind))
			result |= EVENT_BIT(last);
	}
	return result;
}

/* 8.9.4: a release pattern, whose write an acquire pattern's read observes; their ends are morally strong. */
static void synchronise(struct litmus_execution *e)
{
	EACH_EVENT(write, e->writes) {
		uint64_t firsts = e->observed.to[write] ? releases_of(e, (uint32_t)write) : 0;
		if (!firsts)
			continue;
		EACH_EVENT(read, e->observed.to[write]) {
			uint64_t lasts = acquires_of(e, (uint32_t)read);
			EACH_EVENT(first, firsts)
				e->base.to[first] |= lasts & e->strong.to[first];
		}
	}
}

/* 8.9.5, base causality: program order and synchronisation, and on.  Initial values are before all. */
static void order_base(struct litmus_execution *e)
{
	uint64_t all = e->count == RELATION_EVENTS ? UINT64_MAX : EVENT_BIT(e->count) - 1;
	e->base = e->program;
	synchronise(e);
	for (uint32_t k = 0; k < e->count; k++)
		e->base.to[k] |= e->fence_order.to[k] | e->barrier.to[k];
	relation_close(&e->base, e->count);
	for (uint32_t k = 0; k < e->test->locations.count; k++)
		e->base.to[k] = all & ~(EVENT_BIT(e->test->locations.count) - 1);
}

/* ---- Proxies ---- */

static bool same_cta(const struct litmus_execution *e, uint64_t a, uint64_t b)
{
	return litmus_same_cta(e->test, e->events[a].thread, e->events[b].thread);
}

/* From where on an access counts as one by the generic proxy: itself, or fences of its proxy and CTA behind it;
 * `after` false: up to where, and fences before it. */
static uint64_t generic_points(const struct litmus_execution *e, uint64_t event, bool after)
{
	uint64_t result = 0;
	if (e->events[event].proxy == LITMUS_GENERIC)
		return EVENT_BIT(event);
	EACH_EVENT(fence, e->proxy_fences)
		if (e->events[fence].proxy == e->events[event].proxy && same_cta(e, fence, event) &&
			(after ? relation_has(&e->base, event, fence) : relation_has(&e->base, fence, event)))
			result |= EVENT_BIT(fence);
	return result;
}

/* Base causality leads from one of `from` to one of `to`; by way of an alias fence. */
static bool is_linked(const struct litmus_execution *e, uint64_t from, uint64_t to, bool alias)
{
	EACH_EVENT(a, from) {
		if (!alias && (e->base.to[a] & to))
			return true;
		EACH_EVENT(fence, alias ? e->base.to[a] & e->proxy_fences : 0)
			if (e->events[fence].proxy == LITMUS_ALIAS && (e->base.to[fence] & to))
				return true;
	}
	return false;
}

/* 8.9.5, of two accesses of one location in base causality order: by the generic proxy to one address; by one proxy to
 * one address and in one CTA; or linked by proxy fences, which with two addresses include an alias fence. */
static bool is_preserved(const struct litmus_execution *e, uint64_t a, uint64_t b)
{
	const struct litmus_event *from = &e->events[a], *to = &e->events[b];
	bool same = from->address == to->address;
	if (same && from->proxy == to->proxy && (from->proxy == LITMUS_GENERIC || same_cta(e, a, b)))
		return true;
	uint64_t first = generic_points(e, a, true), last = generic_points(e, b, false);
	return (same && is_linked(e, first, last, false)) || is_linked(e, first, last, true);
}

/* Initial values are before all, by any proxy. */
static void order_preserved(struct litmus_execution *e)
{
	for (uint32_t from = 0; from < e->count; from++) {
		e->preserved.to[from] = e->base.to[from] & e->same.to[from];
		if (!e->test->proxies || e->events[from].thread == LITMUS_NOBODY)
			continue;
		EACH_EVENT(to, e->preserved.to[from])
			if (!is_preserved(e, from, to))
				e->preserved.to[from] &= ~EVENT_BIT(to);
	}
}

/* 8.9.5, causality: proxy-preserved base causality, or observation and then that. */
static void order_causality(struct litmus_execution *e)
{
	for (uint32_t from = 0; from < e->count; from++) {
		e->cause.to[from] = e->preserved.to[from];
		EACH_EVENT(read, e->observed.to[from])
			e->cause.to[from] |= e->preserved.to[read];
	}
}

/* Fence-SC: the order of fences is not against causality. */
static bool fences_agree(const struct litmus_execution *e)
{
	EACH_EVENT(fence, e->sc_fences)
		if (e->base.to[fence] & e->sc_fences & e->strong.to[fence] & ~e->fence_order.to[fence])
			return false;
	return true;
}

/* Causality, of reading: no read is before the write that it reads from. */
static bool reads_agree(const struct litmus_execution *e)
{
	EACH_EVENT(read, e->reads)
		if (relation_has(&e->cause, read, e->source[read]))
			return false;
	return true;
}

bool litmus_order_causes(struct litmus_execution *e)
{
	order_observations(e);
	order_base(e);
	if (!fences_agree(e))
		return false;
	order_preserved(e);
	order_causality(e);
	return reads_agree(e);
}
