/* Random graphs of the classes that graph.h describes. */
#include "edges.h"

#include "../common.h"

#include <stdlib.h>

#define MOST_DRAWN_VERTICES (1u << 28) /* with at most four edges, both ways */

static void ecology_edges(struct edges *edges, uint32_t width, uint32_t height)
{
	for (uint32_t y = 0, v = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++, v++) {
			if (x + 1 < width)
				edges_add(edges, v, v + 1, 0);
			if (y + 1 < height)
				edges_add(edges, v, v + width, 0);
		}
}

const char *generate_ecology(struct edges *edges, uint32_t width, uint32_t height, uint64_t *random)
{
	(void)random;
	if ((uint64_t)width * height > MOST_DRAWN_VERTICES)
		return "at most 2^28 vertices";
	edges->vertices = width * height;
	ecology_edges(edges, width, height);
	return NULL;
}

/* ---- Road ---- */

static void shuffle(struct edges *edges, uint64_t *random)
{
	for (size_t k = edges->count; k > 1; k--) {
		size_t other = random_below(random, (uint32_t)k);
		struct edge swap = edges->list[k - 1];
		edges->list[k - 1] = edges->list[other];
		edges->list[other] = swap;
	}
}

/* Sets of connected vertices: a set's root is its own parent. */
static uint32_t root_of(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

/* Of the grid's streets in random order, those that connect what was not connected, and the first of the others. */
const char *generate_road(struct edges *edges, uint32_t width, uint32_t height, uint64_t *random)
{
	if ((uint64_t)width * height > MOST_DRAWN_VERTICES)
		return "at most 2^28 vertices";
	uint32_t vertices = width * height, more = vertices / 5;
	uint32_t *parent = allocate(vertices, sizeof *parent);
	struct edges streets = {.vertices = vertices};
	edges->vertices = vertices;
	for (uint32_t v = 0; v < vertices; v++)
		parent[v] = v;
	ecology_edges(&streets, width, height);
	shuffle(&streets, random);
	for (size_t k = 0; k < streets.count; k++) {
		struct edge street = streets.list[k];
		uint32_t a = root_of(parent, street.from), b = root_of(parent, street.to);
		if (a == b && more == 0)
			continue;
		if (a == b)
			more--;
		parent[a] = b;
		edges_add(edges, street.from, street.to, 0);
	}
	free(streets.list);
	free(parent);
	return NULL;
}

/* ---- Circuit ---- */

#define WIRE_REACH 4u /* columns and rows */

static uint32_t root_up(uint32_t square)
{
	uint32_t root = 0;
	while ((uint64_t)root * root < square)
		root++;
	return root;
}

const char *generate_circuit(struct edges *edges, uint32_t vertices, uint32_t unused, uint64_t *random)
{
	(void)unused;
	if (vertices > MOST_DRAWN_VERTICES)
		return "at most 2^28 vertices";
	uint32_t width = root_up(vertices);
	edges->vertices = vertices;
	for (uint32_t v = 0; v < vertices; v++) {
		if (v % width + 1 < width && v + 1 < vertices && random_below(random, 5) != 0)
			edges_add(edges, v, v + 1, 0);
		if ((uint64_t)v + width < vertices && random_below(random, 5) != 0)
			edges_add(edges, v, v + width, 0);
		if (random_below(random, 5) >= 2)
			continue;
		uint32_t x = v % width + random_below(random, WIRE_REACH + 1);
		uint64_t end = (uint64_t)v + x - v % width + (uint64_t)random_below(random, WIRE_REACH + 1) * width;
		if (x < width && end != v && end < vertices)
			edges_add(edges, v, (uint32_t)end, 0);
	}
	return NULL;
}

/* ---- Power law ---- */

/* Every end of every edge, so that a vertex is in it as often as its degree says. */
struct ends {
	uint32_t *list, count;
};

static void join(struct edges *edges, struct ends *ends, uint32_t from, uint32_t to)
{
	edges_add(edges, from, to, 0);
	ends->list[ends->count++] = from;
	ends->list[ends->count++] = to;
}

/* Whether `v` is among the ends that the new vertex has chosen, which are every second one from `first` on. */
static bool chosen(const struct ends *ends, uint32_t first, uint32_t v)
{
	for (uint32_t k = first; k < ends->count; k += 2)
		if (ends->list[k] == v)
			return true;
	return false;
}

const char *generate_power(struct edges *edges, uint32_t vertices, uint32_t degree, uint64_t *random)
{
	if (degree % 2 || degree >= vertices)
		return "an even degree, below the number of vertices";
	if ((uint64_t)vertices * degree > GRAPH_MOST_EDGES)
		return "fewer edges than 2^31, both ways";
	edges->vertices = vertices;
	uint32_t own = degree / 2;
	struct ends ends = {allocate((size_t)vertices * degree + (size_t)degree * degree, sizeof *ends.list), 0};
	for (uint32_t v = 1; v <= own; v++) /* all of the first own + 1 are joined */
		for (uint32_t u = 0; u < v; u++)
			join(edges, &ends, v, u);
	for (uint32_t v = own + 1; v < vertices; v++) {
		uint32_t there = ends.count;
		for (uint32_t k = 0; k < own; k++) {
			uint32_t u;
			do {
				u = ends.list[random_below(random, there)];
			} while (chosen(&ends, there + 1, u));
			join(edges, &ends, v, u);
		}
	}
	free(ends.list);
	return NULL;
}

/* ---- Uniform ---- */

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static void leave_one_of_equals(struct edges *edges)
{
	size_t kept = 0;
	qsort(edges->list, edges->count, sizeof *edges->list, compare_edges);
	for (size_t k = 0; k < edges->count; k++)
		if (kept == 0 || compare_edges(&edges->list[kept - 1], &edges->list[k]))
			edges->list[kept++] = edges->list[k];
	edges->count = kept;
}

/* Draws as many as are missing, again and again: each set of so many edges is as likely. */
const char *generate_uniform(struct edges *edges, uint32_t vertices, uint32_t degree, uint64_t *random)
{
	if (degree >= vertices / 2)
		return "a degree below half of the number of vertices";
	if ((uint64_t)vertices * degree > GRAPH_MOST_EDGES)
		return "fewer edges than 2^31, both ways";
	edges->vertices = vertices;
	size_t wanted = (size_t)vertices * degree / 2;
	while (edges->count < wanted) {
		for (size_t missing = wanted - edges->count; missing > 0; missing--) {
			uint32_t a = random_below(random, vertices), b = random_below(random, vertices - 1);
			b += b >= a;
			edges_add(edges, a < b ? a : b, a < b ? b : a, 0);
		}
		leave_one_of_equals(edges);
	}
	return NULL;
}
