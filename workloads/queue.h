/* Programs whose tasks spawn and sync by one queue in global memory, as queue_device.h says: the same tasks as those of
 * the programs on channels (cilk.h).  Options that such programs have in common. */
#ifndef LOCKSTEP_WORKLOADS_QUEUE_H
#define LOCKSTEP_WORKLOADS_QUEUE_H

#include "common.h"

struct queue {
	struct gpu gpu;
	uint32_t slots, frames, groups, threads;
	uint32_t *host; /* the memory, before the launch and after it */
	size_t words;
	cl_mem memory;
	double began;
};

/* The first numbers of each such program. */
enum { QUEUE_SLOTS_OPTION, QUEUE_FRAMES_OPTION, QUEUE_PER_UNIT, QUEUE_GROUP, QUEUE_NUMBERS };
/* clang-format off */
#define QUEUE_OPTIONS(slots_small, slots_paper, frames_small, frames_paper)                                            \
	[QUEUE_SLOTS_OPTION] = {"slots", "of the queue, a power of two", slots_small, slots_paper, 2, 1 << 24, 0},     \
	[QUEUE_FRAMES_OPTION] = {"frames", "of tasks that wait for others, each used once", frames_small, frames_paper, 1, 1 << 24, 0}, \
	[QUEUE_PER_UNIT] = {"per-unit", "groups for each compute unit of the device", 4, 40, 1, 1024, 0},              \
	[QUEUE_GROUP] = {"group", "work-items of a group", 64, 64, 1, 1024, 0}
/* clang-format on */

/* Reads the options; opens `file`, NAME.cl.  The words of `struct task` and `struct frame` there. */
struct queue queue_open(int argc, char **argv, const char *what, const char *file, struct number *numbers, size_t count,
	uint32_t task_words, uint32_t frame_words, uint64_t *seed);
/* The words of the first task, which is all that is in the queue. */
uint32_t *queue_first(struct queue *q);
/* Starts the kernel `work`, whose first arguments are the memory, slots and frames. */
#define QUEUE_LAUNCH(q, ...)                                                                                           \
	do {                                                                                                           \
		queue_begin(q);                                                                                        \
		GPU_LAUNCH(&(q)->gpu, "work", (size_t)(q)->groups *(q)->threads, (q)->threads, ARGUMENT((q)->memory),  \
			ARGUMENT((q)->slots), ARGUMENT((q)->frames), __VA_ARGS__);                                     \
	} while (0)
void queue_begin(struct queue *q);
/* Waits for the kernel; a task without room is a failure.  Prints time by the device's clock, tasks, the warps' worth
 * of times that a group took some, and the most slots and frames in use. */
void queue_finish(struct queue *q);
void queue_close(struct queue *q);

#endif
