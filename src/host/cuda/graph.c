/* Graphs: their nodes and edges, copies, and what can be asked about them. */
#include "host/cuda/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sets ---- */

bool nodes_add(struct node_set *set, struct cuda_node *node)
{
	if (set->count == set->capacity) {
		size_t capacity = set->capacity ? set->capacity * 2 : 4;
		struct cuda_node **more = realloc(set->at, capacity * sizeof(*more));
		if (!more)
			return false;
		set->at = more;
		set->capacity = capacity;
	}
	set->at[set->count++] = node;
	return true;
}

bool nodes_have(const struct node_set *set, const struct cuda_node *node)
{
	for (size_t k = 0; k < set->count; k++)
		if (set->at[k] == node)
			return true;
	return false;
}

bool nodes_unite(struct node_set *set, const struct node_set *others)
{
	for (size_t k = 0; k < others->count; k++)
		if (!nodes_have(set, others->at[k]) && !nodes_add(set, others->at[k]))
			return false;
	return true;
}

void nodes_clear(struct node_set *set)
{
	free(set->at);
	*set = (struct node_set){0};
}

static void nodes_remove(struct node_set *set, const struct cuda_node *node)
{
	size_t kept = 0;
	for (size_t k = 0; k < set->count; k++)
		if (set->at[k] != node)
			set->at[kept++] = set->at[k];
	set->count = kept;
}

static void remove_edge(struct cuda_node *to, const struct cuda_node *from)
{
	nodes_remove(&to->before, from);
	nodes_remove(&to->early, from);
}

static bool copy_edge(struct cuda_node *to, struct cuda_node *from, bool is_early)
{
	return nodes_add(&to->before, from) && (!is_early || nodes_add(&to->early, from));
}

/* ---- Making and freeing ---- */

struct cuda_graph *graph_new(void)
{
	static _Atomic uint64_t made;
	struct cuda_graph *graph = calloc(1, sizeof *graph);
	if (graph)
		graph->id = ++made;
	return graph;
}

static void discard_work(struct cuda_node *node)
{
	if (node->work && node->kind->discard)
		node->kind->discard(node->work);
	free(node->work);
	free(node->arguments);
	node->work = NULL;
	node->arguments = NULL;
}

static void free_inner(struct cuda_node *node)
{
	for (uint32_t k = 0; k < node->inner_count; k++)
		graph_free(node->inner[k]);
	node->inner_count = 0;
}

bool node_set_inner(struct cuda_node *node, struct cuda_graph *const *inner, uint32_t count)
{
	assert(!node->inner || node->inner_count == count); /* the application may know the array */
	free_inner(node);
	if (!node->inner)
		node->inner = calloc(count, sizeof(*node->inner));
	for (uint32_t k = 0; k < count; k++) {
		inner[k]->is_child = true;
		if (node->inner)
			node->inner[k] = inner[k];
		else
			graph_free(inner[k]);
	}
	node->inner_count = node->inner ? count : 0;
	return node->inner;
}

static void node_free(struct cuda_node *node)
{
	discard_work(node);
	free_inner(node);
	free(node->inner);
	free(node->attributes);
	condition_drop(node->condition);
	if (node->memory)
		graph_memory_forget(node);
	nodes_clear(&node->before);
	nodes_clear(&node->early);
	free(node);
}

void graph_free(struct cuda_graph *graph)
{
	if (!graph)
		return;
	for (size_t k = 0; k < graph->nodes.count; k++)
		node_free(graph->nodes.at[k]);
	nodes_clear(&graph->nodes);
	nodes_clear(&graph->order);
	objects_drop(graph);
	conditions_drop(graph);
	free(graph);
}

struct cuda_node *graph_add(struct cuda_graph *graph, enum cudaGraphNodeType type, const struct node_set *before)
{
	struct cuda_node *node = calloc(1, sizeof *node);
	if (!node)
		return NULL;
	node->graph = graph;
	node->type = type;
	if (nodes_unite(&node->before, before) && nodes_add(&graph->nodes, node))
		return node;
	node_free(node);
	return NULL;
}

bool node_set_work(struct cuda_node *node, const struct work_kind *kind, const void *work)
{
	void *copy = malloc(kind->bytes);
	if (!copy) {
		if (kind->discard)
			kind->discard((void *)(uintptr_t)work);
		return false;
	}
	memcpy(copy, work, kind->bytes);
	discard_work(node);
	node->kind = kind;
	node->work = copy;
	return true;
}

/* Null: no memory. */
static void *copy_of_work(const struct cuda_node *node)
{
	void *work = malloc(node->kind->bytes);
	if (!work)
		return NULL;
	memcpy(work, node->work, node->kind->bytes);
	if (!node->kind->copy || node->kind->copy(work))
		return work;
	free(work);
	return NULL;
}

