/* Programs of steps over the vertices of a graph, in the two forms that paper 4 compares (section 5.2).  multi: each
 * step is a launch with a thread for each vertex, and the host reads a flag to know whether to go on.  portable: one
 * launch, whose groups find out how many of them run together and then meet at a barrier behind each step
 * (device/lockstep_barrier.h).  The kernels of both call the same functions for a step.
 *
 * The flag is the number of the latest iteration in which a thread asked for another one, so that nobody need clear it.
 * Iterations are numbered from 1. */
#ifndef LOCKSTEP_WORKLOADS_STEPS_H
#define LOCKSTEP_WORKLOADS_STEPS_H

#include "common.h"
#include "graph.h"

#include <stdbool.h>

struct steps {
	struct gpu gpu;
	struct graph graph;
	uint64_t random;
	bool portable;
	uint32_t threads, groups; /* of a group; of the launch of the portable form, as many as there is work for */
	cl_mem first, to, weight; /* the graph's, there */
	cl_mem flag, state;       /* state: of the portable form */
	uint32_t launches, reads; /* since the clock was started */
	double begun;
};

/* What a program says of itself. */
struct steps_program {
	const char *what;          /* the first line of --help */
	const char *file;          /* NAME.cl */
	const char *small, *paper; /* --graph's defaults */
	struct number *own;        /* an option of its own, or NULL */
	bool symmetric;            /* each edge is needed in both directions */
	bool incoming;             /* the device gets the rows of the edges that end in a vertex */
};

/* Reads --graph, --form, --seed, --threads, --groups; has graph and device ready, and all copies to it made. */
struct steps steps_open(int argc, char **argv, const struct steps_program *program);
void steps_close(struct steps *s);

/* From here on until steps_report time, launches and reads count. */
void steps_start(struct steps *s);
/* A launch of the multi form, a thread a vertex; of the portable form, with `state` cleared before. */
void steps_launch(struct steps *s, const char *kernel, const struct argument *arguments, size_t count);
#define STEPS_LAUNCH(s, kernel, ...)                                                                                   \
	steps_launch(s, kernel, (const struct argument[]){__VA_ARGS__},                                                \
		sizeof((const struct argument[]){__VA_ARGS__}) / sizeof(struct argument))
/* Whether a thread asked in `iteration` for another; waits for all that was launched. */
bool steps_go_on(struct steps *s, uint32_t iteration);
/* Prints "time: N ns, L launches, R reads". */
void steps_report(struct steps *s);

/* 0 ... count - 1 in random order, malloc'd. */
uint32_t *steps_shuffled(uint32_t count, uint64_t *random);

#endif
