/* Immediate dominators and post-dominators, by Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a
 * Flowgraph" (1979), the simple version: blocks and edges times a logarithm, whatever the graph.
 *
 * Post-dominators are dominators of the reversed graph, whose root is a virtual end that every leaving block leads to.
 * Blocks from which the end cannot be reached (infinite loops, traps) would have no post-dominator at all, and the
 * branches in them no place to reconverge; so one block of each such region, the last in reverse postorder (in a loop:
 * the latch), gets an edge to the end that no lane ever takes.  Regions that only trap get none: lanes that trap
 * reconverge nobody. */
#include "kernel/flow_parts.h"

/* A graph to find dominators in: nodes 0 .. count-1, root included; edges as lists. */
struct graph {
	uint32_t count, root;
	uint32_t **in, *in_count;   /* predecessors */
	uint32_t **out, *out_count; /* successors */
	uint32_t *parent;           /* immediate dominator; NO_BLOCK when not reached, of the root too */
};

struct frame {
	uint32_t node, next;
};

/* Depth first without recursion, since PTX functions may have tens of thousands of blocks. */
uint32_t flow_reverse_postorder(struct arena *arena, const struct flow *flow, uint32_t *order, uint32_t *number)
{
	struct frame *stack = arena_new_array(arena, struct frame, flow->block_count + 1);
	uint32_t depth = 0, count = flow->block_count, left = count;
	for (uint32_t n = 0; n < count; n++)
		number[n] = NO_BLOCK;
	stack[depth++] = (struct frame){0, 0};
	number[0] = 0;
	while (depth) {
		struct frame *top = &stack[depth - 1];
		const struct flow_block *block = &flow->blocks[top->node];
		if (top->next < block->successor_count) {
			uint32_t to = block->successors[top->next++];
			if (number[to] == NO_BLOCK) {
				number[to] = 0;
				stack[depth++] = (struct frame){to, 0};
			}
		} else {
			order[--left] = top->node;
			depth--;
		}
	}
	for (uint32_t k = left; k < count; k++) {
		order[k - left] = order[k];
		number[order[k]] = k - left;
	}
	return count - left;
}

/* Lengauer's and Tarjan's names, but for `number`: nodes are known by their numbers in preorder from 1 on, 0 is
 * none. */
struct numbered {
	const struct graph *graph;
	uint32_t *number;   /* per node */
	uint32_t *node;     /* what follows is per number */
	uint32_t *parent;   /* in the tree of the depth-first walk */
	uint32_t *semi;     /* number of the semidominator */
	uint32_t *ancestor; /* in the forest of what was processed; 0: the root of its tree */
	uint32_t *label;    /* the number with the least semidominator on the compressed path to the ancestor */
	uint32_t *dominator;
	uint32_t *bucket, *next; /* lists: those whose semidominator is this */
	uint32_t *stack;
	uint64_t steps;
};

static uint32_t number_nodes(struct arena *arena, struct numbered *n)
{
	const struct graph *graph = n->graph;
	struct frame *stack = arena_new_array(arena, struct frame, graph->count + 1);
	uint32_t depth = 0, count = 1;
	stack[depth++] = (struct frame){graph->root, 0};
	n->number[graph->root] = 1;
	n->node[1] = graph->root;
	while (depth) {
		struct frame *top = &stack[depth - 1];
		if (top->next == graph->out_count[top->node]) {
			depth--;
			continue;
		}
		uint32_t to = graph->out[top->node][top->next++];
		if (n->number[to])
			continue;
		n->number[to] = ++count;
		n->node[count] = to;
		n->parent[count] = n->number[top->node];
		stack[depth++] = (struct frame){to, 0};
	}
	return count;
}

/* EVAL, with compression of the path and without recursion. */
static uint32_t least_above(struct numbered *n, uint32_t v)
{
	uint32_t depth = 0;
	if (!n->ancestor[v])
		return v;
	for (uint32_t at = v; n->ancestor[n->ancestor[at]]; at = n->ancestor[at])
		n->stack[depth++] = at;
	n->steps += depth;
	while (depth) {
		uint32_t at = n->stack[--depth], above = n->ancestor[at];
		if (n->semi[n->label[above]] < n->semi[n->label[at]])
			n->label[at] = n->label[above];
		n->ancestor[at] = n->ancestor[above];
	}
	return n->label[v];
}

static void find_semidominator(struct numbered *n, uint32_t w)
{
	const struct graph *graph = n->graph;
	uint32_t node = n->node[w];
	n->steps += graph->in_count[node];
	for (uint32_t p = 0; p < graph->in_count[node]; p++) {
		uint32_t from = n->number[graph->in[node][p]];
		if (!from) /* not reached */
			continue;
		uint32_t semi = n->semi[least_above(n, from)];
		n->semi[w] = semi < n->semi[w] ? semi : n->semi[w];
	}
}

static void process(struct numbered *n, uint32_t w)
{
	uint32_t parent = n->parent[w];
	find_semidominator(n, w);
	n->next[w] = n->bucket[n->semi[w]];
	n->bucket[n->semi[w]] = w;
	n->ancestor[w] = parent;
	for (uint32_t v = n->bucket[parent]; v; v = n->next[v]) {
		uint32_t u = least_above(n, v);
		n->dominator[v] = n->semi[u] < n->semi[v] ? u : parent;
	}
	n->bucket[parent] = 0;
}

