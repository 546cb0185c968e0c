/* Walks through all states of a kernel. */
#include "machine/progress/search.h"

#include "machine/gpu/launches.h"
#include "machine/observe/watch.h"
#include "machine/progress/progress.h"
#include "machine/progress/state_graph.h"
#include "util/lookup.h"

#include <assert.h>
#include <string.h>

#define MOST_STEPS 1000000u /* of a walk beyond what is known */
#define MOST_STATES 2000000u
#define MORE_STEPS 10000u /* of a walk from where all is known on */

struct search;

/* A run that follows known steps to a state and unknown ones from there on, until it comes to where all are known. */
struct walk {
	struct schedule base;
	struct schedule_list known;
	uint32_t run, taken; /* of `known` */
	bool begun, looked;  /* looked: the prints below are those of the present state */
	uint32_t from, via;  /* the last step, whose end is not known yet; from: GRAPH_NONE before the first state */
	uint32_t steps;
	bool ended;                      /* of its own accord */
	bool goes_on;                    /* then, to the kernel's end */
	uint32_t turn, rest;             /* whose is the next one then; steps that it may take */
	VECTOR(struct schedule_run) all; /* steps so far */
	struct search *search;
	/* the known steps led elsewhere, or a thread read a clock or waits for a time: a state is more than is seen of
	 * it, and one in which none can run may go on */
	bool strayed;
	uint64_t memory[2], (*groups)[2];
};

struct search {
	struct gpu *gpu;
	const struct gpu_launch *what;
	struct arena *arena;
	struct arena scratch;
	struct state_graph graph;
	uint32_t cursor; /* all steps from the nodes before it are known */
	uint8_t *memory; /* as it was before */
	size_t bytes;
	uint64_t launches;
	struct search_outcome *outcome;
	bool checks; /* for races or barriers */
};

/* ---- What checks find ---- */

/* The walk's schedule. */
static struct schedule_list steps_of(struct search *s, const struct walk *walk)
{
	uint32_t count = walk->all.count;
	struct schedule_run *runs = arena_new_array(s->arena, struct schedule_run, count + 1u);
	if (count)
		memcpy(runs, walk->all.at, count * sizeof *runs);
	return (struct schedule_list){.runs = runs, .count = count, .loop = count};
}

/* What has been found since it was called last was found in this walk; before its first step: not by the search. */
static void note_findings(struct search *s, const struct walk *walk)
{
	for (enum found_kind kind = 0; kind < FOUND_KINDS; kind++) {
		uint32_t count = s->gpu->found[kind].of.count;
		struct schedule_list list = {0};
		assert(s->outcome->shown[kind].count <= count);
		if (count > s->outcome->shown[kind].count)
			list = steps_of(s, walk);
		while (s->outcome->shown[kind].count < count)
			*vector_push(s->arena, &s->outcome->shown[kind]) = list;
	}
}

/* ---- A walk ---- */

static bool follow_known(struct walk *w, uint32_t *group)
{
	assert(w->run <= w->known.count);
	assert(w->run == w->known.count || w->taken <= w->known.runs[w->run].count);
	while (w->run < w->known.count && w->taken == w->known.runs[w->run].count) {
		w->run++;
		w->taken = 0;
	}
	if (w->run == w->known.count)
		return false;
	w->taken++;
	*group = w->known.runs[w->run].group;
	return true;
}

static void look(struct walk *w, const struct progress *p)
{
	assert(!w->looked || w->via < p->view.groups);
	if (!w->looked)
		for (uint32_t k = 0; k < p->view.groups; k++)
			progress_group_print(p, k, w->groups[k]);
	else
		progress_group_print(p, w->via, w->groups[w->via]);
	if (!w->looked || watch_seen(p->machine).changed)
		progress_memory_print(p, w->memory);
	watch_forget_changes(p->machine);
	w->looked = true;
}

