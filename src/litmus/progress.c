/* The endless walks in the graph of a test's states that a progress model allows.
 *
 * An endless run stays, from some step on, among states that can all be reached from each other: a part.  There no
 * thread starts or ends any more, so the threads that are guaranteed progress stay the same.  The model allows the run
 * if each of them takes a step within the part, or cannot run somewhere in it. */
#include "litmus/progress.h"

#include "litmus/states.h"

const char *const litmus_model_names[LITMUS_MODELS] = {"fair", "hsa", "obe", "hsa-obe", "lobe", "unfair"};

const char *litmus_ending_name(enum litmus_ending ending)
{
	static const char *const names[] = {"always finishes", "may hang", "hangs", "undecided"};
	return names[ending];
}

/* The threads that a model guarantees progress, a bit each (docs/progress.md). */
static uint32_t guaranteed(uint32_t model, uint32_t all, const struct litmus_state *s)
{
	uint32_t open = all & ~(uint32_t)s->ended, lowest = open & -open, below = 0;
	for (uint32_t bit = s->started; bit; bit >>= 1)
		below = below << 1 | 1;
	const uint32_t sets[LITMUS_MODELS] = {all, lowest, s->started, lowest | s->started, below, 0};
	return sets[model] & open;
}

/* ---- Parts: Tarjan's algorithm, without recursion ---- */

struct search {
	const struct litmus_graph *graph;
	uint32_t all; /* threads, a bit each */
	/* By state: the order of finding, from 1; the first that it leads back to; the next edge to follow. */
	uint32_t *order, *low, *edge;
	bool *open;             /* in a part that is not whole yet */
	uint32_t *walk, *stack; /* states on the way here; states of open parts */
	uint32_t depth, height, found;
	bool endless[LITMUS_MODELS];
};

/* The states of the stack from `first` on are a part. */
static void judge(struct search *s, uint32_t first)
{
	const struct litmus_state *some = &s->graph->states.at[s->stack[first]];
	uint32_t stays = 0, waits = 0;
	for (uint32_t k = first; k < s->height; k++) {
		const struct litmus_state *state = &s->graph->states.at[s->stack[k]];
		waits |= s->all & ~(uint32_t)state->can_run;
		for (uint32_t e = state->edges; e != LITMUS_NO_EDGE; e = s->graph->edges.at[e].next) {
			uint32_t to = s->graph->edges.at[e].to;
			/* An open state that was not found before the part's first is of the part. */
			if (s->open[to] && s->order[to] >= s->order[s->stack[first]])
				stays |= 1u << s->graph->edges.at[e].thread;
		}
	}
	bool stuck = some->edges == LITMUS_NO_EDGE && some->ended != s->all;
	for (uint32_t model = 0; model < LITMUS_MODELS; model++)
		if (stuck || (stays && !(guaranteed(model, s->all, some) & ~(stays | waits))))
			s->endless[model] = true;
}

static void enter(struct search *s, uint32_t state)
{
	s->order[state] = s->low[state] = ++s->found;
	s->edge[state] = s->graph->states.at[state].edges;
	s->open[state] = true;
	s->walk[s->depth++] = state;
	s->stack[s->height++] = state;
}

static void leave(struct search *s, uint32_t state)
{
	uint32_t first = s->height;
	s->depth--;
	if (s->depth && s->low[s->walk[s->depth - 1]] > s->low[state])
		s->low[s->walk[s->depth - 1]] = s->low[state];
	if (s->low[state] != s->order[state])
		return;
	do
		first--;
	while (s->stack[first] != state);
	judge(s, first);
	while (s->height > first)
		s->open[s->stack[--s->height]] = false;
}

static void find_parts(struct search *s)
{
	enter(s, 0);
	while (s->depth) {
		uint32_t state = s->walk[s->depth - 1], edge = s->edge[state];
		if (edge == LITMUS_NO_EDGE) {
			leave(s, state);
			continue;
		}
		uint32_t to = s->graph->edges.at[edge].to;
		s->edge[state] = s->graph->edges.at[edge].next;
		if (!s->order[to])
			enter(s, to);
		else if (s->open[to] && s->order[to] < s->low[state])
			s->low[state] = s->order[to];
	}
}

struct litmus_progress litmus_progress(struct arena *arena, const struct litmus_test *test)
{
	struct litmus_graph graph;
	struct litmus_progress result = {0};
	bool can_finish = false;
	litmus_make_graph(arena, test, &graph);
	uint32_t count = result.states = graph.states.count;
	struct search s = {.graph = &graph, .all = (1u << test->threads.count) - 1};
	uint32_t **const arrays[] = {&s.order, &s.low, &s.edge, &s.walk, &s.stack};
	for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
		*arrays[k] = arena_new_array(arena, uint32_t, count);
	s.open = arena_new_array(arena, bool, count);
	if (graph.complete)
		find_parts(&s);
	for (uint32_t k = 0; k < count; k++)
		can_finish |= graph.states.at[k].ended == s.all;
	for (uint32_t k = 0; k < LITMUS_MODELS; k++)
		result.endings[k] = !graph.complete ? LITMUS_UNDECIDED
				    : !can_finish   ? LITMUS_HANGS
				    : s.endless[k]  ? LITMUS_MAY_HANG
						    : LITMUS_FINISHES;
	return result;
}
