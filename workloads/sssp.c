/* sssp: shortest paths from a vertex that is drawn, as Pannotia computes them (paper 4, section 5.2).  Needs OpenCL C
 * 2.0. */
#include "steps.h"

#include <stdlib.h>

/* ---- Dijkstra's algorithm, with a heap whose entries may be out of date ---- */

struct entry {
	uint64_t distance;
	uint32_t vertex;
};

struct heap {
	struct entry *list;
	size_t count;
};

static void swap(struct entry *a, struct entry *b)
{
	struct entry c = *a;
	*a = *b;
	*b = c;
}

static void push(struct heap *heap, uint64_t distance, uint32_t vertex)
{
	size_t k = heap->count++;
	heap->list[k] = (struct entry){distance, vertex};
	for (; k > 0 && heap->list[k].distance < heap->list[(k - 1) / 2].distance; k = (k - 1) / 2)
		swap(&heap->list[k], &heap->list[(k - 1) / 2]);
}

static struct entry pop(struct heap *heap)
{
	struct entry least = heap->list[0];
	heap->list[0] = heap->list[--heap->count];
	for (size_t k = 0, child = 1; child < heap->count; k = child, child = 2 * k + 1) {
		if (child + 1 < heap->count && heap->list[child + 1].distance < heap->list[child].distance)
			child++;
		if (heap->list[k].distance <= heap->list[child].distance)
			break;
		swap(&heap->list[k], &heap->list[child]);
	}
	return least;
}

static uint64_t *distances_on_host(const struct graph *g, uint32_t source)
{
	uint64_t *distance = allocate(g->vertices, sizeof *distance);
	struct heap heap = {allocate((size_t)g->edges + 1, sizeof *heap.list), 0};
	for (uint32_t v = 0; v < g->vertices; v++)
		distance[v] = UINT64_MAX;
	push(&heap, distance[source] = 0, source);
	while (heap.count > 0) {
		struct entry e = pop(&heap);
		if (e.distance > distance[e.vertex])
			continue;
		for (uint32_t k = g->first[e.vertex]; k < g->first[e.vertex + 1]; k++)
			if (e.distance + g->weight[k] < distance[g->to[k]]) {
				distance[g->to[k]] = e.distance + g->weight[k];
				push(&heap, distance[g->to[k]], g->to[k]);
			}
	}
	free(heap.list);
	return distance;
}

/* The device adds with saturation: what needs more than 32 bits is as far as what cannot be reached. */
static void check(const struct graph *g, uint32_t source, const uint32_t *found)
{
	uint64_t *distance = distances_on_host(g, source);
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t right = distance[v] < UINT32_MAX ? (uint32_t)distance[v] : UINT32_MAX;
		if (found[v] != right)
			fail("vertex %u is at distance %u, not %u", v, found[v], right);
	}
	free(distance);
}

/* ---- The device ---- */

struct buffers {
	cl_mem distance, next;
};

static void run_multi(struct steps *s, const struct buffers *b)
{
	cl_uint vertices = s->graph.vertices, iteration = 0;
	do {
		iteration++;
		STEPS_LAUNCH(s, "relax", ARGUMENT(vertices), ARGUMENT(s->first), ARGUMENT(s->to), ARGUMENT(s->weight),
			ARGUMENT(b->distance), ARGUMENT(b->next));
		STEPS_LAUNCH(s, "compare", ARGUMENT(vertices), ARGUMENT(b->distance), ARGUMENT(b->next),
			ARGUMENT(s->flag), ARGUMENT(iteration));
		STEPS_LAUNCH(s, "keep", ARGUMENT(vertices), ARGUMENT(b->distance), ARGUMENT(b->next));
	} while (steps_go_on(s, iteration));
}

static void run_portable(struct steps *s, const struct buffers *b)
{
	cl_uint vertices = s->graph.vertices;
	STEPS_LAUNCH(s, "portable", ARGUMENT(s->state), ARGUMENT(vertices), ARGUMENT(s->first), ARGUMENT(s->to),
		ARGUMENT(s->weight), ARGUMENT(b->distance), ARGUMENT(b->next), ARGUMENT(s->flag));
}

int main(int argc, char **argv)
{
	const struct steps_program program = {.what = "shortest paths from one vertex, by steps over all vertices",
		.file = "sssp.cl",
		.small = "road:16x16",
		.paper = "road:128x128",
		.incoming = true};
	struct steps s = steps_open(argc, argv, &program);
	size_t vertices = s.graph.vertices, bytes = vertices * sizeof(uint32_t);
	uint32_t source = random_below(&s.random, s.graph.vertices), *distance = allocate(vertices, sizeof *distance);
	for (size_t v = 0; v < vertices; v++)
		distance[v] = v == source ? 0 : UINT32_MAX;
	struct buffers b = {gpu_buffer(&s.gpu, bytes, distance), gpu_filled(&s.gpu, vertices, 0)};
	steps_start(&s);
	(s.portable ? run_portable : run_multi)(&s, &b);
	steps_report(&s);
	gpu_read(&s.gpu, b.distance, bytes, distance);
	check(&s.graph, source, distance);
	free(distance);
	gpu_free(b.distance);
	gpu_free(b.next);
	steps_close(&s);
	return pass();
}
