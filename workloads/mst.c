/* mst: a minimum spanning forest of a graph by Boruvka's algorithm, in one launch whose work-groups meet at barriers
 * (Lonestar's mst of paper 4, section 5.3; written from the algorithm).  Its edges must be a forest that connects what
 * the graph connects, and weigh what Kruskal's algorithm finds on the host.  Needs OpenCL C 2.0. */
#include "persistent.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edge {
	uint32_t weight, from, to;
};

/* A set's root is its own parent. */
static uint32_t root_of(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

static bool connect(uint32_t *parent, const struct edge *edge)
{
	uint32_t a = root_of(parent, edge->from), b = root_of(parent, edge->to);
	parent[a] = b;
	return a != b;
}

static int by_weight(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static uint32_t *own_numbers(uint32_t count)
{
	uint32_t *numbers = allocate(count, sizeof *numbers);
	for (uint32_t k = 0; k < count; k++)
		numbers[k] = k;
	return numbers;
}

struct forest {
	uint64_t weight;
	uint32_t edges;
};

static struct forest kruskal(const struct edge *edges, uint32_t count, uint32_t vertices)
{
	struct edge *sorted = allocate(count, sizeof *sorted);
	uint32_t *parent = own_numbers(vertices);
	struct forest forest = {0, 0};
	if (count)
		memcpy(sorted, edges, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, by_weight);
	for (uint32_t k = 0; k < count; k++)
		if (connect(parent, &sorted[k])) {
			forest.weight += sorted[k].weight;
			forest.edges++;
		}
	free(sorted);
	free(parent);
	return forest;
}

/* As many edges as Kruskal's without a cycle: they connect as much. */
static void check(const struct edge *edges, uint32_t count, uint32_t vertices, const uint32_t *chosen)
{
	struct forest expected = kruskal(edges, count, vertices), found = {0, 0};
	uint32_t *parent = own_numbers(vertices);
	for (uint32_t k = 0; k < count; k++)
		if (chosen[k]) {
			if (!connect(parent, &edges[k]))
				fail("the edge from %u to %u closes a cycle", edges[k].from, edges[k].to);
			found.weight += edges[k].weight;
			found.edges++;
		}
	if (found.edges != expected.edges || found.weight != expected.weight)
		fail("%u edges of weight %llu, not %u of weight %llu", found.edges, (unsigned long long)found.weight,
			expected.edges, (unsigned long long)expected.weight);
	printf("%u edges of weight %llu\n", found.edges, (unsigned long long)found.weight);
	free(parent);
}

static void run(struct persistent *p, const struct graph *graph, const uint32_t *from, const struct edge *edges)
{
	cl_uint vertices = graph->vertices, count = graph->edges, words[2] = {0, 0};
	size_t bytes = ((size_t)count + 1) * sizeof(uint32_t);
	uint32_t *numbers = own_numbers(vertices), *found = allocate((size_t)count + 1, sizeof *found);
	struct device_graph device = device_graph(&p->gpu, graph);
	cl_mem froms = gpu_buffer(&p->gpu, bytes, from), chosen = gpu_filled(&p->gpu, (size_t)count + 1, 0);
	cl_mem component = gpu_buffer(&p->gpu, vertices * sizeof *numbers, numbers);
	cl_mem parent = gpu_buffer(&p->gpu, vertices * sizeof *numbers, numbers);
	cl_mem lightest = gpu_filled(&p->gpu, vertices, -1), edge = gpu_filled(&p->gpu, vertices, -1);
	cl_mem device_words = gpu_buffer(&p->gpu, sizeof words, words);
	PERSISTENT_LAUNCH(p, "mst", ARGUMENT(froms), ARGUMENT(device.to), ARGUMENT(device.weight), ARGUMENT(component),
		ARGUMENT(parent), ARGUMENT(lightest), ARGUMENT(edge), ARGUMENT(chosen), ARGUMENT(device_words),
		ARGUMENT(vertices), ARGUMENT(count));
	persistent_finish(p);
	gpu_read(&p->gpu, chosen, bytes, found);
	gpu_read(&p->gpu, device_words, sizeof words, words);
	printf("%u rounds\n", words[1]);
	check(edges, count, vertices, found);
	cl_mem buffers[] = {froms, chosen, component, parent, lightest, edge, device_words};
	for (size_t k = 0; k < COUNT(buffers); k++)
		gpu_free(buffers[k]);
	device_graph_free(&device);
	free(numbers);
	free(found);
}

int main(int argc, char **argv)
{
	struct number numbers[] = {PERSISTENT_OPTIONS};
	struct choice form = PERSISTENT_FORM;
	struct text what = {"graph", GRAPH_TEXTS, "uniform:600,4", "uniform:131072,4", NULL};
	const struct options own = {numbers, COUNT(numbers), &form, &what};
	uint64_t seed = options_read_all(argc, argv, "a minimum spanning forest, in one launch", &own);
	struct graph graph;
	graph_open("--graph", what.value, seed, &graph);
	uint32_t *from = allocate((size_t)graph.edges + 1, sizeof *from);
	struct edge *edges = allocate(graph.edges, sizeof *edges);
	for (uint32_t v = 0; v < graph.vertices; v++)
		for (uint32_t k = graph.first[v]; k < graph.first[v + 1]; k++) {
			from[k] = v;
			edges[k] = (struct edge){graph.weight[k], v, graph.to[k]};
		}
	struct persistent p = persistent_open("mst.cl", "", (enum persistent_form)form.value, numbers);
	run(&p, &graph, from, edges);
	persistent_close(&p);
	free(from);
	free(edges);
	graph_close(&graph);
	return pass();
}
