/* Prints a graph of workloads/graph.h for tests/graphs.py: vertices and edges, whether it is symmetric, then an edge a
 * line: from, to, weight. */
#include "../workloads/common.h"
#include "../workloads/graph.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct text text = {"graph", GRAPH_TEXTS, "road:8x8", "road:8x8", NULL};
	struct number turn[] = {{"turn", "1: add the reverses; 2: turn each edge round", 0, 0, 0, 2, 0}};
	struct graph g;
	uint64_t seed = options_read_all(argc, argv, "a graph, printed", &(struct options){turn, 1, NULL, &text});
	graph_open("--graph", text.value, seed, &g);
	if (turn[0].value == 1)
		graph_symmetrise(&g);
	if (turn[0].value == 2) {
		struct graph reversed = graph_reversed(&g);
		graph_close(&g);
		g = reversed;
	}
	printf("%u %u %d\n", g.vertices, g.edges, graph_symmetric(&g));
	for (uint32_t v = 0; v < g.vertices; v++)
		for (uint32_t k = g.first[v]; k < g.first[v + 1]; k++)
			printf("%u %u %u\n", v, g.to[k], g.weight[k]);
	graph_close(&g);
	return 0;
}
