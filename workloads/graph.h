/* Graphs for workloads: drawn at random, of the classes that the inputs of paper 4 belong to, or read from a file.
 *
 * The text of a graph is one of these; the numbers are examples:
 *
 *     road:32x24      a road network of 32 x 24 crossings: all are connected, by a random spanning tree of
 *                     the grid and one fifth as many streets again.  Mean degree about 2.4, at most 4;
 *                     diameter more than the grid's, which is 54.  Like USA-road-d of the 9th DIMACS
 *                     challenge (degree 2.44).
 *     circuit:1000    a circuit, about square: four fifths of the wires of a grid, and from two fifths of
 *                     the nodes a wire to another at most 4 columns further and at most 4 rows below.  Mean
 *                     degree about 3.8, at most about 9; diameter about 0.6 of the grid's; a few nodes are
 *                     cut off.  Like G3_circuit of the SuiteSparse collection (degree 3.83).
 *     ecology:32x24   the grid itself: degree 4 within, diameter 54.  ecology1 of the SuiteSparse
 *                     collection is ecology:1000x1000, apart from weights.
 *     power:1000,8    power law, by preferential attachment (Barabasi and Albert, Science 286, 1999): each
 *                     vertex comes with 4 edges to others that are there, each chosen by its degree.  Mean
 *                     degree just below 8, the largest about 4 times the root of 1,000; diameter some 5
 *                     edges; connected.
 *     uniform:1000,8  4,000 different edges, all sets of so many being as likely (Erdos and Renyi, G(n,
 *                     m)).  Mean degree 8, diameter about log(1000) / log(8) and one or two; below a degree
 *                     of log(1000) some vertices are alone.
 *     FILE.gr         DIMACS, as of the 9th challenge: `p sp VERTICES ARCS`, then a line `a FROM TO
 *                     WEIGHT` an arc.
 *     FILE.mtx        Matrix Market: coordinate, pattern, integer or real, general or symmetric; an entry
 *                     is an edge from its row to its column.  An integer is its weight; with a pattern, and
 *                     with real numbers, which are no weights here, all weights are 1.
 *
 * What is drawn has each edge in both directions, with one weight of 1 to 1,000.  It depends on the text and the seed,
 * and on no machine: all numbers are whole, and SplitMix64's.  Files count vertices from 1, here it is from 0. */
#ifndef LOCKSTEP_WORKLOADS_GRAPH_H
#define LOCKSTEP_WORKLOADS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* Compressed rows: the edges of vertex v are to[k], with weight[k], k from first[v] to first[v + 1] - 1.  They ascend,
 * and no two are equal: of several with the same ends the least weight is kept.  No vertex has an edge to itself.
 * There is one vertex at least. */
struct graph {
	uint32_t vertices, edges; /* an edge in both directions counts twice */
	uint32_t *first;          /* vertices + 1 */
	uint32_t *to, *weight;    /* edges */
};

/* Makes the graph of a text as above.  `what` is the option it was given with, as "--graph".  A wrong text, and a
 * mistake in a file (with its line and column), end the program with one line and status 2. */
void graph_open(const char *what, const char *text, uint64_t seed, struct graph *graph);
/* Gives each edge its reverse, with its weight; of two that have different weights both get the lesser. */
void graph_symmetrise(struct graph *graph);
/* Another one, with each edge turned round. */
struct graph graph_reversed(const struct graph *graph);
bool graph_symmetric(const struct graph *graph); /* weights, too */
void graph_close(struct graph *graph);

/* For --help: the texts in one line. */
#define GRAPH_TEXTS "road:WxH, circuit:N, ecology:WxH, power:N,DEGREE, uniform:N,DEGREE, FILE.gr or FILE.mtx"

#endif
