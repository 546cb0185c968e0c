/* The graph of states; its strongly connected parts by Tarjan's algorithm, without recursion. */
#include "machine/progress/state_graph.h"

#include <assert.h>
#include <string.h>

/* ---- Growing ---- */

static struct state_edge *edge(const struct state_graph *g, uint32_t node, uint32_t actor)
{
	assert(node < g->nodes.count);
	assert(actor < graph_actors(g));
	return &g->edges.at[(size_t)node * graph_actors(g) + actor];
}

static uint64_t bit(uint32_t actor)
{
	assert(actor < GRAPH_ACTORS);
	return 1ull << actor;
}

struct schedule_run graph_step(const struct state_graph *g, uint32_t actor)
{
	uint32_t part = actor % g->parts;
	struct schedule_run run = {.group = actor / g->parts, .count = 1};
	assert(actor < graph_actors(g));
	assert(g->warps <= g->parts);
	if (part >= g->warps + g->copies)
		run.part = PART_PATH(
			(part - g->warps - g->copies) / g->paths, (part - g->warps - g->copies) % g->paths + 1);
	else if (part >= g->warps)
		run.part = PART_COPY + part - g->warps;
	else if (g->warps > 1 || g->copies)
		run.part = PART_WARP(part);
	return run;
}

uint32_t graph_actor(const struct state_graph *g, const struct schedule_run *step)
{
	uint32_t part = 0;
	assert(step->group < g->groups);
	if (step->part & PART_COPY)
		part = g->warps + step->part - PART_COPY;
	else if (part_is_path(step->part))
		part = g->warps + g->copies + part_path_warp(step->part) * g->paths + part_path(step->part) - 1;
	else if (step->part != PART_TURN)
		part = step->part - PART_WARP(0);
	assert(part < g->parts);
	return step->group * g->parts + part;
}

uint32_t graph_warp(const struct state_graph *g, uint32_t actor)
{
	uint32_t part = actor % g->parts, group = actor / g->parts;
	assert(group < g->groups);
	if (part >= g->warps + g->copies)
		part = (part - g->warps - g->copies) / g->paths;
	return part < g->warps ? group * g->warps + part : GRAPH_NONE;
}

lane_mask *graph_lanes(struct state_graph *g, uint32_t node)
{
	assert(g->paths);
	assert(node < g->nodes.count);
	return &g->can_run.at[(size_t)node * g->groups * g->warps];
}

void graph_ran(struct state_graph *g, uint32_t node, uint32_t actor, lane_mask lanes)
{
	assert(g->paths);
	assert(edge(g, node, actor)->to != GRAPH_NONE);
	assert(!lanes || graph_warp(g, actor) != GRAPH_NONE);
	g->ran.at[(size_t)node * graph_actors(g) + actor] = lanes;
}

/* The lanes that run in a step which is known. */
static lane_mask ran(const struct state_graph *g, uint32_t node, uint32_t actor)
{
	assert(node < g->nodes.count);
	return g->paths ? g->ran.at[(size_t)node * graph_actors(g) + actor] : 0;
}

/* With no lane that can run or has run. */
static void add_lanes(struct state_graph *g)
{
	assert(g->paths);
	assert(g->can_run.count == (size_t)(g->nodes.count - 1) * g->groups * g->warps);
	for (uint32_t k = 0; k < g->groups * g->warps; k++)
		*vector_push(g->arena, &g->can_run) = 0;
	for (uint32_t k = 0; k < graph_actors(g); k++)
		*vector_push(g->arena, &g->ran) = 0;
}

uint32_t graph_node(struct state_graph *g, const uint64_t print[2], const struct state_node *node)
{
	uintptr_t known = (uintptr_t)map_get_length(&g->index, (const char *)print, 2 * sizeof *print);
	if (known)
		return (uint32_t)known - 1;
	assert(!(node->finished & ~node->started));
	assert(g->edges.count == (size_t)g->nodes.count * graph_actors(g));
	*vector_push(g->arena, &g->nodes) = *node;
	map_put(g->arena, &g->index, (const char *)print, 2 * sizeof *print, (void *)(uintptr_t)g->nodes.count);
	g->nodes.at[g->nodes.count - 1].matters = node->can_run;
	for (uint32_t k = 0; k < graph_actors(g); k++)
		vector_push(g->arena, &g->edges)->to = GRAPH_NONE;
	if (g->paths)
		add_lanes(g);
	g->unknown += (uint32_t)__builtin_popcountll(node->can_run);
	return g->nodes.count - 1;
}

