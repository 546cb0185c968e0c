/* Lists of edges, which generators and readers fill and graph.c turns into compressed rows. */
#ifndef LOCKSTEP_WORKLOADS_GRAPH_EDGES_H
#define LOCKSTEP_WORKLOADS_GRAPH_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_MOST_EDGES 0x7fffffffu /* of a list, so that places in it are 32-bit numbers */
#define GRAPH_MOST_VERTICES 0x7ffffffeu

struct edge {
	uint32_t from, to, weight;
};

struct edges {
	uint32_t vertices;
	struct edge *list; /* malloc'd */
	size_t count, room;
};

void edges_add(struct edges *edges, uint32_t from, uint32_t to, uint32_t weight);

/* ---- Generators (generate.c): edges in one direction, without weights.  Return NULL, or what was expected instead of
 * `a` and `b`, which are numbers of 1 ... GRAPH_MOST_VERTICES ---- */

const char *generate_road(struct edges *edges, uint32_t width, uint32_t height, uint64_t *random);
const char *generate_circuit(struct edges *edges, uint32_t vertices, uint32_t unused, uint64_t *random);
const char *generate_ecology(struct edges *edges, uint32_t width, uint32_t height, uint64_t *random);
const char *generate_power(struct edges *edges, uint32_t vertices, uint32_t degree, uint64_t *random);
const char *generate_uniform(struct edges *edges, uint32_t vertices, uint32_t degree, uint64_t *random);

/* ---- Readers (read.c): mistakes end the program as graph.h says ---- */

void read_dimacs(const char *path, struct edges *edges, bool *symmetric);
/* *symmetric: each edge counts in both directions. */
void read_matrix_market(const char *path, struct edges *edges, bool *symmetric);

#endif
