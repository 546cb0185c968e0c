/* mis: a maximal independent set, as Pannotia finds it (paper 4, section 5.2).  Needs OpenCL C 2.0. */
#include "steps.h"

#include <stdlib.h>

enum status { UNDECIDED, IN, OUT };

/* No two of the set are neighbours, and each other vertex has one of it; and the set is that of the vertices taken one
 * after the other, in the order of their priorities. */
static void check(const struct graph *g, const uint32_t *priority, const uint32_t *status)
{
	for (uint32_t v = 0; v < g->vertices; v++) {
		bool beside = false, beaten = false;
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
			beside = beside || status[g->to[k]] == IN;
			beaten = beaten || (status[g->to[k]] == IN && priority[g->to[k]] < priority[v]);
		}
		if (status[v] != IN && status[v] != OUT)
			fail("vertex %u is undecided", v);
		if (status[v] == IN && beside)
			fail("vertex %u and a neighbour are both in the set", v);
		if (status[v] == OUT && !beaten)
			fail("vertex %u is not in the set, %s", v,
				beside ? "though it precedes its neighbours there" : "nor a neighbour of it");
	}
}

struct buffers {
	cl_mem priority, status, least, covered;
};

static void run_multi(struct steps *s, const struct buffers *b)
{
	cl_uint vertices = s->graph.vertices, iteration = 0;
	do {
		iteration++;
		STEPS_LAUNCH(s, "find_least", ARGUMENT(vertices), ARGUMENT(s->first), ARGUMENT(s->to),
			ARGUMENT(b->priority), ARGUMENT(b->status), ARGUMENT(b->least));
		STEPS_LAUNCH(s, "join", ARGUMENT(vertices), ARGUMENT(s->first), ARGUMENT(s->to), ARGUMENT(b->priority),
			ARGUMENT(b->status), ARGUMENT(b->least), ARGUMENT(b->covered));
		STEPS_LAUNCH(s, "drop", ARGUMENT(vertices), ARGUMENT(b->status), ARGUMENT(b->covered),
			ARGUMENT(s->flag), ARGUMENT(iteration));
	} while (steps_go_on(s, iteration));
}

static void run_portable(struct steps *s, const struct buffers *b)
{
	cl_uint vertices = s->graph.vertices;
	STEPS_LAUNCH(s, "portable", ARGUMENT(s->state), ARGUMENT(vertices), ARGUMENT(s->first), ARGUMENT(s->to),
		ARGUMENT(b->priority), ARGUMENT(b->status), ARGUMENT(b->least), ARGUMENT(b->covered),
		ARGUMENT(s->flag));
}

int main(int argc, char **argv)
{
	const struct steps_program program = {.what = "a maximal independent set, by steps over all vertices",
		.file = "mis.cl",
		.small = "ecology:32x32",
		.paper = "ecology:1000x1000",
		.symmetric = true};
	struct steps s = steps_open(argc, argv, &program);
	size_t vertices = s.graph.vertices, bytes = vertices * sizeof(uint32_t);
	uint32_t *priority = steps_shuffled(s.graph.vertices, &s.random), *status = allocate(vertices, sizeof *status);
	struct buffers b = {gpu_buffer(&s.gpu, bytes, priority), gpu_filled(&s.gpu, vertices, UNDECIDED),
		gpu_filled(&s.gpu, vertices, 0), gpu_filled(&s.gpu, vertices, 0)};
	steps_start(&s);
	(s.portable ? run_portable : run_multi)(&s, &b);
	steps_report(&s);
	gpu_read(&s.gpu, b.status, bytes, status);
	check(&s.graph, priority, status);
	free(priority);
	free(status);
	gpu_free(b.priority);
	gpu_free(b.status);
	gpu_free(b.least);
	gpu_free(b.covered);
	steps_close(&s);
	return pass();
}
