/* The GPU between launches, and the order in which launches come onto the machine. */
#ifndef LOCKSTEP_MACHINE_GPU_LAUNCHES_H
#define LOCKSTEP_MACHINE_GPU_LAUNCHES_H

#include "machine/state/gpu.h"

/* Makes partitions and crossbar; the policies, model and options are set by the caller before. */
void gpu_create(struct gpu *gpu);
void gpu_destroy(struct gpu *gpu); /* what is not in gpu->arena, unfinished launches included */
/* Hands a launch to the GPU: it begins when fewer than concurrent_kernels run, in order of starting. */
void gpu_start(struct gpu *gpu, const struct gpu_launch *what);
/* Runs until a launch has ended and returns its result; false: nothing was started that has not been returned, or
 * gpu->stuck. */
bool gpu_finish(struct gpu *gpu, struct gpu_result *result);
/* What a host copy leaves in the L2: see model field l2.prefill. */
void gpu_prefill(struct gpu *gpu);
/* What runs from now on shows nothing outside: no print, progress, timeline, drawing or explanation. */
void gpu_hide(struct gpu *gpu);
/* The GPU becomes as it was when the launch was started, with nothing else on it or waiting; and what it was before.
 * Nothing runs at either. */
struct gpu_aside {
	struct launch *waiting;
	const struct group_dispatcher *dispatch;
	uint64_t launches;
	bool functional;
};
struct gpu_aside gpu_put_aside(struct gpu *gpu, const struct launch *launch);
void gpu_put_back(struct gpu *gpu, const struct gpu_aside *aside);
/* Whether what is stuck may go on by what the host writes to memory that it shares. */
bool gpu_asks_host(const struct gpu *gpu);
/* Whether what runs has been stuck, and went on as the host let it. */
bool gpu_was_helped(const struct gpu *gpu);
/* Whether only a write to memory lets what is stuck go on. */
bool gpu_is_stuck_for_ever(const struct gpu *gpu);
/* Why, one launch after another, in words that are in the arena; null: nothing is stuck. */
const char *gpu_why_stuck(struct gpu *gpu, struct arena *arena);
/* What is stuck has hung: gpu_finish returns it. */
void gpu_give_up(struct gpu *gpu);

#endif
