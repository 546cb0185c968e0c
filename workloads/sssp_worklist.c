/* sssp_worklist: shortest paths from one vertex of a graph, with lists of those whose distance fell, in one launch
 * whose work-groups meet at a barrier behind each step (Lonestar's sssp of paper 4, section 5.3; written from the
 * algorithm).  The distances must be those of Dijkstra's algorithm on the host.  Needs OpenCL C 2.0. */
#include "persistent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE = PERSISTENT_NUMBERS };

#define FAR UINT32_MAX /* as in sssp_worklist.cl */

/* ---- Dijkstra's algorithm, with a binary heap in which a vertex may be several times ---- */

struct entry {
	uint32_t distance, vertex;
};

struct heap {
	struct entry *entries;
	size_t count;
};

static void push(struct heap *heap, struct entry entry)
{
	size_t at = heap->count++;
	for (; at > 0 && heap->entries[(at - 1) / 2].distance > entry.distance; at = (at - 1) / 2)
		heap->entries[at] = heap->entries[(at - 1) / 2];
	heap->entries[at] = entry;
}

static struct entry pop(struct heap *heap)
{
	struct entry least = heap->entries[0], last = heap->entries[--heap->count];
	size_t at = 0, child;
	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && heap->entries[child + 1].distance < heap->entries[child].distance)
			child++;
		if (heap->entries[child].distance >= last.distance)
			break;
		heap->entries[at] = heap->entries[child];
		at = child;
	}
	heap->entries[at] = last;
	return least;
}

static void dijkstra(const struct graph *graph, uint32_t source, uint32_t *distance)
{
	struct heap heap = {allocate((size_t)graph->edges + 1, sizeof *heap.entries), 0};
	memset(distance, -1, graph->vertices * sizeof *distance);
	distance[source] = 0;
	push(&heap, (struct entry){0, source});
	while (heap.count > 0) {
		struct entry at = pop(&heap);
		if (at.distance > distance[at.vertex])
			continue;
		for (uint32_t k = graph->first[at.vertex]; k < graph->first[at.vertex + 1]; k++) {
			uint32_t there = at.distance + graph->weight[k];
			if (there < distance[graph->to[k]]) {
				distance[graph->to[k]] = there;
				push(&heap, (struct entry){there, graph->to[k]});
			}
		}
	}
	free(heap.entries);
}

/* ---- The device ---- */

static void check(const struct graph *graph, uint32_t source, const uint32_t *found)
{
	uint32_t *distance = allocate(graph->vertices, sizeof *distance);
	dijkstra(graph, source, distance);
	for (uint32_t v = 0; v < graph->vertices; v++)
		if (found[v] != distance[v])
			fail("vertex %u has distance %lld, not %lld; %lld is none", v, (long long)found[v],
				(long long)distance[v], (long long)FAR);
	free(distance);
}

static void run(struct persistent *p, const struct graph *graph, uint32_t source)
{
	uint32_t vertices = graph->vertices, *distance = allocate(vertices, sizeof *distance), counts[4] = {1, 0, 0, 0};
	memset(distance, -1, vertices * sizeof *distance);
	distance[source] = 0;
	struct device_graph device = device_graph(&p->gpu, graph);
	cl_mem distances = gpu_buffer(&p->gpu, vertices * sizeof *distance, distance);
	cl_mem listed = gpu_filled(&p->gpu, vertices, 0);
	cl_mem lists = gpu_filled(&p->gpu, 2 * (size_t)vertices, (int32_t)source);
	cl_mem device_counts = gpu_buffer(&p->gpu, sizeof counts, counts);
	PERSISTENT_LAUNCH(p, "sssp", ARGUMENT(device.first), ARGUMENT(device.to), ARGUMENT(device.weight),
		ARGUMENT(distances), ARGUMENT(listed), ARGUMENT(lists), ARGUMENT(device_counts), ARGUMENT(vertices));
	persistent_finish(p);
	gpu_read(&p->gpu, distances, vertices * sizeof *distance, distance);
	gpu_read(&p->gpu, device_counts, sizeof counts, counts);
	printf("%u steps\n", counts[3]);
	check(graph, source, distance);
	free(distance);
	device_graph_free(&device);
	gpu_free(distances);
	gpu_free(listed);
	gpu_free(lists);
	gpu_free(device_counts);
}

/* Distances must fit in 32 bits, FAR not being one; a shortest path has at most one edge less than there are vertices.
 */
static void refuse_far(const struct graph *graph)
{
	uint32_t most = 0;
	for (uint32_t k = 0; k < graph->edges; k++)
		if (graph->weight[k] > most)
			most = graph->weight[k];
	if ((uint64_t)most * graph->vertices >= FAR)
		options_refuse(
			"--graph: a path of %u edges of weight %u has no length of 32 bits", graph->vertices - 1, most);
}

int main(int argc, char **argv)
{
	struct number numbers[] = {
		PERSISTENT_OPTIONS,
		[SOURCE] = {"source", "the vertex of distance 0", 0, 0, 0, UINT32_MAX - 1, 0},
	};
	struct choice form = PERSISTENT_FORM;
	struct text what = {"graph", GRAPH_TEXTS, "uniform:600,4", "uniform:131072,4", NULL};
	const struct options own = {numbers, COUNT(numbers), &form, &what};
	uint64_t seed = options_read_all(argc, argv, "shortest paths with work lists, in one launch", &own);
	uint32_t source = (uint32_t)numbers[SOURCE].value;
	struct graph graph;
	graph_open("--graph", what.value, seed, &graph);
	if (source >= graph.vertices)
		options_refuse("--source %u: the graph has %u vertices", source, graph.vertices);
	refuse_far(&graph);
	struct persistent p = persistent_open("sssp_worklist.cl", "", (enum persistent_form)form.value, numbers);
	run(&p, &graph, source);
	persistent_close(&p);
	graph_close(&graph);
	return pass();
}
