/* Programs that spawn tasks and sync as Cilk does, on a channel-flow graph (device/lockstep_flow.h; paper 5, section
 * 5). What is behind a sync is a task of its own, on a channel stack by the depth of the recursion.  Options that such
 * programs have in common. */
#ifndef LOCKSTEP_WORKLOADS_CILK_H
#define LOCKSTEP_WORKLOADS_CILK_H

#include "common.h"

#include "../device/lockstep_control.h"
#include "../device/lockstep_flow.h"

#include <stdbool.h>

struct cilk {
	struct gpu gpu;
	fl_graph graph;
	void *memory; /* the host's copy of the graph's */
	cl_mem device;
	uint32_t width, done, group;
	bool padded;
	uint32_t schedule; /* enum cilk_schedule */
	cl_kernel firmware;
};

/* Who dispatches: the host between launches; firmware, where wavefronts without room yield, or try again and again. */
enum cilk_schedule { CILK_HOST, CILK_FIRMWARE, CILK_FIRMWARE_SPINS };

/* The first numbers of each such program. */
enum { CILK_WIDTH, CILK_DONE, CILK_GROUP, CILK_SCHEDULE, CILK_LANES, CILK_NUMBERS };
#define CILK_OPTIONS(small, paper)                                                                                     \
	[CILK_WIDTH] = {"width", "elements of each channel, a power of two", small, paper, 2, 1 << 20, 0},             \
	[CILK_DONE] = {"done", "elements that share a done count, a power of two", 64, 64, 1, 1 << 20, 0},             \
	[CILK_GROUP] = {"group", "work-items of a group; a dispatch that is smaller waits", 64, 64, 1, 1024, 0},       \
	[CILK_SCHEDULE] = {"firmware", "0: the host schedules; 1: firmware; 2: likewise, without yield", 0, 0, 0, 2,   \
		0},                                                                                                    \
	[CILK_LANES] = {"lanes",                                                                                       \
		"of a warp that work as one in the channels' functions: 32 or 64; 0: as the device has", 0, 0, 0, 64,  \
		0}

/* Reads the options; opens `file`, NAME.cl.  `most`: of the channels, the most that a task puts in at a time.  `parts`:
 * one of the numbers; above 1, the device's code gets it as PARTS, and firmware must schedule; null: none. */
struct cilk cilk_open(int argc, char **argv, const char *what, const char *file, struct number *numbers, size_t count,
	uint32_t most, const struct number *parts, uint64_t *seed);
void cilk_close(struct cilk *c);

/* A new stack of channels: its number. */
uint32_t cilk_stack(struct cilk *c, uint32_t levels, size_t element, uint32_t most);
/* The kernel that consumes it; flags as for fl_kernel. */
void cilk_kernel(struct cilk *c, uint32_t node, const char *name, uint32_t flags);
/* What the graph's memory is made from is complete: fl_put puts first tasks into c->memory. */
void cilk_build(struct cilk *c);
/* Arguments of a kernel's own, where the host schedules. */
#define CILK_ARGUMENTS(c, node, ...)                                                                                   \
	cilk_arguments(c, node, (const struct argument[]){__VA_ARGS__},                                                \
		sizeof((const struct argument[]){__VA_ARGS__}) / sizeof(struct argument))
void cilk_arguments(struct cilk *c, uint32_t node, const struct argument *arguments, size_t count);
/* Likewise those of the kernel `schedule`, where firmware does. */
#define CILK_FIRMWARE_ARGUMENTS(c, ...)                                                                                \
	cilk_firmware_arguments(c, (const struct argument[]){__VA_ARGS__},                                             \
		sizeof((const struct argument[]){__VA_ARGS__}) / sizeof(struct argument))
void cilk_firmware_arguments(struct cilk *c, const struct argument *arguments, size_t count);
/* Executes the graph; prints its time by the device's clock, launches, warps, and the most elements of a channel. */
void cilk_run(struct cilk *c);

#endif