/* The node of the present state. */
static uint32_t node_here(struct walk *w, const struct progress *p)
{
	struct state_node node = {.parent = w->from, .via = w->via};
	uint64_t print[2] = {w->memory[0], w->memory[1]};
	assert(p->view.groups <= GRAPH_GROUPS);
	assert(w->looked);
	for (uint32_t k = 0; k < p->view.groups; k++) {
		print[0] = lookup_mix(print[0], w->groups[k][0]);
		print[1] = lookup_mix(print[1], w->groups[k][1]);
		node.can_run |= (uint64_t)progress_can_run(p, k) << k;
		node.started |= (uint64_t)p->view.started[k] << k;
		node.finished |= (uint64_t)p->groups[k].finished << k;
	}
	print[0] ^= node.started; /* which is more than can be seen of the groups */
	if (w->from != GRAPH_NONE)
		node.depth = w->search->graph.nodes.at[w->from].depth + 1;
	return graph_node(&w->search->graph, print, &node);
}

/* The step from w->from by w->via has led here; or the known ones to w->from. */
static void arrive(struct walk *w, const struct progress *p)
{
	bool by_step = w->looked;
	uint32_t node;
	assert(!by_step || w->from != GRAPH_NONE);
	w->strayed = progress_saw_time(p);
	if (w->strayed)
		return;
	look(w, p);
	node = node_here(w, p);
	if (by_step)
		graph_connect(&w->search->graph, w->from, w->via, node);
	w->strayed = w->from != GRAPH_NONE && !by_step && node != w->from;
	w->from = node;
}

/* The groups that can run take turns, which every model allows for a while. */
static uint32_t go_on(struct walk *w, const struct progress *p)
{
	assert(w->ended);
	if (!w->goes_on || w->strayed || !w->rest)
		return SCHEDULE_END;
	w->rest--;
	for (uint32_t k = 0; k < p->view.groups; k++) {
		uint32_t group = (w->turn + k) % p->view.groups;
		if (!progress_can_run(p, group))
			continue;
		w->turn = group + 1;
		return group;
	}
	return SCHEDULE_END;
}

static uint32_t choose(struct walk *w, const struct progress *p)
{
	uint32_t group;
	if (!w->begun)
		watch_everyone(p->machine);
	w->begun = true;
	if (w->ended)
		return go_on(w, p);
	if (follow_known(w, &group))
		return group;
	arrive(w, p);
	w->via = graph_unknown(&w->search->graph, w->from);
	w->ended = w->strayed || w->via == GRAPH_NONE || ++w->steps > MOST_STEPS ||
		   w->search->graph.nodes.count > MOST_STATES;
	return w->ended ? go_on(w, p) : w->via;
}

static uint32_t next(struct schedule *schedule, const struct progress *p)
{
	struct walk *w = (struct walk *)schedule;
	uint32_t group = choose(w, p);
	assert(group < p->view.groups || group == SCHEDULE_END);
	if (!w->goes_on)
		return group;
	note_findings(w->search, w);
	if (group >= p->view.groups)
		return group;
	if (w->all.count && w->all.at[w->all.count - 1].group == group)
		w->all.at[w->all.count - 1].count++;
	else
		*vector_push(&w->search->scratch, &w->all) = (struct schedule_run){group, 1};
	return group;
}

static void finished(struct schedule *schedule, const struct progress *p)
{
	struct walk *w = (struct walk *)schedule;
	assert(!p->unfinished);
	if (!w->ended)
		arrive(w, p);
}

/* ---- One walk after another ---- */

/* Runs the kernel once, from memory as it was before. */
static enum gpu_outcome run(struct search *s, struct walk *walk)
{
	struct gpu_result result;
	assert(!s->gpu->machine);
	assert(s->bytes <= s->gpu->space.used);
	s->gpu->schedule = &walk->base;
	s->gpu->launches = s->launches;
	gpu_start(s->gpu, s->what);
	gpu_finish(s->gpu, &result);
	memcpy(s->gpu->space.bytes, s->memory, s->bytes);
	return result.outcome;
}

/* The first walk's known steps are none, and it begins at a state that is not known either. */
static struct walk begin_walk(struct search *s)
{
	struct walk walk = {.base.next = next,
		.base.finished = finished,
		.from = GRAPH_NONE,
		.goes_on = s->checks,
		.rest = MORE_STEPS,
		.search = s};
	walk.groups = arena_array(&s->scratch, s->graph.groups, sizeof *walk.groups);
	if (!s->graph.nodes.count)
		return walk;
	assert(s->cursor < s->graph.nodes.count);
	walk.from = s->cursor;
	graph_path(&s->graph, s->cursor, GRAPH_NONE, &s->scratch, &walk.known);
	return walk;
}

