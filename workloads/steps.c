/* Programs of steps over the vertices of a graph, as steps.h says. */
#include "steps.h"

#include "../device/lockstep_barrier.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS, GROUPS, OWN };

static const char *const forms[] = {"multi", "portable", NULL};

static struct graph open_graph(const struct steps_program *program, const char *text, uint64_t seed)
{
	struct graph graph;
	graph_open("--graph", text, seed, &graph);
	if (program->symmetric && !graph_symmetric(&graph))
		graph_symmetrise(&graph);
	return graph;
}

static void copy_graph(struct steps *s, const struct graph *g)
{
	size_t edges = g->edges ? g->edges : 1; /* no buffer is empty */
	s->first = gpu_buffer(&s->gpu, ((size_t)g->vertices + 1) * sizeof *g->first, g->first);
	s->to = gpu_buffer(&s->gpu, edges * sizeof *g->to, g->to);
	s->weight = gpu_buffer(&s->gpu, edges * sizeof *g->weight, g->weight);
}

static void make_buffers(struct steps *s, bool incoming)
{
	if (incoming) {
		struct graph reversed = graph_reversed(&s->graph);
		copy_graph(s, &reversed);
		graph_close(&reversed);
	} else {
		copy_graph(s, &s->graph);
	}
	s->flag = gpu_filled(&s->gpu, 1, 0);
	s->state = gpu_filled(&s->gpu, P_STATE_WORDS((size_t)s->groups), 0);
}

static uint32_t groups_needed(const struct steps *s)
{
	return (uint32_t)(((uint64_t)s->graph.vertices + s->threads - 1) / s->threads);
}

/* Of the portable form.  Groups that do not run together with the others come when these have ended, and cost time; of
 * the chips of paper 4 the R9 runs the most threads together, 57,344. */
static uint32_t groups_of(const struct steps *s, uint32_t most)
{
	uint32_t needed = groups_needed(s);
	if (most == 0)
		most = 65536 / s->threads;
	return needed < most ? needed : most;
}

struct steps steps_open(int argc, char **argv, const struct steps_program *program)
{
	struct choice form = {"form", "a launch a step, or one launch with barriers between work-groups", forms, 0};
	struct text graph = {"graph", GRAPH_TEXTS, program->small, program->paper, NULL};
	struct number numbers[3] = {
		[THREADS] = {"threads", "of a group", 64, 256, 1, 1024, 0},
		[GROUPS] = {"groups", "of the portable form's launch, at most; 0: as many as have 65536 threads", 0, 0,
			0, P_MOST_GROUPS - 1, 0},
	};
	size_t count = OWN;
	if (program->own)
		numbers[count++] = *program->own;
	const struct options own = {numbers, count, &form, &graph};
	uint64_t seed = options_read_all(argc, argv, program->what, &own);
	struct steps s = {.random = seed, .portable = form.value != 0, .threads = (uint32_t)numbers[THREADS].value};
	if (program->own)
		program->own->value = numbers[OWN].value;
	s.graph = open_graph(program, graph.value, seed);
	s.groups = groups_of(&s, (uint32_t)numbers[GROUPS].value);
	s.gpu = gpu_open(program->file, gpu_atomics_standard());
	make_buffers(&s, program->incoming);
	return s;
}

void steps_close(struct steps *s)
{
	gpu_free(s->first);
	gpu_free(s->to);
	gpu_free(s->weight);
	gpu_free(s->flag);
	gpu_free(s->state);
	gpu_close(&s->gpu);
	graph_close(&s->graph);
}

void steps_start(struct steps *s)
{
	s->launches = s->reads = 0;
	s->begun = gpu_time(&s->gpu);
}

void steps_launch(struct steps *s, const char *kernel, const struct argument *arguments, size_t count)
{
	size_t groups = s->portable ? s->groups : groups_needed(s);
	s->launches++;
	gpu_launch(&s->gpu, kernel, (const size_t[2]){groups * s->threads, 1}, (const size_t[2]){s->threads, 1},
		arguments, count);
}

bool steps_go_on(struct steps *s, uint32_t iteration)
{
	uint32_t latest;
	s->reads++;
	gpu_read(&s->gpu, s->flag, sizeof latest, &latest);
	return latest >= iteration;
}

void steps_report(struct steps *s)
{
	printf("time: %.0f ns, %u launches, %u reads\n", gpu_time(&s->gpu) - s->begun, s->launches, s->reads);
}

uint32_t *steps_shuffled(uint32_t count, uint64_t *random)
{
	uint32_t *list = allocate(count, sizeof *list);
	for (uint32_t k = 0; k < count; k++) {
		uint32_t other = random_below(random, k + 1);
		list[k] = list[other];
		list[other] = k;
	}
	return list;
}
