/* bfs: breadth-first search of a graph, a level at a time with work lists, in one launch whose work-groups meet at a
 * barrier behind each level (Lonestar's bfs of paper 4, section 5.3; written from the algorithm).  The levels must be
 * those that a queue gives on the host.  Needs OpenCL C 2.0. */
#include "persistent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE = PERSISTENT_NUMBERS };

#define UNSEEN UINT32_MAX /* as in bfs.cl */

/* Each vertex enters the queue once; the number of levels. */
static uint32_t search(const struct graph *graph, uint32_t source, uint32_t *level)
{
	uint32_t *queue = allocate(graph->vertices, sizeof *queue), tail = 1;
	memset(level, -1, graph->vertices * sizeof *level);
	queue[0] = source;
	level[source] = 0;
	for (uint32_t head = 0; head < tail; head++)
		for (uint32_t k = graph->first[queue[head]]; k < graph->first[queue[head] + 1]; k++)
			if (level[graph->to[k]] == UNSEEN) {
				level[graph->to[k]] = level[queue[head]] + 1;
				queue[tail++] = graph->to[k];
			}
	uint32_t levels = level[queue[tail - 1]] + 1;
	free(queue);
	return levels;
}

static void check(const struct graph *graph, uint32_t source, const uint32_t *found, uint32_t levels)
{
	uint32_t *level = allocate(graph->vertices, sizeof *level), expected = search(graph, source, level);
	for (uint32_t v = 0; v < graph->vertices; v++)
		if (found[v] != level[v])
			fail("vertex %u has level %d, not %d", v, (int)found[v], (int)level[v]);
	if (levels != expected)
		fail("%u levels, not %u", levels, expected);
	free(level);
}

static void run(struct persistent *p, const struct graph *graph, uint32_t source)
{
	uint32_t vertices = graph->vertices, *level = allocate(vertices, sizeof *level), counts[4] = {1, 0, 0, 0};
	memset(level, -1, vertices * sizeof *level);
	level[source] = 0;
	struct device_graph device = device_graph(&p->gpu, graph);
	cl_mem levels = gpu_buffer(&p->gpu, vertices * sizeof *level, level);
	cl_mem lists = gpu_filled(&p->gpu, 2 * (size_t)vertices, (int32_t)source);
	cl_mem device_counts = gpu_buffer(&p->gpu, sizeof counts, counts);
	PERSISTENT_LAUNCH(p, "bfs", ARGUMENT(device.first), ARGUMENT(device.to), ARGUMENT(levels), ARGUMENT(lists),
		ARGUMENT(device_counts), ARGUMENT(vertices));
	persistent_finish(p);
	gpu_read(&p->gpu, levels, vertices * sizeof *level, level);
	gpu_read(&p->gpu, device_counts, sizeof counts, counts);
	printf("%u levels\n", counts[3]);
	check(graph, source, level, counts[3]);
	free(level);
	device_graph_free(&device);
	gpu_free(levels);
	gpu_free(lists);
	gpu_free(device_counts);
}

int main(int argc, char **argv)
{
	struct number numbers[] = {
		PERSISTENT_OPTIONS,
		[SOURCE] = {"source", "the vertex of level 0", 0, 0, 0, UINT32_MAX - 1, 0},
	};
	struct choice form = PERSISTENT_FORM;
	struct text what = {"graph", GRAPH_TEXTS, "uniform:600,4", "uniform:131072,4", NULL};
	const struct options own = {numbers, COUNT(numbers), &form, &what};
	uint64_t seed = options_read_all(argc, argv, "breadth-first search with work lists, in one launch", &own);
	uint32_t source = (uint32_t)numbers[SOURCE].value;
	struct graph graph;
	graph_open("--graph", what.value, seed, &graph);
	if (source >= graph.vertices)
		options_refuse("--source %u: the graph has %u vertices", source, graph.vertices);
	struct persistent p = persistent_open("bfs.cl", "", (enum persistent_form)form.value, numbers);
	run(&p, &graph, source);
	persistent_close(&p);
	graph_close(&graph);
	return pass();
}
