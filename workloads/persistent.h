/* Programs of one persistent kernel, whose work-groups meet at barriers (paper 4, section 5.3), in two forms: `assume`
 * trusts that all groups of the launch are resident together, as the caller knows of the device; `portable` finds out
 * which are, and those alone take part.  Options that such programs have in common. */
#ifndef LOCKSTEP_WORKLOADS_PERSISTENT_H
#define LOCKSTEP_WORKLOADS_PERSISTENT_H

#include "common.h"
#include "graph.h"

struct persistent {
	struct gpu gpu;
	uint32_t groups, threads; /* of the launch, of a group */
	cl_mem state;             /* of device/lockstep_barrier.h, for one launch */
	cl_mem taking;            /* a word: how many groups take part */
	double began;
};

enum persistent_form { PERSISTENT_PORTABLE, PERSISTENT_ASSUME };
extern const char *const persistent_forms[];

/* The first numbers of each such program. */
enum { PERSISTENT_GROUPS, PERSISTENT_PER_UNIT, PERSISTENT_THREADS, PERSISTENT_NUMBERS };
/* clang-format off */
#define PERSISTENT_OPTIONS                                                                                             \
	[PERSISTENT_GROUPS] = {"groups", "of the launch; form assume: no more than are resident together", 4, 16, 1, 32768, 0}, \
	[PERSISTENT_PER_UNIT] = {"per-unit", "groups for each compute unit of the device; 0: --groups says how many", 0, 0, 0, 1024, 0}, \
	[PERSISTENT_THREADS] = {"threads", "of a group", 64, 128, 1, 1024, 0}
#define PERSISTENT_FORM {"form", "which groups take part: those that are found, or all", persistent_forms, PERSISTENT_PORTABLE}
/* clang-format on */

/* `file` is NAME.cl, which includes persistent_device.h; `options` for the compiler. */
struct persistent persistent_open(
	const char *file, const char *options, enum persistent_form form, const struct number *numbers);
/* Starts the kernel, whose first arguments are `state` and `taking`. */
#define PERSISTENT_LAUNCH(p, kernel, ...)                                                                              \
	do {                                                                                                           \
		(p)->began = gpu_time(&(p)->gpu);                                                                      \
		GPU_LAUNCH(&(p)->gpu, kernel, (size_t)(p)->groups *(p)->threads, (p)->threads, ARGUMENT((p)->state),   \
			ARGUMENT((p)->taking), __VA_ARGS__);                                                           \
	} while (0)
/* Waits for the kernel; a launch that did not end is a failure.  Prints how many groups took part, and the time. */
void persistent_finish(const struct persistent *p);
void persistent_close(struct persistent *p);

/* The rows of a graph on the device. */
struct device_graph {
	cl_mem first, to, weight;
};
struct device_graph device_graph(const struct gpu *gpu, const struct graph *graph);
void device_graph_free(struct device_graph *device);

#endif