static struct graph new_graph(struct arena *arena, uint32_t count, uint32_t root)
{
	return (struct graph){.count = count,
		.root = root,
		.in = arena_new_array(arena, uint32_t *, count),
		.in_count = arena_new_array(arena, uint32_t, count),
		.out = arena_new_array(arena, uint32_t *, count),
		.out_count = arena_new_array(arena, uint32_t, count)};
}

/* Returns the steps that it took. */
static uint64_t find(struct arena *arena, struct graph *graph)
{
	struct numbered n = {.graph = graph, .number = arena_new_array(arena, uint32_t, graph->count)};
	uint32_t **parts[] = {
		&n.node, &n.parent, &n.semi, &n.ancestor, &n.label, &n.dominator, &n.bucket, &n.next, &n.stack};
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		*parts[k] = arena_new_array(arena, uint32_t, graph->count + 1);
	uint32_t count = number_nodes(arena, &n);
	for (uint32_t w = 1; w <= count; w++)
		n.semi[w] = n.label[w] = w;
	for (uint32_t w = count; w > 1; w--)
		process(&n, w);
	for (uint32_t w = 2; w <= count; w++)
		if (n.dominator[w] != n.semi[w])
			n.dominator[w] = n.dominator[n.dominator[w]];
	graph->parent = arena_new_array(arena, uint32_t, graph->count);
	for (uint32_t b = 0; b < graph->count; b++)
		graph->parent[b] = n.number[b] > 1 ? n.node[n.dominator[n.number[b]]] : NO_BLOCK;
	return n.steps;
}

static void find_dominators(struct arena *arena, struct flow *flow)
{
	struct graph graph = new_graph(arena, flow->block_count, 0);
	for (uint32_t b = 0; b < graph.count; b++) {
		graph.in[b] = flow->blocks[b].predecessors;
		graph.in_count[b] = flow->blocks[b].predecessor_count;
		graph.out[b] = flow->blocks[b].successors;
		graph.out_count[b] = flow->blocks[b].successor_count;
	}
	flow->steps += find(arena, &graph);
	for (uint32_t b = 0; b < graph.count; b++)
		flow->blocks[b].dominator = graph.parent[b];
}

/* Marks the blocks that can reach the end once `seed` leads there. */
static void mark_reaching(const struct flow *flow, uint32_t seed, bool *reaches, uint32_t *stack)
{
	uint32_t depth = 0;
	reaches[seed] = true;
	stack[depth++] = seed;
	while (depth) {
		const struct flow_block *block = &flow->blocks[stack[--depth]];
		for (uint32_t p = 0; p < block->predecessor_count; p++)
			if (!reaches[block->predecessors[p]]) {
				reaches[block->predecessors[p]] = true;
				stack[depth++] = block->predecessors[p];
			}
	}
}

/* Which blocks lead to the virtual end: those that leave, and one of every region that never does. */
static bool *choose_ends(struct arena *arena, const struct flow *flow)
{
	uint32_t count = flow->block_count;
	bool *ends = arena_new_array(arena, bool, count), *reaches = arena_new_array(arena, bool, count);
	uint32_t *stack = arena_new_array(arena, uint32_t, count), *order = arena_new_array(arena, uint32_t, count);
	uint32_t *number = arena_new_array(arena, uint32_t, count);
	for (uint32_t b = 0; b < count; b++)
		if (flow->blocks[b].ends) {
			ends[b] = true;
			mark_reaching(flow, b, reaches, stack);
		}
	uint32_t reached = flow_reverse_postorder(arena, flow, order, number);
	for (uint32_t k = reached; k-- > 0;)
		if (!reaches[order[k]] && flow->blocks[order[k]].successor_count) {
			ends[order[k]] = true;
			mark_reaching(flow, order[k], reaches, stack);
		}
	return ends;
}

static void find_post_dominators(struct arena *arena, struct flow *flow)
{
	uint32_t end = flow->block_count, total = 0;
	bool *ends = choose_ends(arena, flow);
	struct graph graph = new_graph(arena, end + 1, end);
	graph.out[end] = arena_new_array(arena, uint32_t, end);
	for (uint32_t b = 0; b < end; b++) {
		const struct flow_block *block = &flow->blocks[b];
		graph.out[b] = block->predecessors;
		graph.out_count[b] = block->predecessor_count;
		graph.in[b] = arena_new_array(arena, uint32_t, block->successor_count + 1);
		for (uint32_t s = 0; s < block->successor_count; s++)
			graph.in[b][graph.in_count[b]++] = block->successors[s];
		if (ends[b]) {
			graph.in[b][graph.in_count[b]++] = end;
			graph.out[end][total++] = b;
		}
	}
	graph.out_count[end] = total;
	flow->steps += find(arena, &graph);
	for (uint32_t b = 0; b < end; b++)
		flow->blocks[b].post_dominator = graph.parent[b] == end ? NO_BLOCK : graph.parent[b];
}

void flow_find_dominators(struct arena *arena, struct flow *flow)
{
	find_dominators(arena, flow);
	find_post_dominators(arena, flow);
}
