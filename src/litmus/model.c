/* Goes through the candidate executions of a test and keeps the ends of those that the axioms allow. */
#include "litmus/model.h"

#include "litmus/execution.h"

/* Candidates after which it is given up: some seconds. */
#define CANDIDATES 2000000

struct enumeration {
	struct arena *arena;
	const struct litmus_test *test;
	struct litmus_outcomes *outcomes;
	struct diagnostic *diagnostic;
	const struct litmus_path *paths[LITMUS_THREADS];
	uint32_t path_counts[LITMUS_THREADS];
	struct litmus_execution e;
	uint64_t candidates;
	/* The last values that each location may have in this candidate. */
	int32_t last[LITMUS_LOCATIONS][RELATION_EVENTS];
	uint32_t last_counts[LITMUS_LOCATIONS];
};

/* ---- Ends ---- */

/* From the variable on: registers have one value, locations each of theirs. */
static void add_ends(struct enumeration *n, uint32_t variable, int32_t *values)
{
	if (variable == n->test->variables.count) {
		litmus_outcome(n->arena, n->outcomes, values)->allowed = true;
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
}

/* ---- Fence-SC order ---- */

/* `before` are the fences that are placed; those that are morally strong with the next are before it. */
static void order_fences(struct enumeration *n, uint64_t before)
{
	struct litmus_execution *e = &n->e;
	uint64_t open = e->sc_fences & ~before;
	if (n->candidates >= CANDIDATES)
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

/* ---- Reads-from ---- */

/* Of the reads left: every write of the location that the thread does not come to later. */
static void choose_sources(struct enumeration *n, uint64_t reads)
{
	struct litmus_execution *e = &n->e;
	if (n->candidates >= CANDIDATES)
		return;
	if (!reads) {
		n->candidates++;
		if (litmus_settle_values(e))
			order_fences(n, 0);
		return;
	}
	uint64_t read = (uint64_t)__builtin_ctzll(reads);
	EACH_EVENT(write, e->writes & e->same.to[read]) {
		if (relation_has(&e->program, read, write))
			continue;
		e->source[read] = (uint32_t)write;
		choose_sources(n, reads & (reads - 1));
	}
}

/* ---- Ways through the threads ---- */

static void choose_paths(struct enumeration *n, const struct litmus_path *chosen, uint32_t thread)
{
	struct litmus_path paths[LITMUS_THREADS];
	for (uint32_t k = 0; k < thread; k++)
		paths[k] = chosen[k];
	if (thread == n->test->threads.count) {
		n->e = (struct litmus_execution){.test = n->test};
		for (uint32_t k = 0; k < thread; k++)
			n->e.paths[k] = chosen[k];
		if (litmus_make_events(&n->e, n->diagnostic))
			choose_sources(n, n->e.reads);
		return;
	}
	for (uint32_t k = 0; k < n->path_counts[thread] && !n->diagnostic->failed; k++) {
		paths[thread] = n->paths[thread][k];
		choose_paths(n, paths, thread + 1);
	}
}

bool litmus_model(struct arena *arena, const struct litmus_test *test, struct litmus_outcomes *outcomes,
	struct diagnostic *diagnostic)
{
	struct enumeration *n = arena_new(arena, struct enumeration);
	n->arena = arena;
	n->test = test;
	n->outcomes = outcomes;
	n->diagnostic = diagnostic;
	outcomes->variables = test->variables.count;
	for (uint32_t k = 0; k < test->threads.count; k++)
		if (!(n->paths[k] = litmus_paths(arena, &test->threads.at[k], &n->path_counts[k], diagnostic)))
			return false;
	choose_paths(n, NULL, 0);
	if (n->candidates >= CANDIDATES)
		diagnose(diagnostic, (struct place){.file = test->file},
			"the test has too many executions, expected fewer than %d candidates", CANDIDATES);
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