const struct state_edge *graph_edge(const struct state_graph *g, uint32_t node, uint32_t actor)
{
	assert(g->parts && g->warps);
	return edge(g, node, actor);
}

static bool is_known(const struct state_graph *g, uint32_t node, uint32_t actor)
{
	assert(edge(g, node, actor)->to == GRAPH_NONE || edge(g, node, actor)->to < g->nodes.count);
	return edge(g, node, actor)->to != GRAPH_NONE;
}

void graph_connect(struct state_graph *g, uint32_t from, uint32_t actor, const struct state_edge *to)
{
	struct state_node *node = &g->nodes.at[to->to];
	assert(to->to < g->nodes.count);
	assert(to->count);
	assert(g->nodes.at[from].can_run & bit(actor));
	assert(g->unknown || is_known(g, from, actor));
	if (!is_known(g, from, actor) && g->nodes.at[from].matters & bit(actor))
		g->unknown--;
	*edge(g, from, actor) = *to;
	if (to->to && g->nodes.at[from].depth + 1 < node->depth) {
		node->parent = from;
		node->via = actor;
		node->depth = g->nodes.at[from].depth + 1;
	}
}

/* The actor that is followed alone; GRAPH_NONE: there is no such one. */
static uint32_t followed(const struct state_graph *g, uint32_t node)
{
	const struct state_node *n = &g->nodes.at[node];
	assert(node < g->nodes.count);
	assert(!(n->matters & ~n->can_run));
	return n->matters != n->can_run ? (uint32_t)__builtin_ctzll(n->matters) : GRAPH_NONE;
}

bool graph_follow_one(struct state_graph *g, uint32_t node, uint32_t actor)
{
	struct state_node *n = &g->nodes.at[node];
	uint32_t at = edge(g, node, actor)->to, next;
	assert(is_known(g, node, actor));
	assert(n->matters & bit(actor));
	while (at != node && (next = followed(g, at)) != GRAPH_NONE)
		at = edge(g, at, next)->to;
	if (at == node)
		return false;
	for (uint64_t m = n->matters & ~bit(actor); m; m &= m - 1)
		g->unknown -= !is_known(g, node, (uint32_t)__builtin_ctzll(m));
	n->matters = bit(actor);
	return true;
}

uint32_t graph_unknown(const struct state_graph *g, uint32_t node, uint64_t first)
{
	uint64_t unknown = 0;
	assert(node < g->nodes.count);
	for (uint64_t m = g->nodes.at[node].matters; m; m &= m - 1)
		if (!is_known(g, node, (uint32_t)__builtin_ctzll(m)))
			unknown |= m & -m;
	if (!unknown)
		return GRAPH_NONE;
	return (uint32_t)__builtin_ctzll(unknown & first ? unknown & first : unknown);
}

/* ---- Steps, written down ---- */

/* Steps in order, as they are found. */
struct steps {
	struct arena *arena;
	VECTOR(struct schedule_run) runs;
	uint32_t loop; /* no run goes on from before it */
};

static void add_run(struct steps *s, const struct schedule_run *run)
{
	struct schedule_run *last = s->runs.count > s->loop ? &s->runs.at[s->runs.count - 1] : NULL;
	assert(s->loop <= s->runs.count);
	assert(run->count);
	if (last && last->group == run->group && last->part == run->part)
		last->count += run->count;
	else
		*vector_push(s->arena, &s->runs) = *run;
}

/* The step of the actor from the node. */
static void add_step(struct steps *s, const struct state_graph *g, uint32_t node, uint32_t actor)
{
	struct schedule_run run = graph_step(g, actor);
	assert(is_known(g, node, actor));
	run.count = edge(g, node, actor)->count;
	add_run(s, &run);
}

static void add_path(struct steps *s, const struct state_graph *g, uint32_t node)
{
	uint32_t depth = 0, *way;
	assert(node < g->nodes.count);
	for (uint32_t k = node; k; k = g->nodes.at[k].parent)
		depth++;
	assert(depth <= g->nodes.at[node].depth);
	way = arena_new_array(s->arena, uint32_t, depth + 1);
	for (uint32_t k = node, at = depth; k; k = g->nodes.at[k].parent)
		way[--at] = k;
	for (uint32_t k = 0; k < depth; k++)
		add_step(s, g, g->nodes.at[way[k]].parent, g->nodes.at[way[k]].via);
}