static bool copy_inner(struct cuda_node *node, const struct cuda_node *from)
{
	struct cuda_graph **copies = calloc(from->inner_count, sizeof(*copies));
	uint32_t made = 0;
	while (copies && made < from->inner_count && (copies[made] = graph_copy(from->inner[made])))
		made++;
	bool good = made == from->inner_count && node_set_inner(node, copies, made);
	while (!good && made < from->inner_count && made)
		graph_free(copies[--made]);
	free(copies);
	return good;
}

bool node_copy_contents(struct cuda_node *node, const struct cuda_node *from)
{
	if (from->work) {
		void *work = copy_of_work(from);
		if (!work)
			return false;
		discard_work(node);
		node->kind = from->kind;
		node->work = work;
	}
	if ((from->inner_count && !copy_inner(node, from)) || !node_copy_attributes(node, from))
		return false;
	if (from->condition) {
		condition_hold(from->condition);
		condition_drop(node->condition);
		node->condition = from->condition;
		node->how = from->how;
	}
	node->event = from->event;
	if (from->memory && !node->memory)
		graph_memory_place(node, from->memory);
	return true;
}

/* Nodes are numbered, so that edges find their ends in the copy. */
static bool copy_nodes(struct cuda_graph *copy, const struct cuda_graph *graph)
{
	for (size_t k = 0; k < graph->nodes.count; k++) {
		struct cuda_node *node = graph_add(copy, graph->nodes.at[k]->type, &(struct node_set){0});
		if (!node || !node_copy_contents(node, graph->nodes.at[k]))
			return false;
		node->original = graph->nodes.at[k];
		graph->nodes.at[k]->number = (uint32_t)k;
	}
	for (size_t k = 0; k < graph->nodes.count; k++) {
		const struct node_set *before = &graph->nodes.at[k]->before;
		for (size_t e = 0; e < before->count; e++)
			if (!copy_edge(copy->nodes.at[k], copy->nodes.at[before->at[e]->number],
				    nodes_have(&graph->nodes.at[k]->early, before->at[e])))
				return false;
	}
	return true;
}

struct cuda_graph *graph_copy(const struct cuda_graph *graph)
{
	struct cuda_graph *copy = graph_new();
	if (copy && copy_nodes(copy, graph) && objects_copy(copy, graph) && conditions_copy(copy, graph))
		return copy;
	graph_free(copy);
	return NULL;
}

struct cuda_node *graph_find_copy(const struct cuda_graph *copy, const struct cuda_node *original)
{
	for (size_t k = 0; k < copy->nodes.count; k++)
		if (copy->nodes.at[k]->original == original)
			return copy->nodes.at[k];
	return NULL;
}

bool graph_has_memory_nodes(const struct cuda_graph *graph)
{
	for (size_t k = 0; k < graph->nodes.count; k++) {
		const struct cuda_node *node = graph->nodes.at[k];
		if (node->memory)
			return true;
		for (uint32_t i = 0; i < node->inner_count; i++)
			if (graph_has_memory_nodes(node->inner[i]))
				return true;
	}
	return false;
}

