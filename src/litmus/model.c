/* Goes through the candidate executions of a test and keeps the ends of those that the axioms allow. */
#include "litmus/model.h"

#include "litmus/execution.h"
#include "litmus/races.h"

/* Candidates after which it is given up: some seconds; and a part of a second, for loops that go back once more. */
#define CANDIDATES 2000000
#define LOOP_CANDIDATES 20000
#define ROUNDS 4

struct enumeration {
	struct arena *arena;
	const struct litmus_test *test;
	struct litmus_outcomes outcomes;
	struct diagnostic *diagnostic;
	struct litmus_ways ways[LITMUS_THREADS];
	bool cut; /* of some thread not all ways are there */
	struct litmus_execution e;
	uint64_t candidates, limit;
	/* The last values that each location may have in this candidate. */
	int32_t last[LITMUS_LOCATIONS][RELATION_EVENTS];
	uint32_t last_counts[LITMUS_LOCATIONS];
};

static bool is_over(const struct enumeration *n)
{
	return n->candidates >= n->limit || n->e.orders >= n->e.orders_limit;
}

/* ---- Ends ---- */

/* From the variable on: registers have one value, locations each of theirs. */
static void add_ends(struct enumeration *n, uint32_t variable, int32_t *values)
{
	if (variable == n->test->variables.count) {
		litmus_outcome(n->arena, &n->outcomes, values)->allowed = true;
		return;
	}
	const struct litmus_variable *v = &n->test->variables.at[variable];
	if (v->thread != LITMUS_IN_MEMORY) {
		values[variable] = n->e.registers[v->thread][v->index];
		add_ends(n, variable + 1, values);
		return;
	}
	for (uint32_t k = 0; k < n->last_counts[v->index]; k++) {
		values[variable] = n->last[v->index][k];
		add_ends(n, variable + 1, values);
	}
}

static void judge(struct enumeration *n)
{
	int32_t values[LITMUS_VARIABLES] = {0};
	n->candidates++;
	if (!litmus_order_causes(&n->e))
		return;
	for (uint32_t k = 0; k < n->test->locations.count; k++)
		if (!(n->last_counts[k] = litmus_last_values(&n->e, k, n->last[k])))
			return;
	add_ends(n, 0, values);
	litmus_find_races(n->arena, &n->e, &n->outcomes);
}

/* ---- Fence-SC order ---- */

/* `before` are the fences that are placed; those that are morally strong with the next are before it. */
static void order_fences(struct enumeration *n, uint64_t before)
{
	struct litmus_execution *e = &n->e;
	uint64_t open = e->sc_fences & ~before;
	if (is_over(n))
		return;
	if (!open)
		judge(n);
	EACH_EVENT(fence, open) {
		uint64_t earlier = 0; /* of its thread, not placed yet */
		EACH_EVENT(other, open)
			earlier |= relation_has(&e->program, other, fence);
		if (earlier)
			continue;
		EACH_EVENT(other, before & e->strong.to[fence])
			relation_add(&e->fence_order, other, fence);
		order_fences(n, before | EVENT_BIT(fence));
		EACH_EVENT(other, before)
			e->fence_order.to[other] &= ~EVENT_BIT(fence);
	}
}

/* ---- Barriers ---- */

static void order_met(void *context)
{
	order_fences(context, 0);
}

/* ---- Reads-from ---- */

/* The thread itself writes the location between the two; so Causality is broken, whatever else is chosen. */
static bool is_overwritten(const struct litmus_execution *e, uint64_t write, uint64_t read)
{
	EACH_EVENT(own, e->writes & e->strong.to[read])
		if (relation_has(&e->program, own, read) &&
			(e->events[write].thread == LITMUS_NOBODY || relation_has(&e->program, write, own)))
			return true;
	return false;
}

/* Another atomic reads from the same write.  One of the two is after the other, so Atomicity is broken, if all are
 * morally strong. */
static bool is_taken(const struct litmus_execution *e, uint64_t write, uint64_t read, uint64_t chosen)
{
	bool first = e->events[write].thread == LITMUS_NOBODY;
	if (!e->events[read].atomic || !(first || relation_has(&e->strong, write, read + 1)))
		return false;
	EACH_EVENT(other, chosen) {
		uint64_t pair = EVENT_BIT(other) | EVENT_BIT(other + 1);
		if (e->events[other].atomic && e->source[other] == write &&
			(first || relation_has(&e->strong, write, other + 1)) && !(pair & ~e->strong.to[read]) &&
			!(pair & ~e->strong.to[read + 1]))
			return true;
	}
	return false;
}