void graph_path(const struct state_graph *g, uint32_t node, const struct schedule_run *then, struct arena *arena,
	struct schedule_list *list)
{
	struct steps s = {.arena = arena};
	assert(!then || then->group < g->groups);
	add_path(&s, g, node);
	if (then)
		add_run(&s, then);
	*list = (struct schedule_list){.runs = s.runs.at, .count = s.runs.count, .loop = s.runs.count};
}

/* ---- Strongly connected parts ---- */

struct tarjan {
	uint32_t *number, *low;               /* per node; number 0: not visited */
	uint32_t *part;                       /* per node; GRAPH_NONE: on the stack, or not visited */
	uint32_t *stack, *calls, *next_actor; /* next_actor: per node */
	uint32_t stacked, called, numbered, parts;
};

static void enter(struct tarjan *t, uint32_t node)
{
	assert(!t->number[node]);
	t->number[node] = t->low[node] = ++t->numbered;
	t->stack[t->stacked++] = t->calls[t->called++] = node;
}

static void leave(struct tarjan *t, uint32_t node)
{
	uint32_t other;
	assert(t->called);
	assert(t->stacked);
	t->called--;
	if (t->called && t->low[node] < t->low[t->calls[t->called - 1]])
		t->low[t->calls[t->called - 1]] = t->low[node];
	if (t->low[node] != t->number[node])
		return;
	do {
		other = t->stack[--t->stacked];
		t->part[other] = t->parts;
	} while (other != node);
	t->parts++;
}

static void visit(struct tarjan *t, const struct state_graph *g, uint32_t first)
{
	enter(t, first);
	while (t->called) {
		uint32_t node = t->calls[t->called - 1], to;
		assert(t->next_actor[node] <= graph_actors(g));
		if (t->next_actor[node] == graph_actors(g)) {
			leave(t, node);
			continue;
		}
		to = edge(g, node, t->next_actor[node]++)->to;
		if (to == GRAPH_NONE)
			continue;
		if (!t->number[to])
			enter(t, to);
		else if (t->part[to] == GRAPH_NONE && t->number[to] < t->low[node])
			t->low[node] = t->number[to];
	}
}

/* The part of each node. */
static uint32_t *find_parts(const struct state_graph *g, struct arena *arena, uint32_t *count)
{
	size_t nodes = g->nodes.count;
	struct tarjan t = {.number = arena_new_array(arena, uint32_t, nodes),
		.low = arena_new_array(arena, uint32_t, nodes),
		.part = arena_new_array(arena, uint32_t, nodes),
		.stack = arena_new_array(arena, uint32_t, nodes),
		.calls = arena_new_array(arena, uint32_t, nodes),
		.next_actor = arena_new_array(arena, uint32_t, nodes)};
	memset(t.part, 0xff, nodes * sizeof *t.part);
	for (uint32_t k = 0; k < nodes; k++)
		if (!t.number[k])
			visit(&t, g, k);
	assert(!t.stacked);
	assert(!t.called);
	assert(t.numbered == nodes);
	*count = t.parts;
	return t.part;
}

/* ---- Endless walks ---- */

/* A strongly connected part, as a model looks at it. */
struct part {
	uint32_t entry;   /* the node of least depth */
	uint64_t steps;   /* actors with a step that stays in it */
	uint64_t can_run; /* actors that can, in all of its states */
	/* With paths: the lanes that can in all of them, and those that have a step that stays in it, of each warp of
	 * all groups; else null. */
	lane_mask *lanes, *ran;
	bool any;
};

static void describe_lanes(const struct state_graph *g, uint32_t node, struct part *part, struct arena *arena)
{
	uint32_t warps = g->groups * g->warps;
	const lane_mask *lanes = &g->can_run.at[(size_t)node * warps];
	assert(g->paths);
	if (!part->any) {
		part->lanes = arena_new_array(arena, lane_mask, warps);
		part->ran = arena_new_array(arena, lane_mask, warps);
	}
	for (uint32_t k = 0; k < warps; k++)
		part->lanes[k] = part->any ? part->lanes[k] & lanes[k] : lanes[k];
}

static struct part *describe_parts(
	const struct state_graph *g, const uint32_t *part_of, uint32_t count, struct arena *arena)
{
	struct part *parts = arena_new_array(arena, struct part, count);
	for (uint32_t k = 0; k < g->nodes.count; k++) {
		struct part *part = &parts[part_of[k]];
		assert(part_of[k] < count);
		if (!part->any || g->nodes.at[k].depth < g->nodes.at[part->entry].depth)
			part->entry = k;
		if (g->paths)
			describe_lanes(g, k, part, arena);
		part->can_run = part->any ? part->can_run & g->nodes.at[k].can_run : g->nodes.at[k].can_run;
		part->any = true;
		for (uint32_t actor = 0; actor < graph_actors(g); actor++) {
			uint32_t to = edge(g, k, actor)->to, warp = graph_warp(g, actor);
			if (to == GRAPH_NONE || part_of[to] != part_of[k])
				continue;
			part->steps |= bit(actor);
			if (g->paths && warp != GRAPH_NONE)
				part->ran[warp] |= ran(g, k, actor);
		}
	}
	return parts;
}

