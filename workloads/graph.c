/* Graphs by their text, and their compressed rows, as graph.h says. */
#include "graph.h"

#include "common.h"
#include "graph/edges.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DRAWN_WEIGHT 1000u

/* ---- Lists of edges ---- */

void edges_add(struct edges *edges, uint32_t from, uint32_t to, uint32_t weight)
{
	if (edges->count == GRAPH_MOST_EDGES)
		options_refuse("a graph has at most %u edges", GRAPH_MOST_EDGES);
	if (edges->count == edges->room) {
		edges->room = edges->room ? 2 * edges->room : 1024;
		struct edge *list = realloc(edges->list, edges->room * sizeof *list);
		if (!list)
			fail("no memory for %zu edges", edges->room);
		edges->list = list;
	}
	edges->list[edges->count++] = (struct edge){from, to, weight};
}

static void add_reverses(struct edges *edges)
{
	size_t count = edges->count;
	for (size_t k = 0; k < count; k++)
		edges_add(edges, edges->list[k].to, edges->list[k].from, edges->list[k].weight);
}

/* ---- Compressed rows ---- */

/* A stable sort by one end. */
static void sort(const struct edge *from, struct edge *to, size_t count, uint32_t vertices, bool by_target)
{
	uint32_t *place = allocate((size_t)vertices + 1, sizeof *place);
	for (size_t k = 0; k < count; k++)
		place[(by_target ? from[k].to : from[k].from) + 1]++;
	for (uint32_t v = 0; v < vertices; v++)
		place[v + 1] += place[v];
	for (size_t k = 0; k < count; k++)
		to[place[by_target ? from[k].to : from[k].from]++] = from[k];
	free(place);
}

/* Sorted edges to rows: those from a vertex to itself and all but the lightest of equals are left out. */
static struct graph rows_of(const struct edge *list, size_t count, uint32_t vertices)
{
	struct graph g = {vertices, 0, allocate((size_t)vertices + 1, 4), allocate(count, 4), allocate(count, 4)};
	for (size_t k = 0; k < count; k++) {
		struct edge e = list[k];
		bool again = k > 0 && list[k - 1].from == e.from && list[k - 1].to == e.to;
		if (e.from == e.to)
			continue;
		if (again) {
			if (e.weight < g.weight[g.edges - 1])
				g.weight[g.edges - 1] = e.weight;
			continue;
		}
		g.to[g.edges] = e.to;
		g.weight[g.edges++] = e.weight;
		g.first[e.from + 1]++;
	}
	for (uint32_t v = 0; v < vertices; v++)
		g.first[v + 1] += g.first[v];
	return g;
}

/* Frees the list. */
static struct graph compress(struct edges *edges)
{
	struct edge *sorted = allocate(edges->count, sizeof *sorted);
	sort(edges->list, sorted, edges->count, edges->vertices, true);
	sort(sorted, edges->list, edges->count, edges->vertices, false);
	free(sorted);
	struct graph g = rows_of(edges->list, edges->count, edges->vertices);
	free(edges->list);
	return g;
}

/* ---- Texts ---- */

/* A number of 1 ... GRAPH_MOST_VERTICES at `text`: where it ends.  NULL: there is none. */
static const char *read_size(const char *text, uint32_t *size)
{
	uint64_t value = 0;
	if (*text < '1' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9' && value <= GRAPH_MOST_VERTICES; text++)
		value = 10 * value + (uint64_t)(*text - '0');
	*size = (uint32_t)value;
	return value <= GRAPH_MOST_VERTICES ? text : NULL;
}

/* `form`, `a`, `between`, `b`; without the last two if `between` is 0. */
static bool is_form(const char *text, const char *form, char between, uint32_t *a, uint32_t *b)
{
	if (strncmp(text, form, strlen(form)) != 0)
		return false;
	text = read_size(text + strlen(form), a);
	if (text && between)
		text = *text == between ? read_size(text + 1, b) : NULL;
	return text && *text == 0;
}

static const struct {
	const char *form;
	char between; /* its numbers; 0: it has one */
	const char *(*generate)(struct edges *edges, uint32_t a, uint32_t b, uint64_t *random);
} classes[] = {
	{"road:", 'x', generate_road},
	{"circuit:", 0, generate_circuit},
	{"ecology:", 'x', generate_ecology},
	{"power:", ',', generate_power},
	{"uniform:", ',', generate_uniform},
};

/* False if the text is of no class. */
static bool draw(const char *what, const char *text, uint64_t *random, struct edges *edges)
{
	for (size_t k = 0; k < COUNT(classes); k++) {
		uint32_t a = 0, b = 0;
		if (!is_form(text, classes[k].form, classes[k].between, &a, &b))
			continue;
		const char *expected = classes[k].generate(edges, a, b, random);
		if (expected)
			options_refuse("%s %s: expected %s", what, text, expected);
		return true;
	}
	return false;
}

static void draw_weights(struct edges *edges, uint64_t *random)
{
	for (size_t k = 0; k < edges->count; k++)
		edges->list[k].weight = 1 + random_below(random, MOST_DRAWN_WEIGHT);
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text);
	return length > strlen(end) && !strcmp(text + length - strlen(end), end);
}

void graph_open(const char *what, const char *text, uint64_t seed, struct graph *graph)
{
	struct edges edges = {.list = NULL};
	bool both = true; /* directions */
	uint64_t random = seed;
	if (draw(what, text, &random, &edges))
		draw_weights(&edges, &random);
	else if (ends_in(text, ".mtx"))
		read_matrix_market(text, &edges, &both);
	else if (ends_in(text, ".gr"))
		read_dimacs(text, &edges, &both);
	else
		options_refuse("%s %s: expected %s", what, text, GRAPH_TEXTS);
	if (both)
		add_reverses(&edges);
	*graph = compress(&edges);
}

/* ---- Symmetry ---- */

static struct edges edges_of(const struct graph *graph)
{
	struct edges edges = {.vertices = graph->vertices};
	for (uint32_t v = 0; v < graph->vertices; v++)
		for (uint32_t k = graph->first[v]; k < graph->first[v + 1]; k++)
			edges_add(&edges, v, graph->to[k], graph->weight[k]);
	return edges;
}

void graph_symmetrise(struct graph *graph)
{
	struct edges edges = edges_of(graph);
	add_reverses(&edges);
	graph_close(graph);
	*graph = compress(&edges);
}

struct graph graph_reversed(const struct graph *graph)
{
	struct edges edges = edges_of(graph);
	for (size_t k = 0; k < edges.count; k++)
		edges.list[k] = (struct edge){edges.list[k].to, edges.list[k].from, edges.list[k].weight};
	return compress(&edges);
}

/* The place of the edge from v to `to`, or that of one past the row. */
static uint32_t place_of(const struct graph *graph, uint32_t v, uint32_t to)
{
	uint32_t low = graph->first[v], high = graph->first[v + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (graph->to[middle] < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low < graph->first[v + 1] && graph->to[low] == to ? low : graph->first[v + 1];
}

bool graph_symmetric(const struct graph *graph)
{
	for (uint32_t v = 0; v < graph->vertices; v++)
		for (uint32_t k = graph->first[v]; k < graph->first[v + 1]; k++) {
			uint32_t back = place_of(graph, graph->to[k], v);
			if (back == graph->first[graph->to[k] + 1] || graph->weight[back] != graph->weight[k])
				return false;
		}
	return true;
}

void graph_close(struct graph *graph)
{
	free(graph->first);
	free(graph->to);
	free(graph->weight);
	*graph = (struct graph){.vertices = 0};
}
