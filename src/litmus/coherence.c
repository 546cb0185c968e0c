/* The coherence orders of one location (8.9.6), and the axioms that speak of them: Coherence, Atomicity,
 * Sequential Consistency per Location, Causality (8.10).
 *
 * The order is partial: it relates writes that are morally strong or in causality order, and what follows; writes that
 * race are not related.  Each of the axioms is about one location when the causality order is known, so locations are
 * looked at one by one. */
#include "litmus/execution.h"

struct search {
	struct litmus_execution *e;
	uint64_t writes, reads; /* of the location */
	int32_t *last;
	uint32_t count;
};

/* The writes that are after the one that a read reads from: from-reads. */
static uint64_t overwrites(const struct search *s, const struct relation *coherence, uint64_t read)
{
	return coherence->to[s->e->source[read]];
}

/* An atomic that reads what a write overwrites, and is after that write. */
static bool is_atomic(const struct search *s, const struct relation *coherence)
{
	EACH_EVENT(read, s->reads) {
		uint64_t between = overwrites(s, coherence, read) & s->e->strong.to[read];
		if (!s->e->events[read].atomic)
			continue;
		EACH_EVENT(write, between & s->e->strong.to[read + 1])
			if (relation_has(coherence, write, read + 1))
				return false;
	}
	return true;
}

/* Communication that is morally strong does not contradict program order.  Where all strong operations of the location
 * are morally strong with each other, the axioms above imply it; with scopes that leave some out they do not
 * (tests/litmus/corr-scopes.litmus). */
static bool is_sequential(const struct search *s, const struct relation *coherence)
{
	const struct litmus_execution *e = s->e;
	struct relation r = {0};
	EACH_EVENT(event, s->writes | s->reads)
		r.to[event] = e->program.to[event] & e->same.to[event] & e->strong.to[event];
	EACH_EVENT(write, s->writes)
		r.to[write] |= coherence->to[write] & e->strong.to[write];
	EACH_EVENT(read, s->reads) {
		r.to[read] |= overwrites(s, coherence, read) & e->strong.to[read];
		if (relation_has(&e->strong, e->source[read], read))
			relation_add(&r, e->source[read], read);
	}
	relation_close(&r, e->count);
	return relation_is_order(&r, e->count);
}

/* No read reads what is overwritten by a write that is before the read. */
static bool is_causal(const struct search *s, const struct relation *coherence)
{
	EACH_EVENT(read, s->reads)
		EACH_EVENT(write, overwrites(s, coherence, read))
			if (relation_has(&s->e->cause, write, read))
				return false;
	return true;
}

/* Any write that none is after may be the last. */
static void add_last(struct search *s, const struct relation *coherence)
{
	EACH_EVENT(write, s->writes) {
		uint32_t k = 0;
		if (coherence->to[write])
			continue;
		while (k < s->count && s->last[k] != s->e->values[write])
			k++;
		s->last[k] = s->e->values[write];
		s->count += k == s->count;
	}
}

/* Two morally strong writes that are not ordered yet; false when there are none. */
static bool find_open(const struct search *s, const struct relation *coherence, uint64_t *left, uint64_t *right)
{
	EACH_EVENT(a, s->writes)
		EACH_EVENT(b, s->writes & s->e->strong.to[a] & ~coherence->to[a])
			if (!relation_has(coherence, b, a)) {
				*left = a;
				*right = b;
				return true;
			}
	return false;
}

static void try_orders(struct search *s, struct relation coherence)
{
	uint64_t left, right;
	if (s->e->orders == s->e->orders_limit)
		return;
	s->e->orders++;
	relation_close(&coherence, s->e->count);
	if (!relation_is_order(&coherence, s->e->count))
		return;
	/* What is broken stays broken when more is ordered. */
	if (!is_atomic(s, &coherence) || !is_causal(s, &coherence) || !is_sequential(s, &coherence))
		return;
	if (!find_open(s, &coherence, &left, &right)) {
		add_last(s, &coherence);
		return;
	}
	relation_add(&coherence, left, right);
	try_orders(s, coherence);
	coherence.to[left] &= ~EVENT_BIT(right);
	relation_add(&coherence, right, left);
	try_orders(s, coherence);
}

uint32_t litmus_last_values(struct litmus_execution *e, uint32_t location, int32_t last[RELATION_EVENTS])
{
	struct search s = {.e = e, .last = last};
	struct relation coherence = {0};
	for (uint32_t k = 0; k < e->count; k++) {
		uint64_t bit = e->events[k].location == location ? EVENT_BIT(k) : 0;
		s.reads |= bit & e->reads;
		s.writes |= bit & e->writes;
	}
	/* Coherence: causality orders writes. */
	EACH_EVENT(write, s.writes)
		coherence.to[write] = e->cause.to[write] & s.writes;
	try_orders(&s, coherence);
	return s.count;
}