/* Graphs with conditional nodes cannot be nodes of others, so their children have none. */
bool graph_has_conditions(const struct cuda_graph *graph)
{
	for (size_t k = 0; k < graph->nodes.count; k++)
		if (graph->nodes.at[k]->condition)
			return true;
	return graph->condition_count;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	cudaError_t error = error_unless(graph && !flags);
	if (!error && !(*graph = graph_new()))
		error = cudaErrorMemoryAllocation;
	return error_note(error);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	if (!graph || graph->is_child)
		return error_note(cudaErrorInvalidValue);
	graph_free(graph);
	return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
	if (!clone || !graph)
		return error_note(cudaErrorInvalidValue);
	if (graph_has_memory_nodes(graph) || graph_has_conditions(graph))
		return error_note(cudaErrorNotSupported);
	*clone = graph_copy(graph);
	return error_note(*clone ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
	if (!node || !original || !clone)
		return error_note(cudaErrorInvalidValue);
	*node = graph_find_copy(clone, original);
	return error_note(*node ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- Edges ---- */

/* Programmatic edges let a kernel begin before the one before it is over.  Those that wait for its beginning alone
 * count as plain, which it may. */
#define PORT_PROGRAMMATIC 1

bool graph_note_edge(struct cuda_node *to, struct cuda_node *from, const cudaGraphEdgeData *edges, size_t k)
{
	bool is_early = edges && edges[k].type == 1 && edges[k].from_port == PORT_PROGRAMMATIC;
	return !is_early || nodes_have(&to->early, from) || nodes_add(&to->early, from);
}

/* `to`: the later nodes; null: they are new. */
static bool are_edges(
	const cudaGraphEdgeData *edges, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
	static const cudaGraphEdgeData plain;
	for (size_t k = 0; edges && k < count; k++) {
		cudaGraphEdgeData rest = edges[k];
		bool is_early = rest.type == 1 && (rest.from_port == 1 || rest.from_port == 2) &&
				from[k]->type == cudaGraphNodeTypeKernel &&
				(!to || to[k]->type == cudaGraphNodeTypeKernel);
		if (is_early)
			rest.type = rest.from_port = 0;
		if (memcmp(&rest, &plain, sizeof plain))
			return false;
	}
	return true;
}

cudaError_t graph_check_nodes(
	const struct cuda_graph *graph, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count)
{
	if (!graph || (count && !nodes))
		return cudaErrorInvalidValue;
	for (size_t k = 0; k < count; k++)
		if (!nodes[k] || nodes[k]->graph != graph ||
			nodes_have(&(struct node_set){(cudaGraphNode_t *)(uintptr_t)nodes, k, k}, nodes[k]))
			return cudaErrorInvalidValue;
	return are_edges(edges, nodes, NULL, count) ? cudaSuccess : cudaErrorNotSupported;
}

static cudaError_t check_edges(const struct cuda_graph *graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count, bool exist)
{
	if (!graph || (count && (!from || !to)))
		return cudaErrorInvalidValue;
	for (size_t k = 0; k < count; k++) {
		if (!from[k] || !to[k] || from[k] == to[k] || from[k]->graph != graph || to[k]->graph != graph)
			return cudaErrorInvalidValue;
		if (nodes_have(&to[k]->before, from[k]) != exist)
			return cudaErrorInvalidValue;
	}
	return are_edges(edges, from, to, count) ? cudaSuccess : cudaErrorNotSupported;
}

cudaError_t graph_add_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count)
{
	cudaError_t error = check_edges(graph, from, to, edges, count, false);
	for (size_t k = 0; !error && k < count; k++)
		if (!nodes_add(&to[k]->before, from[k]) || !graph_note_edge(to[k], from[k], edges, k))
			error = cudaErrorMemoryAllocation;
	return error_note(error);
}

cudaError_t graph_remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count)
{
	cudaError_t error = check_edges(graph, from, to, edges, count, true);
	if (!error && graph_has_memory_nodes(graph))
		error = cudaErrorNotSupported;
	for (size_t k = 0; !error && k < count; k++)
		remove_edge(to[k], from[k]);
	return error_note(error);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	if (!node)
		return error_note(cudaErrorInvalidValue);
	struct cuda_graph *graph = node->graph;
	if (graph_has_memory_nodes(graph))
		return error_note(cudaErrorNotSupported);
	nodes_remove(&graph->nodes, node);
	for (size_t k = 0; k < graph->nodes.count; k++)
		remove_edge(graph->nodes.at[k], node);
	node_free(node);
	return cudaSuccess;
}

/* ---- Questions ----
 *
 * As CUDA answers: without an array the number of all; with one as many as it has room for, the rest null. */

static cudaError_t answer_nodes(
	const struct node_set *set, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count)
{
	if (edges)
		memset(edges, 0, *count * sizeof *edges);
	for (size_t k = 0; nodes && k < *count; k++)
		nodes[k] = k < set->count ? set->at[k] : NULL;
	if (!nodes || *count > set->count)
		*count = set->count;
	return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	return error_note(graph && count ? answer_nodes(&graph->nodes, nodes, NULL, count) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	struct node_set roots = {0};
	cudaError_t error = graph && count ? cudaSuccess : cudaErrorInvalidValue;
	for (size_t k = 0; !error && k < graph->nodes.count; k++)
		if (!graph->nodes.at[k]->before.count && !nodes_add(&roots, graph->nodes.at[k]))
			error = cudaErrorMemoryAllocation;
	if (!error)
		error = answer_nodes(&roots, nodes, NULL, count);
	nodes_clear(&roots);
	return error_note(error);
}

cudaError_t graph_edges(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count)
{
	size_t number = 0;
	if (!graph || !count || !from != !to)
		return error_note(cudaErrorInvalidValue);
	for (size_t k = 0; k < graph->nodes.count; k++) {
		struct cuda_node *node = graph->nodes.at[k];
		for (size_t e = 0; e < node->before.count; e++, number++)
			if (from && number < *count)
				from[number] = node->before.at[e], to[number] = node;
	}
	for (size_t k = number; from && k < *count; k++)
		from[k] = to[k] = NULL;
	if (edges)
		memset(edges, 0, *count * sizeof *edges);
	if (!from || *count > number)
		*count = number;
	return cudaSuccess;
}

cudaError_t node_before(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count)
{
	return error_note(node && count ? answer_nodes(&node->before, nodes, edges, count) : cudaErrorInvalidValue);
}

cudaError_t node_after(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count)
{
	struct node_set later = {0};
	cudaError_t error = node && count ? cudaSuccess : cudaErrorInvalidValue;
	for (size_t k = 0; !error && k < node->graph->nodes.count; k++) {
		struct cuda_node *other = node->graph->nodes.at[k];
		if (nodes_have(&other->before, node) && !nodes_add(&later, other))
			error = cudaErrorMemoryAllocation;
	}
	if (!error)
		error = answer_nodes(&later, nodes, edges, count);
	nodes_clear(&later);
	return error_note(error);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
	if (!node || !type)
		return error_note(cudaErrorInvalidValue);
	*type = node->type;
	return cudaSuccess;
}