/* The actors of a group. */
static uint64_t actors_of(const struct state_graph *g, uint32_t group)
{
	uint64_t parts = g->parts == 64 ? ~0ull : bit(g->parts) - 1;
	assert(group < g->groups);
	return parts << group * g->parts;
}

/* All copies of all groups. */
static uint64_t all_copies(const struct state_graph *g)
{
	uint64_t copies = 0;
	assert(graph_actors(g) <= GRAPH_ACTORS);
	for (uint32_t k = 0; k < graph_actors(g); k++)
		copies |= graph_warp(g, k) == GRAPH_NONE ? bit(k) : 0;
	return copies;
}

/* The actors to which the model guarantees progress in a state. */
static uint64_t guaranteed_in(
	const struct state_graph *g, const struct group_dispatcher *model, const struct state_node *node)
{
	bool started[GRAPH_GROUPS];
	struct progress_view view = {.groups = g->groups, .started = started};
	uint64_t guaranteed = all_copies(g),
		 unfinished = ~node->finished & (g->groups == 64 ? ~0ull : bit(g->groups) - 1);
	assert(g->groups <= GRAPH_GROUPS);
	for (uint32_t k = 0; k < g->groups; k++) {
		started[k] = node->started >> k & 1;
		view.started_below = started[k] ? k + 1 : view.started_below;
	}
	view.lowest = unfinished ? (uint32_t)__builtin_ctzll(unfinished) : g->groups;
	for (uint64_t m = unfinished; m; m &= m - 1)
		if (model->guarantees(&view, (uint32_t)__builtin_ctzll(m)))
			guaranteed |= actors_of(g, (uint32_t)__builtin_ctzll(m));
	return guaranteed;
}

/* The steps that a round lacks: those of actors, and of lanes of warps. */
struct pending {
	uint64_t actors;
	lane_mask lanes[GRAPH_ACTORS]; /* of each warp of all groups; with paths */
};

/* Those to whom the model guarantees a step in the part. */
static void find_pending(const struct state_graph *g, const struct group_dispatcher *model, const struct part *part,
	struct pending *pending)
{
	uint64_t guaranteed = guaranteed_in(g, model, &g->nodes.at[part->entry]);
	assert(part->any);
	*pending = (struct pending){.actors = guaranteed & part->can_run};
	if (!g->paths)
		return;
	pending->actors &= all_copies(g);
	for (uint32_t k = 0; k < graph_actors(g); k++)
		if (guaranteed & bit(k) && graph_warp(g, k) != GRAPH_NONE)
			pending->lanes[graph_warp(g, k)] = part->lanes[graph_warp(g, k)];
}

/* Whether each of them has a step that stays in the part. */
static bool all_step(const struct state_graph *g, const struct part *part, const struct pending *pending)
{
	bool all = !(pending->actors & ~part->steps);
	assert(part->any);
	assert(!g->paths || (part->lanes && part->ran));
	for (uint32_t k = 0; g->paths && k < g->groups * g->warps; k++)
		all &= !(pending->lanes[k] & ~part->ran[k]);
	return all;
}

static bool is_any_pending(const struct pending *pending)
{
	lane_mask lanes = 0;
	assert(pending);
	for (uint32_t k = 0; k < GRAPH_ACTORS; k++)
		lanes |= pending->lanes[k];
	return pending->actors | lanes;
}

/* Whether the actor's step from the node is one of those. */
static bool is_pending(const struct state_graph *g, const struct pending *pending, uint32_t node, uint32_t actor)
{
	uint32_t warp = graph_warp(g, actor);
	assert(is_known(g, node, actor));
	return pending->actors & bit(actor) || (warp != GRAPH_NONE && pending->lanes[warp] & ran(g, node, actor));
}

static void end_pending(const struct state_graph *g, struct pending *pending, uint32_t node, uint32_t actor)
{
	uint32_t warp = graph_warp(g, actor);
	assert(is_pending(g, pending, node, actor));
	assert(warp == GRAPH_NONE || warp < g->groups * g->warps);
	pending->actors &= ~bit(actor);
	if (warp != GRAPH_NONE)
		pending->lanes[warp] &= ~ran(g, node, actor);
}

