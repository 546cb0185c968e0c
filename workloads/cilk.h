/* Programs that spawn tasks and sync as Cilk does, on a channel-flow graph (device/lockstep_flow.h; paper 5, section
 * 5). What is behind a sync is a task of its own, on a channel stack by the depth of the recursion.  Options that such
 * programs have in common. */
#ifndef LOCKSTEP_WORKLOADS_CILK_H
#define LOCKSTEP_WORKLOADS_CILK_H

#include "common.h"

#include "../device/lockstep_flow.h"

#include <stdbool.h>

struct cilk {
	struct gpu gpu;
	fl_graph graph;
	void *memory; /* the host's copy of the graph's */
	cl_mem device;
	uint32_t width, done, group;
	bool padded;
};

/* The first numbers of each such program. */
enum { CILK_WIDTH, CILK_DONE, CILK_GROUP, CILK_NUMBERS };
#define CILK_OPTIONS(small, paper)                                                                                     \
	[CILK_WIDTH] = {"width", "elements of each channel, a power of two", small, paper, 2, 1 << 20, 0},             \
	[CILK_DONE] = {"done", "elements that share a done count, a power of two", 64, 64, 1, 1 << 20, 0},             \
	[CILK_GROUP] = {"group", "work-items of a group; a dispatch that is smaller waits", 64, 64, 1, 1024, 0}

/* Reads the options; opens `file`, NAME.cl.  `most`: of the channels, the most that a task puts in at a time. */
struct cilk cilk_open(int argc, char **argv, const char *what, const char *file, struct number *numbers, size_t count,
	uint32_t most, uint64_t *seed);
void cilk_close(struct cilk *c);

/* A new stack of channels: its number. */
uint32_t cilk_stack(struct cilk *c, uint32_t levels, size_t element, uint32_t most);
/* The kernel that consumes it; flags as for fl_kernel. */
void cilk_kernel(struct cilk *c, uint32_t node, const char *name, uint32_t flags);
/* What the graph's memory is made from is complete: fl_put puts first tasks into c->memory. */
void cilk_build(struct cilk *c);
/* An argument of a kernel's own, from 0 on. */
void cilk_argument(struct cilk *c, uint32_t node, uint32_t number, struct argument argument);
/* Executes the graph; prints its time by the device's clock, launches, warps, and the most elements of a channel. */
void cilk_run(struct cilk *c);

#endif