/* Of the reads left: every write of the location that the thread does not come to later. */
static void choose_sources(struct enumeration *n, uint64_t reads)
{
	struct litmus_execution *e = &n->e;
	/* With loops most choices lead to nothing, so all count. */
	n->candidates += n->limit == LOOP_CANDIDATES;
	if (is_over(n))
		return;
	if (!reads) {
		n->candidates++;
		if (litmus_settle_values(e))
			litmus_meet(e, order_met, n, &n->candidates, n->limit);
		return;
	}
	uint64_t read = (uint64_t)__builtin_ctzll(reads);
	EACH_EVENT(write, e->writes & e->same.to[read]) {
		if ((relation_has(&e->program, read, write) && relation_has(&e->strong, read, write)) ||
			is_overwritten(e, write, read) || is_taken(e, write, read, e->reads & ~reads))
			continue;
		e->source[read] = (uint32_t)write;
		if (litmus_may_settle(e, e->reads & ~(reads & (reads - 1))))
			choose_sources(n, reads & (reads - 1));
	}
}

/* ---- Ways through the threads ---- */

static void choose_ways(struct enumeration *n, const struct litmus_path **chosen, uint32_t thread)
{
	if (thread == n->test->threads.count) {
		n->e = (struct litmus_execution){
			.test = n->test, .orders = n->e.orders, .orders_limit = n->e.orders_limit};
		for (uint32_t k = 0; k < thread; k++)
			n->e.paths[k] = chosen[k];
		if (litmus_make_events(&n->e, n->diagnostic))
			choose_sources(n, n->e.reads);
		return;
	}
	for (uint32_t k = 0; k < n->ways[thread].list.count && !n->diagnostic->failed; k++) {
		chosen[thread] = &n->ways[thread].list.at[k];
		choose_ways(n, chosen, thread + 1);
	}
}

/* All executions in which no loop goes back more than `rounds` times. */
static struct enumeration *enumerate(struct arena *arena, const struct litmus_test *test, uint32_t rounds,
	uint64_t limit, struct diagnostic *diagnostic)
{
	struct enumeration *n = arena_new(arena, struct enumeration);
	const struct litmus_path *chosen[LITMUS_THREADS];
	*n = (struct enumeration){.arena = arena, .test = test, .diagnostic = diagnostic, .limit = limit};
	n->outcomes.variables = test->variables.count;
	n->e.orders_limit = rounds ? limit : UINT64_MAX;
	for (uint32_t k = 0; k < test->threads.count; k++) {
		if (!litmus_find_ways(arena, &test->threads.at[k], rounds, &n->ways[k], diagnostic))
			return n;
		n->cut |= n->ways[k].cut;
	}
	choose_ways(n, chosen, 0);
	if (is_over(n))
		diagnose(diagnostic, (struct place){.file = test->file},
			"the test has too many executions, expected fewer than %d candidates", CANDIDATES);
	return n;
}

bool litmus_model(struct arena *arena, const struct litmus_test *test, struct litmus_outcomes *outcomes,
	struct litmus_bound *bound, struct diagnostic *diagnostic)
{
	struct enumeration *n = enumerate(arena, test, 0, CANDIDATES, diagnostic);
	*bound = (struct litmus_bound){.cut = n->cut};
	/* More rounds as long as that is cheap; what is too much then is no error. */
	while (!diagnostic->failed && n->cut && bound->rounds < ROUNDS) {
		struct diagnostic ignored = {0};
		struct enumeration *more = enumerate(arena, test, bound->rounds + 1, LOOP_CANDIDATES, &ignored);
		if (ignored.failed)
			break;
		n = more;
		bound->rounds++;
		bound->cut = n->cut;
	}
	outcomes->variables = test->variables.count;
	litmus_outcomes_add(arena, outcomes, &n->outcomes);
	return !diagnostic->failed;
}

bool litmus_holds(const struct litmus_test *test, const struct litmus_outcomes *outcomes)
{
	bool all = true, some = false;
	for (uint32_t k = 0; k < outcomes->list.count; k++) {
		if (!outcomes->list.at[k].allowed)
			continue;
		bool fulfils = litmus_fulfils(test->condition, outcomes->list.at[k].values);
		all &= fulfils;
		some |= fulfils;
	}
	return test->quantifier == LITMUS_ALWAYS ? all : test->quantifier == LITMUS_EXISTS ? some : !some;
}