/* False: there is nothing left to be known, or no more can be. */
static bool walk_once(struct search *s)
{
	struct walk walk;
	enum gpu_outcome outcome;
	bool cut; /* not everything can be seen */
	assert(s->cursor <= s->graph.nodes.count);
	while (s->cursor < s->graph.nodes.count && graph_unknown(&s->graph, s->cursor) == GRAPH_NONE)
		s->cursor++;
	if (s->cursor && s->cursor == s->graph.nodes.count)
		return false;
	walk = begin_walk(s);
	outcome = run(s, &walk);
	note_findings(s, &walk);
	s->outcome->walks++;
	if (outcome == GPU_FAULT) {
		s->outcome->verdict = SEARCH_FAULTS;
		if (walk.ended)
			s->outcome->list = steps_of(s, &walk);
		else
			graph_path(&s->graph, walk.from, walk.via, s->arena, &s->outcome->list);
	}
	arena_free(&s->scratch);
	cut = walk.strayed || (outcome == GPU_LIMIT && !walk.ended) || outcome == GPU_INTERRUPTED ||
	      s->graph.nodes.count > MOST_STATES;
	return outcome != GPU_FAULT && !cut;
}

/* Looks for a hang.  True: all is known that will be said. */
static bool judge(struct search *s)
{
	struct search_outcome *o = s->outcome;
	bool complete = s->graph.nodes.count && !s->graph.unknown; /* what cuts it leaves a step that is not known */
	assert(s->graph.unknown <= s->graph.edges.count);
	o->states = s->graph.nodes.count;
	if (o->verdict == SEARCH_FAULTS)
		return true;
	if (graph_endless(&s->graph, s->gpu->dispatch, s->arena, &o->list)) {
		o->verdict = complete && !graph_can_finish(&s->graph) ? SEARCH_HANGS : SEARCH_MAY_HANG;
		return complete || graph_can_finish(&s->graph);
	}
	o->verdict = complete ? SEARCH_FINISHES : SEARCH_UNDECIDED;
	return complete;
}

void gpu_search(struct gpu *gpu, const struct gpu_launch *what, uint64_t most, struct arena *arena,
	struct search_outcome *outcome)
{
	struct search s = {.gpu = gpu,
		.what = what,
		.arena = arena,
		.graph = {.groups = what->values.grid[0] * what->values.grid[1] * what->values.grid[2]},
		.bytes = gpu->space.used,
		.launches = gpu->launches,
		.outcome = outcome};
	struct gpu before = *gpu;
	struct arena own = {0};
	assert(s.graph.groups <= GRAPH_GROUPS);
	assert(!gpu->machine);
	s.graph.arena = &own;
	s.memory = arena_alloc(&own, s.bytes + 1);
	memcpy(s.memory, gpu->space.bytes, s.bytes);
	*outcome = (struct search_outcome){.verdict = SEARCH_UNDECIDED};
	gpu_hide(gpu);
	gpu->observe[OBSERVER_races] = before.observe[OBSERVER_races];
	gpu->observe[OBSERVER_sync] = before.observe[OBSERVER_sync];
	gpu->observe[OBSERVER_phases] = before.observe[OBSERVER_phases];
	s.checks = gpu->observe[OBSERVER_races] || gpu->observe[OBSERVER_sync];
	gpu->options.pause_when_stuck = false;
	gpu->experiment.keeps_start = false;
	while (outcome->walks < most && walk_once(&s))
		if (outcome->walks >= 64 && !(outcome->walks & (outcome->walks - 1)) && judge(&s))
			break;
	judge(&s);
	gpu->options.print = before.options.print;
	gpu->options.progress = before.options.progress;
	memcpy(gpu->observe, before.observe, sizeof gpu->observe);
	gpu->explain = before.explain;
	gpu->options.pause_when_stuck = before.options.pause_when_stuck;
	gpu->experiment.keeps_start = before.experiment.keeps_start;
	gpu->schedule = NULL;
	gpu->launches = before.launches;
	arena_free(&own);
}