/* Walks within the part, by the shortest path, to a node from where a step that is pending stays within the part, and
 * takes that step; or, when none is, to the node `goal`.  Returns where it ends; the step is pending no longer. */
static uint32_t walk_to(struct steps *s, const struct state_graph *g, const uint32_t *part_of, uint32_t from,
	struct pending *pending, uint32_t goal)
{
	size_t nodes = g->nodes.count;
	struct arena scratch = {0};
	uint32_t *before = arena_new_array(&scratch, uint32_t, nodes),
		 *via = arena_new_array(&scratch, uint32_t, nodes);
	uint32_t *queue = arena_new_array(&scratch, uint32_t, nodes), first = 0, last = 0, end = GRAPH_NONE,
		 taken = GRAPH_NONE, at = from;
	bool any = is_any_pending(pending);
	assert(from < nodes);
	assert(any || part_of[goal] == part_of[from]);
	memset(before, 0xff, nodes * sizeof *before);
	queue[last++] = from;
	before[from] = from;
	while (end == GRAPH_NONE && first < last) {
		at = queue[first++];
		if (!any && at == goal)
			break;
		for (uint32_t actor = 0; actor < graph_actors(g) && end == GRAPH_NONE; actor++) {
			uint32_t to = edge(g, at, actor)->to;
			if (to == GRAPH_NONE || part_of[to] != part_of[from])
				continue;
			if (is_pending(g, pending, at, actor)) {
				taken = actor;
				end = to;
			} else if (before[to] == GRAPH_NONE) {
				before[to] = at;
				via[to] = actor;
				queue[last++] = to;
			}
		}
	}
	assert(last <= nodes);
	assert(taken != GRAPH_NONE || (!any && at == goal));
	first = last = 0; /* the path, backward */
	for (uint32_t k = at; k != from; k = before[k])
		queue[last++] = k;
	while (last--)
		add_step(s, g, before[queue[last]], via[queue[last]]);
	if (taken != GRAPH_NONE) {
		add_step(s, g, at, taken);
		end_pending(g, pending, at, taken);
		at = end;
	}
	arena_free(&scratch);
	return at;
}

/* A cycle within the part, with a step of each that is guaranteed one; of any actor when none is. */
static void add_round(struct steps *s, const struct state_graph *g, const uint32_t *part_of, const struct part *part,
	struct pending pending)
{
	struct pending none = {0};
	uint32_t at = part->entry;
	assert(part->steps);
	assert(all_step(g, part, &pending));
	if (!is_any_pending(&pending))
		pending.actors = part->steps & -part->steps;
	while (is_any_pending(&pending))
		at = walk_to(s, g, part_of, at, &pending, at);
	walk_to(s, g, part_of, at, &none, part->entry);
}

bool graph_can_finish(const struct state_graph *g)
{
	for (uint32_t k = 0; k < g->nodes.count; k++)
		if ((uint32_t)__builtin_popcountll(g->nodes.at[k].finished) == g->groups)
			return true;
	return false;
}

bool graph_endless(const struct state_graph *g, const struct group_dispatcher *model, struct arena *arena,
	struct schedule_list *list)
{
	struct arena scratch = {0};
	uint32_t count, *part_of = find_parts(g, &scratch, &count);
	struct part *parts = describe_parts(g, part_of, count, &scratch), *best = NULL;
	struct pending best_pending = {0};
	struct steps s = {.arena = arena};
	assert(!g->nodes.count == !count);
	assert(count <= g->nodes.count);
	for (uint32_t k = 0; k < count; k++) {
		const struct state_node *entry = &g->nodes.at[parts[k].entry];
		bool stuck = !entry->can_run && (uint32_t)__builtin_popcountll(entry->finished) < g->groups;
		struct pending pending = {0};
		if (parts[k].steps)
			find_pending(g, model, &parts[k], &pending);
		bool endless = parts[k].steps ? all_step(g, &parts[k], &pending) : stuck;
		if (!endless || (best && g->nodes.at[best->entry].depth <= entry->depth))
			continue;
		best = &parts[k];
		best_pending = pending;
	}
	if (best) {
		add_path(&s, g, best->entry);
		s.loop = s.runs.count;
		if (best->steps)
			add_round(&s, g, part_of, best, best_pending);
		*list = (struct schedule_list){.runs = s.runs.at, .count = s.runs.count, .loop = s.loop};
	}
	arena_free(&scratch);
	return best != NULL;
}
