/* color: colours for vertices, neighbours' different, as Pannotia finds them (paper 4, section 5.2).  Needs OpenCL C
 * 2.0. */
#include "steps.h"

#include <stdlib.h>

/* Neighbours differ; and each colour is one more than the greatest among the neighbours that come first: the iteration
 * in which the vertex is painted. */
static void check(const struct graph *g, const uint32_t *priority, const uint32_t *colour)
{
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t before = 0;
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
			uint32_t u = g->to[k];
			if (colour[u] == colour[v])
				fail("vertices %u and %u, neighbours, have colour %u", v, u, colour[v]);
			if (priority[u] > priority[v] && colour[u] > before)
				before = colour[u];
		}
		if (colour[v] != before + 1)
			fail("vertex %u has colour %u, not %u", v, colour[v], before + 1);
	}
}

struct buffers {
	cl_mem priority, colour, greatest;
};

static void run_multi(struct steps *s, const struct buffers *b)
{
	cl_uint vertices = s->graph.vertices, iteration = 0;
	do {
		iteration++;
		STEPS_LAUNCH(s, "find_greatest", ARGUMENT(vertices), ARGUMENT(s->first), ARGUMENT(s->to),
			ARGUMENT(b->priority), ARGUMENT(b->colour), ARGUMENT(b->greatest));
		STEPS_LAUNCH(s, "paint", ARGUMENT(vertices), ARGUMENT(b->priority), ARGUMENT(b->colour),
			ARGUMENT(b->greatest), ARGUMENT(s->flag), ARGUMENT(iteration));
	} while (steps_go_on(s, iteration));
}

static void run_portable(struct steps *s, const struct buffers *b)
{
	cl_uint vertices = s->graph.vertices;
	STEPS_LAUNCH(s, "portable", ARGUMENT(s->state), ARGUMENT(vertices), ARGUMENT(s->first), ARGUMENT(s->to),
		ARGUMENT(b->priority), ARGUMENT(b->colour), ARGUMENT(b->greatest), ARGUMENT(s->flag));
}

int main(int argc, char **argv)
{
	const struct steps_program program = {.what = "colours for vertices, by steps over all of them",
		.file = "color.cl",
		.small = "ecology:32x32",
		.paper = "ecology:1000x1000",
		.symmetric = true};
	struct steps s = steps_open(argc, argv, &program);
	size_t vertices = s.graph.vertices, bytes = vertices * sizeof(uint32_t);
	uint32_t *priority = steps_shuffled(s.graph.vertices, &s.random), *colour = allocate(vertices, sizeof *colour);
	for (size_t v = 0; v < vertices; v++)
		priority[v]++;
	struct buffers b = {
		gpu_buffer(&s.gpu, bytes, priority), gpu_filled(&s.gpu, vertices, 0), gpu_filled(&s.gpu, vertices, 0)};
	steps_start(&s);
	(s.portable ? run_portable : run_multi)(&s, &b);
	steps_report(&s);
	gpu_read(&s.gpu, b.colour, bytes, colour);
	check(&s.graph, priority, colour);
	free(priority);
	free(colour);
	gpu_free(b.priority);
	gpu_free(b.colour);
	gpu_free(b.greatest);
	steps_close(&s);
	return pass();
}
