/* Walks through all states of a kernel.  What search.h says of the reduction is here. */
#include "machine/progress/search.h"

#include "kernel/kernel.h"
#include "machine/gpu/functional.h"
#include "machine/gpu/launches.h"
#include "machine/lsu/copy.h"
#include "machine/observe/steps.h"
#include "machine/observe/watch.h"
#include "machine/progress/await.h"
#include "machine/progress/progress.h"
#include "machine/progress/slice.h"
#include "machine/progress/state_graph.h"
#include "util/lookup.h"

#include <assert.h>
#include <string.h>

#define MOST_STEPS 1000000u /* of a walk beyond what is known */
#define MOST_STATES 2000000u
#define MOST_QUIET 256u   /* quiet instructions of a step */
#define LONG_STEP 8u      /* likewise, from which on a step may be one of a loop that polls */
#define MORE_STEPS 10000u /* of a walk from where all is known on */

struct search;

/* What steps have accessed, each once.  As a label of the graph's edges: its number, 0 is nothing. */
struct footprint {
	struct step_access *at;
	uint32_t count;
};

struct footprints {
	struct map index; /* by contents */
	VECTOR(struct footprint) all;
	struct map compared; /* pairs of them */
};

/* A run that follows known steps to a state and unknown ones from there on, until it comes to where all are known. */
struct walk {
	struct schedule base;
	struct schedule_list known;
	uint32_t run, taken; /* of `known` */
	bool begun, looked;  /* looked: the prints below are those of the present state */
	uint32_t from, via;  /* the last step, of actor `via`, whose end is not known yet; from: GRAPH_NONE before the
				first state */
	uint32_t steps;
	/* The present step: as many as a schedule would count; where it began, which lanes have run, and whether its
	 * group had started. */
	uint32_t count, first_pc;
	lane_mask ran;
	/* Where it was last looked at what the group is, and its print then; GRAPH_NONE: nowhere since. */
	uint32_t seen_pc;
	uint64_t seen[2];
	bool had_started, loud, cut; /* loud: it has something; cut: it was ended before it came to that */
	uint32_t known_actor;        /* of the last step that is not new; GRAPH_NONE: there was none, or it was noted */
	bool ended;                  /* of its own accord */
	bool goes_on;                /* then, to the kernel's end */
	uint32_t turn, rest;         /* which actor's is the next one then; steps that it may take */
	VECTOR(struct schedule_run) all; /* steps so far */
	struct search *search;
	/* the known steps led elsewhere, or a thread read a clock or waits for a time: a state is more than is seen of
	 * it, and one in which none can run may go on; or more copies are outstanding, or more paths of a warp can run,
	 * than can take steps */
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
	uint64_t launches;
	struct search_outcome *outcome;
	bool checks; /* for races or barriers */
	/* The reduction */
	bool reduces;
	struct steps log;
	bool *quiet;      /* per pc */
	bool *quiet_from; /* per pc: a step that began there had nothing loud */
	struct footprints footprints;
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

/* ---- What steps access ---- */

/* The number of what the step has accessed. */
static uint32_t footprint_of(struct search *s)
{
	const struct step_accesses *taken = &s->log.taken;
	size_t bytes = taken->count * sizeof *taken->at;
	uintptr_t known;
	struct footprint *new;
	assert(s->reduces);
	assert(taken->count <= taken->capacity);
	if (!taken->count)
		return 0;
	for (uint32_t k = 0; k < taken->count; k++)
		taken->at[k].open = taken->at[k].phase = 0;
	known = (uintptr_t)map_get_length(&s->footprints.index, (const char *)taken->at, bytes);
	if (known)
		return (uint32_t)known;
	new = vector_push(s->graph.arena, &s->footprints.all);
	new->count = taken->count;
	new->at = arena_alloc(s->graph.arena, bytes);
	memcpy(new->at, taken->at, bytes);
	map_put(s->graph.arena, &s->footprints.index, (const char *)new->at, bytes,
		(void *)(uintptr_t)s->footprints.all.count);
	return s->footprints.all.count;
}

static void compare(struct search *s, uint32_t one, uint32_t other)
{
	uint32_t pair[2] = {one < other ? one : other, one < other ? other : one};
	const struct footprint *a, *b;
	char *key;
	assert(one <= s->footprints.all.count);
	assert(other <= s->footprints.all.count);
	if (!one || !other || map_get_length(&s->footprints.compared, (const char *)pair, sizeof pair))
		return;
	key = arena_alloc(s->graph.arena, sizeof pair);
	memcpy(key, pair, sizeof pair);
	map_put(s->graph.arena, &s->footprints.compared, key, sizeof pair, s);
	a = &s->footprints.all.at[one - 1];
	b = &s->footprints.all.at[other - 1];
	steps_conflict(&s->log, a->at, a->count, b->at, b->count);
}

/* The step with which the graph has just been made longer, with all others from there. */
static void compare_with_others(struct search *s, uint32_t node, uint32_t actor)
{
	uint32_t own = graph_edge(&s->graph, node, actor)->label;
	assert(s->reduces);
	assert(graph_edge(&s->graph, node, actor)->to != GRAPH_NONE);
	for (uint32_t k = 0; k < graph_actors(&s->graph); k++) {
		const struct state_edge *e = graph_edge(&s->graph, node, k);
		if (k != actor && e->to != GRAPH_NONE)
			compare(s, own, e->label);
	}
}

static uint64_t hash_objects(const struct search *s, uint64_t objects)
{
	uint64_t sum = 0;
	for (uint64_t m = objects; m; m &= m - 1) {
		const struct step_object *o = &s->log.object[__builtin_ctzll(m)];
		assert((uint32_t)__builtin_ctzll(m) < s->log.objects);
		sum += lookup_mix(o->where, o->offset);
	}
	return sum;
}

/* How many phases of its mbarrier have been completed since: 2 stands for more. */
static uint64_t age_of(const struct search *s, const struct step_access *a)
{
	uint64_t age = 0;
	assert(a->kind != STEP_MEMORY);
	for (uint32_t k = 0; k < s->log.objects; k++)
		if (s->log.object[k].where == a->where && s->log.object[k].offset == a->first)
			age = s->log.object[k].phase - a->phase;
	return a->kind == STEP_TESTS ? 0 : age < 2 ? age : 2;
}

static void mix_access(const struct search *s, const struct step_access *a, uint64_t print[2])
{
	uint64_t age = a->kind == STEP_MEMORY ? 0 : age_of(s, a);
	const uint64_t words[] = {a->first, a->end, a->open, (uint64_t)a->where << 32 | a->pc,
		(uint64_t)a->threads << 32 | age << 8 | (uint64_t)a->kind << 2 | (uint64_t)a->has_result << 1 |
			a->writes,
		hash_objects(s, a->pending), hash_objects(s, a->complete)};
	assert(a->quiet);
	for (uint32_t w = 0; w < sizeof words / sizeof *words; w++) {
		print[0] = lookup_mix(print[0], words[w]);
		print[1] = lookup_mix(print[1], ~words[w]);
	}
}

/* Hashes what is open, of all actors; of copies that have ended, whatever their order. */
static void mix_open(const struct search *s, uint64_t print[2])
{
	uint64_t sum[2] = {0, 0};
	assert(s->reduces);
	assert(s->log.actors == s->log.parts * s->graph.groups);
	for (uint32_t k = 0; k < s->log.actors; k++) {
		print[0] = lookup_mix(print[0], s->log.open[k].count);
		for (uint32_t j = 0; j < s->log.open[k].count; j++)
			mix_access(s, &s->log.open[k].at[j], print);
	}
	for (uint32_t j = 0; j < s->log.open[STEP_ACTORS].count; j++) {
		uint64_t one[2] = {5, 6};
		mix_access(s, &s->log.open[STEP_ACTORS].at[j], one);
		sum[0] += one[0];
		sum[1] += one[1];
	}
	print[0] = lookup_mix(print[0], sum[0]);
	print[1] = lookup_mix(print[1], sum[1]);
}

/* ---- A walk ---- */

/* As whose step the log has it: all paths of a warp are one actor there. */
static uint32_t logged(const struct search *s, uint32_t actor)
{
	uint32_t warp = graph_warp(&s->graph, actor), part = actor % s->graph.parts;
	assert(s->reduces);
	assert(actor < graph_actors(&s->graph));
	if (warp != GRAPH_NONE)
		part = warp % s->graph.warps;
	return actor / s->graph.parts * s->log.parts + part;
}

/* Notes what the actor's last instruction was. */
static bool was_loud(struct walk *w, const struct progress *p, uint32_t actor)
{
	struct search *s = w->search;
	bool is_copy = graph_step(&s->graph, actor).part & PART_COPY;
	uint32_t pc = is_copy ? s->log.copy_pc : p->seen.noticed;
	bool loud = pc != FUNCTIONAL_NOTHING && (!s->quiet[pc] || s->log.loud_here);
	assert(s->reduces);
	if (loud)
		steps_loud(&s->log, logged(s, actor));
	return loud;
}

/* A step that is not new: its last instruction is noted when the next one begins; GRAPH_NONE: none does. */
static void log_next(struct walk *w, const struct progress *p, uint32_t actor)
{
	assert(w->search->reduces);
	assert(actor == GRAPH_NONE || actor < graph_actors(&w->search->graph));
	if (w->known_actor != GRAPH_NONE)
		was_loud(w, p, w->known_actor);
	w->known_actor = actor;
	if (actor != GRAPH_NONE)
		steps_next(&w->search->log, logged(w->search, actor));
}

static bool follow_known(struct walk *w, const struct progress *p, struct schedule_run *step)
{
	struct search *s = w->search;
	if (s->reduces)
		log_next(w, p, GRAPH_NONE);
	assert(w->run <= w->known.count);
	assert(w->run == w->known.count || w->taken <= w->known.runs[w->run].count);
	while (w->run < w->known.count && w->taken == w->known.runs[w->run].count) {
		w->run++;
		w->taken = 0;
	}
	if (w->run == w->known.count)
		return false;
	w->taken++;
	*step = w->known.runs[w->run];
	if (s->reduces)
		log_next(w, p, graph_actor(&s->graph, step));
	return true;
}

static bool actor_can_run(const struct search *s, const struct progress *p, uint32_t actor)
{
	struct schedule_run step = graph_step(&s->graph, actor);
	assert(step.group < p->view.groups);
	assert(step.count == 1);
	return !p->groups[step.group].finished && progress_part_can_run(p, step.group, step.part);
}

static void look(struct walk *w, const struct progress *p)
{
	uint32_t group = w->via / w->search->graph.parts;
	assert(!w->looked || group < p->view.groups);
	if (!w->looked)
		for (uint32_t k = 0; k < p->view.groups; k++)
			progress_group_print(p, k, w->groups[k]);
	else
		progress_group_print(p, group, w->groups[group]);
	if (!w->looked || watch_seen(p->machine).changed || graph_step(&w->search->graph, w->via).part & PART_COPY)
		progress_memory_print(p, w->memory);
	watch_forget_changes(p->machine);
	w->looked = true;
}

static void note_lanes(struct state_graph *g, const struct progress *p, uint32_t node)
{
	lane_mask *lanes = graph_lanes(g, node);
	assert(g->groups == p->view.groups);
	assert(g->warps);
	for (uint32_t k = 0; k < g->groups * g->warps; k++)
		lanes[k] = progress_lanes(p, k / g->warps, k % g->warps);
}

/* The node of the present state. */
static uint32_t node_here(struct walk *w, const struct progress *p)
{
	struct state_node node = {.parent = w->from, .via = w->via};
	uint64_t print[2] = {w->memory[0], w->memory[1]};
	uint32_t here;
	assert(p->view.groups <= GRAPH_GROUPS);
	assert(w->looked);
	for (uint32_t k = 0; k < p->view.groups; k++) {
		print[0] = lookup_mix(print[0], w->groups[k][0]);
		print[1] = lookup_mix(print[1], w->groups[k][1]);
		node.started |= (uint64_t)p->view.started[k] << k;
		node.finished |= (uint64_t)p->groups[k].finished << k;
	}
	for (uint32_t k = 0; k < graph_actors(&w->search->graph); k++)
		node.can_run |= (uint64_t)actor_can_run(w->search, p, k) << k;
	if (w->search->reduces)
		mix_open(w->search, print);
	print[0] ^= node.started; /* which is more than can be seen of the groups */
	if (w->from != GRAPH_NONE)
		node.depth = w->search->graph.nodes.at[w->from].depth + 1;
	here = graph_node(&w->search->graph, print, &node);
	if (w->search->graph.paths)
		note_lanes(&w->search->graph, p, here);
	return here;
}

/* The step from w->from has led to the node.  If it commutes with all that others can do, it is enough. */
static void connect(struct walk *w, const struct progress *p, uint32_t node)
{
	struct search *s = w->search;
	struct state_edge edge = {.to = node, .count = w->count, .label = s->reduces ? footprint_of(s) : 0};
	uint32_t group = w->via / s->graph.parts;
	bool is_copy = graph_step(&s->graph, w->via).part & PART_COPY;
	assert(w->from != GRAPH_NONE);
	assert(group < p->view.groups);
	assert(w->count && w->count <= MOST_QUIET);
	assert(!(w->loud && w->cut));
	graph_connect(&s->graph, w->from, w->via, &edge);
	if (s->graph.paths)
		graph_ran(&s->graph, w->from, w->via, w->ran);
	if (!s->reduces)
		return;
	compare_with_others(s, w->from, w->via);
	if (w->loud || w->cut)
		return;
	s->quiet_from[w->first_pc] = true;
	/* a group that is not guaranteed progress need never let others go on */
	if (w->search->log.signalled && !is_copy && !progress_guarantees(p, group))
		return;
	if (w->had_started && !p->groups[group].finished)
		graph_follow_one(&s->graph, w->from, w->via);
}

/* More are outstanding than are actors, or one has ended at once. */
static bool has_too_many_copies(const struct walk *w, const struct progress *p)
{
	const struct state_graph *g = &w->search->graph;
	assert(g->groups == p->view.groups);
	assert(g->warps <= g->parts);
	for (uint32_t k = 0; g->copies && k < g->groups; k++)
		if (copy_were_too_many(p->groups[k].core) ||
			(!p->groups[k].finished && copy_count(p->groups[k].core, p->groups[k].group) > g->copies))
			return true;
	return false;
}

static bool has_too_many_paths(const struct walk *w, const struct progress *p)
{
	const struct state_graph *g = &w->search->graph;
	assert(g->groups == p->view.groups);
	assert(!w->search->reduces || g->warps);
	for (uint32_t k = 0; w->search->reduces && k < g->groups * g->warps; k++)
		if (progress_other_paths(p, k / g->warps, k % g->warps) > g->paths)
			return true;
	return false;
}

/* The step from w->from by w->via has led here; or the known ones to w->from. */
static void arrive(struct walk *w, const struct progress *p)
{
	bool by_step = w->looked;
	uint32_t node;
	assert(!by_step || w->from != GRAPH_NONE);
	w->strayed = progress_saw_time(p) || has_too_many_copies(w, p) || has_too_many_paths(w, p);
	if (w->strayed)
		return;
	look(w, p);
	node = node_here(w, p);
	if (by_step)
		connect(w, p, node);
	w->strayed = w->from != GRAPH_NONE && !by_step && node != w->from;
	w->from = node;
}

static uint32_t pc_of(const struct search *s, const struct progress *p, uint32_t actor)
{
	struct schedule_run step;
	assert(s->reduces);
	assert(actor < graph_actors(&s->graph));
	step = graph_step(&s->graph, actor);
	return progress_pc(p, step.group, step.part == PART_TURN ? PART_WARP(0) : step.part); /* of one warp */
}

/* Those whose next step may well have nothing loud.  Of copies: if any has.  No path that is chosen is. */
static uint64_t perhaps_quiet(const struct walk *w, const struct progress *p)
{
	const struct search *s = w->search;
	uint64_t can_run = s->graph.nodes.at[w->from].can_run, quiet = 0;
	assert(w->looked);
	assert(w->from < s->graph.nodes.count);
	for (uint64_t m = s->reduces ? can_run : 0; m; m &= m - 1) {
		uint32_t actor = (uint32_t)__builtin_ctzll(m);
		if (!part_is_path(graph_step(&s->graph, actor).part) && s->quiet_from[pc_of(s, p, actor)])
			quiet |= m & -m;
	}
	return quiet;
}

static void begin_step(struct walk *w, const struct progress *p)
{
	struct search *s = w->search;
	assert(actor_can_run(s, p, w->via));
	assert(!w->ended);
	w->count = 1;
	w->ran = 0;
	w->loud = w->cut = false;
	if (!s->reduces)
		return;
	w->first_pc = w->seen_pc = pc_of(s, p, w->via);
	memcpy(w->seen, w->groups[w->via / s->graph.parts], sizeof w->seen);
	w->had_started = p->view.started[w->via / s->graph.parts];
	steps_next(&s->log, logged(s, w->via));
}

/* Whether the warp is where it was, and all is as it was then: it polls.  A loop that computes comes there often, so it
 * is looked at once, and again when the step is twice as long. */
static bool polls(struct walk *w, const struct progress *p)
{
	uint32_t group = w->via / w->search->graph.parts, pc = pc_of(w->search, p, w->via);
	bool was_there = w->seen_pc == pc, begins = w->count >= LONG_STEP && !(w->count & (w->count - 1));
	uint64_t print[2];
	assert(w->looked);
	assert(group < p->view.groups);
	if (!was_there && !begins)
		return false;
	progress_group_print(p, group, print);
	if (was_there && print[0] == w->seen[0] && print[1] == w->seen[1] && !watch_seen(p->machine).changed)
		return true;
	w->seen_pc = begins ? pc : GRAPH_NONE;
	memcpy(w->seen, print, sizeof print);
	return false;
}

/* Whether the step goes on, as it has come to nothing loud yet.  It does not over a barrier that has opened, nor over
 * what is done at an mbarrier, or a copy that begins or ends: what others do then would not commute with that; nor
 * where a path was chosen, which would be another next time. */
static bool is_in_step(struct walk *w, const struct progress *p)
{
	assert(p->seen.noticed == FUNCTIONAL_NOTHING || p->seen.lanes);
	w->ran |= p->seen.lanes;
	if (!w->search->reduces || !w->count || w->loud || w->cut)
		return false;
	assert(w->from != GRAPH_NONE);
	assert(w->count <= MOST_QUIET);
	w->loud = was_loud(w, p, w->via);
	if (w->loud || w->search->log.opened || w->search->log.signalled || !actor_can_run(w->search, p, w->via))
		return false;
	w->cut = p->seen.noticed == FUNCTIONAL_NOTHING || w->count == MOST_QUIET ||
		 part_is_path(graph_step(&w->search->graph, w->via).part) || polls(w, p);
	w->count += !w->cut;
	return !w->cut;
}

/* Those that can run take turns, which every model allows for a while. */
static bool go_on(struct walk *w, const struct progress *p, struct schedule_run *step)
{
	uint32_t actors = graph_actors(&w->search->graph);
	assert(w->ended);
	if (!w->goes_on || w->strayed || !w->rest)
		return false;
	w->rest--;
	for (uint32_t k = 0; k < actors; k++) {
		uint32_t actor = (w->turn + k) % actors;
		if (!actor_can_run(w->search, p, actor))
			continue;
		w->turn = actor + 1;
		if (w->search->reduces)
			log_next(w, p, actor);
		*step = graph_step(&w->search->graph, actor);
		return true;
	}
	return false;
}

/* Tells how many copies the group has begun whose part has taken a step. */
static void note_copies(struct search *s, const struct progress *p)
{
	const struct progress_group *g = &p->groups[s->log.actor / s->log.parts];
	assert(s->reduces);
	assert(s->log.actor < s->log.actors);
	if (s->graph.copies)
		steps_copies(&s->log, g->finished ? 0 : copy_count(g->core, g->group));
}

static bool choose(struct walk *w, const struct progress *p, struct schedule_run *step)
{
	if (!w->begun)
		watch_everyone(p->machine);
	else if (w->search->reduces)
		note_copies(w->search, p);
	w->begun = true;
	if (w->ended)
		return go_on(w, p, step);
	if (follow_known(w, p, step))
		return true;
	if (!is_in_step(w, p)) {
		arrive(w, p);
		w->via = w->strayed ? GRAPH_NONE : graph_unknown(&w->search->graph, w->from, perhaps_quiet(w, p));
		w->ended = w->via == GRAPH_NONE || ++w->steps > MOST_STEPS ||
			   w->search->graph.nodes.count > MOST_STATES || w->search->log.conflicts ||
			   w->search->log.too_many;
		if (w->ended)
			return go_on(w, p, step);
		begin_step(w, p);
	}
	*step = graph_step(&w->search->graph, w->via);
	return true;
}

static uint32_t next(struct schedule *schedule, const struct progress *p)
{
	struct walk *w = (struct walk *)schedule;
	struct schedule_run step;
	bool any = choose(w, p, &step), more;
	assert(!any || step.group < p->view.groups);
	if (w->goes_on)
		note_findings(w->search, w);
	if (!any)
		return SCHEDULE_END;
	w->base.part = step.part;
	if (!w->goes_on)
		return step.group;
	more = w->all.count && w->all.at[w->all.count - 1].group == step.group &&
	       w->all.at[w->all.count - 1].part == step.part;
	if (more)
		w->all.at[w->all.count - 1].count++;
	else
		*vector_push(&w->search->scratch, &w->all) =
			(struct schedule_run){.group = step.group, .part = step.part, .count = 1};
	return step.group;
}

static void finished(struct schedule *schedule, const struct progress *p)
{
	struct walk *w = (struct walk *)schedule;
	assert(!p->unfinished);
	if (w->ended)
		return;
	is_in_step(w, p);
	arrive(w, p);
}

/* ---- One walk after another ---- */

/* Runs the kernel once; then memory is put back. */
static enum gpu_outcome run(struct search *s, struct walk *walk)
{
	struct gpu_result result;
	assert(!s->gpu->machine);
	s->gpu->schedule = &walk->base;
	s->gpu->launches = s->launches;
	gpu_start(s->gpu, s->what);
	gpu_finish(s->gpu, &result);
	return result.outcome;
}

/* The first walk's known steps are none, and it begins at a state that is not known either. */
static struct walk begin_walk(struct search *s)
{
	struct walk walk = {.base.next = next,
		.base.finished = finished,
		.from = GRAPH_NONE,
		.known_actor = GRAPH_NONE,
		.base.by_parts = s->graph.parts > 1,
		.goes_on = s->checks,
		.rest = MORE_STEPS,
		.search = s};
	walk.groups = arena_array(&s->scratch, s->graph.groups, sizeof *walk.groups);
	steps_begin(&s->log, &s->scratch);
	if (!s->graph.nodes.count)
		return walk;
	assert(s->cursor < s->graph.nodes.count);
	walk.from = s->cursor;
	graph_path(&s->graph, s->cursor, NULL, &s->scratch, &walk.known);
	return walk;
}

static void note_fault(struct search *s, const struct walk *walk)
{
	struct schedule_run last;
	assert(walk->ended || walk->from != GRAPH_NONE);
	assert(s->outcome->verdict != SEARCH_FAULTS);
	s->outcome->verdict = SEARCH_FAULTS;
	if (walk->ended) {
		s->outcome->list = steps_of(s, walk);
		return;
	}
	last = graph_step(&s->graph, walk->via);
	last.count = walk->count;
	graph_path(&s->graph, walk->from, &last, s->arena, &s->outcome->list);
}

/* Forgets all states, since instructions that were taken for quiet are not. */
static void begin_anew(struct search *s)
{
	uint32_t count = s->what->kernel->code_count;
	assert(s->reduces);
	assert(s->log.conflicts <= count);
	for (uint32_t k = 0; k < count; k++)
		s->quiet[k] &= !s->log.too_many && !s->log.in_conflict[k];
	memset(s->quiet_from, 0, count * sizeof *s->quiet_from);
	s->log.conflicts = 0;
	s->log.too_many = false;
	s->graph.nodes.count = s->graph.edges.count = s->graph.unknown = 0;
	s->graph.can_run.count = s->graph.ran.count = 0;
	s->graph.index = (struct map){0};
	s->footprints = (struct footprints){0};
	s->cursor = 0;
}

/* False: there is nothing left to be known, or no more can be. */
static bool walk_once(struct search *s)
{
	struct walk walk;
	enum gpu_outcome outcome;
	bool cut; /* not everything can be seen */
	assert(s->cursor <= s->graph.nodes.count);
	while (s->cursor < s->graph.nodes.count && graph_unknown(&s->graph, s->cursor, 0) == GRAPH_NONE)
		s->cursor++;
	if (s->cursor && s->cursor == s->graph.nodes.count)
		return false;
	walk = begin_walk(s);
	outcome = run(s, &walk);
	note_findings(s, &walk);
	s->outcome->walks++;
	if (outcome == GPU_FAULT)
		note_fault(s, &walk);
	arena_free(&s->scratch);
	cut = walk.strayed || (outcome == GPU_LIMIT && !walk.ended) || outcome == GPU_INTERRUPTED ||
	      s->graph.nodes.count > MOST_STATES;
	if (outcome != GPU_FAULT && !cut && (s->log.conflicts || s->log.too_many))
		begin_anew(s);
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

static bool has_copies(const struct kernel *kernel)
{
	assert(kernel->code_count);
	for (uint32_t k = 0; k < kernel->code_count; k++)
		if (kernel->code[k].kind == INSN_COPY)
			return true;
	return false;
}

/* Whether lanes of a warp can go ways of their own. */
static bool has_branches(const struct kernel *kernel)
{
	assert(kernel->code_count);
	for (uint32_t k = 0; k < kernel->code_count; k++)
		if (kernel->code[k].kind == INSN_BRANCH && kernel->code[k].flags & INSN_GUARDED)
			return true;
	return false;
}

#define MOST_PATHS 3u /* of a warp, beside the one that runs */

/* Each warp is an actor if a node has bits for all; else a group is, whose warps take turns.  What is left of the bits
 * is for another path of each warp, then for copies, then for more paths. */
static void choose_parts(struct search *s)
{
	struct state_graph *g = &s->graph;
	uint32_t lanes = s->gpu->model->warp_size, warps = (s->what->group.threads + lanes - 1) / lanes, left;
	bool by_warps = g->groups * warps <= GRAPH_ACTORS,
	     by_paths = by_warps && s->gpu->divergence->others && has_branches(s->what->kernel);
	assert(warps);
	g->warps = by_warps ? warps : 1;
	left = GRAPH_ACTORS / g->groups - g->warps;
	if (by_warps && has_copies(s->what->kernel))
		g->copies = by_paths && left >= 2 * warps ? left - warps : left;
	g->copies = g->copies < COPIES_LATER ? g->copies : COPIES_LATER;
	if (by_paths)
		g->paths = (left - g->copies) / warps;
	g->paths = g->paths < MOST_PATHS ? g->paths : MOST_PATHS;
	g->parts = g->warps * (1 + g->paths) + g->copies;
	assert(g->copies <= COPIES_LATER);
	assert(g->parts * g->groups <= GRAPH_ACTORS);
	s->reduces = g->parts > 1;
	assert(graph_actors(&s->graph) <= GRAPH_ACTORS);
	assert(s->graph.warps == warps || !s->reduces);
}

/* Of a work-group's own memory. */
static bool may_be_quiet_there(const struct kernel *kernel, uint32_t pc, struct arena *scratch)
{
	assert(pc < kernel->code_count);
	switch (kernel->code[pc].op) {
	case OP_mbarrier_arrive:
	case OP_mbarrier_arrive_expect_tx:
	case OP_mbarrier_complete_tx:
	case OP_cp_async_bulk_load:
	case OP_cp_async_bulk_load_cta:
	case OP_cp_async_bulk_shared: return true;
	case OP_mbarrier_test:
	case OP_mbarrier_test_parity:
	case OP_mbarrier_try:
	case OP_mbarrier_try_parity: return await_at(kernel, pc, scratch);
	default: return false;
	}
}

/* Whether it is hoped to be quiet. */
static bool may_be_quiet(const struct search *s, uint32_t pc, struct arena *scratch)
{
	const struct insn *i = &s->what->kernel->code[pc];
	assert(i->kind < INSN_KINDS);
	if (i->kind == INSN_MBARRIER || i->kind == INSN_COPY)
		return launch_cluster_size(&s->what->values) == 1 && may_be_quiet_there(s->what->kernel, pc, scratch);
	/* COPY_WAIT is about the warp's own copies, and the end of one lets it go on, or before it has come there */
	return i->kind == INSN_LOAD || i->kind == INSN_STORE || i->kind == INSN_ATOMIC || i->kind == INSN_COPY_WAIT ||
	       i->kind == INSN_BARRIER;
}

static void begin_log(struct search *s, struct arena *arena)
{
	uint32_t count = s->what->kernel->code_count;
	assert(graph_actors(&s->graph) <= STEP_ACTORS);
	assert(count);
	s->quiet = arena_new_array(arena, bool, count);
	s->quiet_from = arena_new_array(arena, bool, count);
	s->log = (struct steps){.quiet = s->quiet,
		.data_only = slice_data_only(s->what->kernel, arena),
		.parts = s->graph.warps + s->graph.copies,
		.warps = s->graph.warps,
		.actors = (s->graph.warps + s->graph.copies) * s->graph.groups,
		.in_conflict = arena_new_array(arena, bool, count)};
	for (uint32_t k = 0; k < count; k++)
		s->quiet[k] = may_be_quiet(s, k, arena);
}

void gpu_search(struct gpu *gpu, const struct gpu_launch *what, uint64_t most, struct arena *arena,
	struct search_outcome *outcome)
{
	struct search s = {.gpu = gpu,
		.what = what,
		.arena = arena,
		.graph = {.groups = what->values.grid[0] * what->values.grid[1] * what->values.grid[2]},
		.launches = gpu->launches,
		.outcome = outcome};
	struct gpu before = *gpu;
	struct arena own = {0};
	assert(s.graph.groups <= GRAPH_GROUPS);
	choose_parts(&s);
	assert(!gpu->machine);
	s.graph.arena = &own;
	*outcome = (struct search_outcome){.verdict = SEARCH_UNDECIDED};
	gpu_hide(gpu);
	gpu->observe[OBSERVER_races] = before.observe[OBSERVER_races];
	gpu->observe[OBSERVER_sync] = before.observe[OBSERVER_sync];
	gpu->observe[OBSERVER_phases] = before.observe[OBSERVER_phases];
	begin_log(&s, &own);
	if (s.reduces)
		gpu->observe[OBSERVER_steps] = &s.log;
	s.checks = gpu->observe[OBSERVER_races] || gpu->observe[OBSERVER_sync];
	gpu->options.pause_when_stuck = false;
	gpu->experiment.keeps_start = gpu->experiment.puts_back = true;
	while (outcome->walks < most && walk_once(&s))
		if (outcome->walks >= 64 && !(outcome->walks & (outcome->walks - 1)) && judge(&s))
			break;
	judge(&s);
	gpu->options.print = before.options.print;
	gpu->options.progress = before.options.progress;
	memcpy(gpu->observe, before.observe, sizeof gpu->observe);
	gpu->explain = before.explain;
	gpu->options.pause_when_stuck = before.options.pause_when_stuck;
	gpu->experiment = before.experiment;
	gpu->schedule = NULL;
	gpu->launches = before.launches;
	arena_free(&own);
}
