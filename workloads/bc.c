/* bc: betweenness centrality, summed over some sources, as Pannotia computes it (paper 4, section 5.2).  Needs OpenCL C
 * 2.0. */
#include "steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Brandes' algorithm (A Faster Algorithm for Betweenness Centrality, 2001), in double precision ---- */

struct brandes {
	const struct graph *graph;
	uint32_t *level, *queue; /* of the vertices that were found, in their order */
	double *paths, *share, *centrality;
};

static uint32_t search(const struct brandes *b, uint32_t source)
{
	const struct graph *g = b->graph;
	uint32_t found = 0;
	for (uint32_t v = 0; v < g->vertices; v++) {
		b->level[v] = UINT32_MAX;
		b->paths[v] = b->share[v] = 0;
	}
	b->level[source] = 0;
	b->paths[source] = 1;
	b->queue[found++] = source;
	for (uint32_t head = 0; head < found; head++) {
		uint32_t v = b->queue[head];
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
			uint32_t w = g->to[k];
			if (b->level[w] == UINT32_MAX) {
				b->level[w] = b->level[v] + 1;
				b->queue[found++] = w;
			}
			if (b->level[w] == b->level[v] + 1)
				b->paths[w] += b->paths[v];
		}
	}
	return found;
}

static void add_shares(const struct brandes *b, uint32_t source, uint32_t found)
{
	const struct graph *g = b->graph;
	while (found-- > 0) {
		uint32_t v = b->queue[found];
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
			uint32_t w = g->to[k];
			if (b->level[w] == b->level[v] + 1)
				b->share[v] += b->paths[v] / b->paths[w] * (1 + b->share[w]);
		}
		if (v != source)
			b->centrality[v] += b->share[v];
	}
}

/* The device counts paths with 32 bits. */
static double *centrality_on_host(const struct graph *g, const uint32_t *sources, uint32_t count)
{
	size_t n = g->vertices;
	struct brandes b = {g, allocate(n, 4), allocate(n, 4), allocate(n, sizeof(double)), allocate(n, sizeof(double)),
		allocate(n, sizeof(double))};
	for (uint32_t k = 0; k < count; k++) {
		uint32_t found = search(&b, sources[k]);
		for (uint32_t v = 0; v < g->vertices; v++)
			if (b.paths[v] > UINT32_MAX)
				options_refuse("--graph: expected fewer than 2^32 shortest paths, there are %.0f "
					       "between %u and %u",
					b.paths[v], sources[k], v);
		add_shares(&b, sources[k], found);
	}
	free(b.level);
	free(b.queue);
	free(b.paths);
	free(b.share);
	return b.centrality;
}

/* Floats are summed up here and there in other orders; all are positive. */
static void check(const double *right, const float *found, uint32_t vertices)
{
	for (uint32_t v = 0; v < vertices; v++)
		if (!(fabs(found[v] - right[v]) <= 1e-4 * right[v]))
			fail("vertex %u has centrality %g, not %g", v, (double)found[v], right[v]);
}

/* ---- The device ---- */

struct buffers {
	cl_mem sources, level, paths, share, centrality;
};

static void run_source(struct steps *s, const struct buffers *b, cl_uint source, cl_uint *iteration)
{
	cl_uint vertices = s->graph.vertices, depth = 0;
	STEPS_LAUNCH(s, "begin", ARGUMENT(vertices), ARGUMENT(source), ARGUMENT(b->level), ARGUMENT(b->paths),
		ARGUMENT(b->share));
	do {
		++*iteration;
		STEPS_LAUNCH(s, "forward", ARGUMENT(vertices), ARGUMENT(depth), ARGUMENT(s->first), ARGUMENT(s->to),
			ARGUMENT(b->level), ARGUMENT(b->paths), ARGUMENT(s->flag), ARGUMENT(*iteration));
		depth++;
	} while (steps_go_on(s, *iteration));
	for (cl_uint d = depth - 1; d-- > 1;)
		STEPS_LAUNCH(s, "backward", ARGUMENT(vertices), ARGUMENT(d), ARGUMENT(s->first), ARGUMENT(s->to),
			ARGUMENT(b->level), ARGUMENT(b->paths), ARGUMENT(b->share), ARGUMENT(b->centrality));
}

static void run(struct steps *s, const struct buffers *b, const uint32_t *sources, cl_uint count)
{
	cl_uint vertices = s->graph.vertices, iteration = 0;
	if (s->portable)
		STEPS_LAUNCH(s, "portable", ARGUMENT(s->state), ARGUMENT(vertices), ARGUMENT(b->sources),
			ARGUMENT(count), ARGUMENT(s->first), ARGUMENT(s->to), ARGUMENT(b->level), ARGUMENT(b->paths),
			ARGUMENT(b->share), ARGUMENT(b->centrality), ARGUMENT(s->flag));
	else
		for (cl_uint k = 0; k < count; k++)
			run_source(s, b, sources[k], &iteration);
}

int main(int argc, char **argv)
{
	struct number wanted = {"sources", "from which paths are counted", 2, 16, 1, 1 << 30, 0};
	const struct steps_program program = {.what = "betweenness centrality, by steps over all vertices",
		.file = "bc.cl",
		.small = "uniform:256,16",
		.paper = "uniform:1024,128",
		.own = &wanted};
	struct steps s = steps_open(argc, argv, &program);
	uint32_t vertices = s.graph.vertices, count = wanted.value < vertices ? (uint32_t)wanted.value : vertices;
	uint32_t *sources = steps_shuffled(vertices, &s.random);
	double *right = centrality_on_host(&s.graph, sources, count);
	float *found = allocate(vertices, sizeof *found);
	struct buffers b = {gpu_buffer(&s.gpu, count * sizeof *sources, sources), gpu_filled(&s.gpu, vertices, 0),
		gpu_filled(&s.gpu, vertices, 0), gpu_filled(&s.gpu, vertices, 0), gpu_filled(&s.gpu, vertices, 0)};
	steps_start(&s);
	run(&s, &b, sources, count);
	steps_report(&s);
	gpu_read(&s.gpu, b.centrality, vertices * sizeof *found, found);
	check(right, found, vertices);
	free(sources);
	free(right);
	free(found);
	gpu_free(b.sources);
	gpu_free(b.level);
	gpu_free(b.paths);
	gpu_free(b.share);
	gpu_free(b.centrality);
	steps_close(&s);
	return pass();
}
