/* What the kernels of all four problems share.  A task is a thread, and what it spawns are launches that it makes:
 * children in the stream without order, what is behind a sync in the stream for tail launches, which begin when the
 * grid and all that it has launched have ended.  `together`: all that a task spawns at once is one launch of a thread
 * for each; else each is a launch of one thread. */
#ifndef LOCKSTEP_WORKLOADS_DYNAMIC_DEVICE_H
#define LOCKSTEP_WORKLOADS_DYNAMIC_DEVICE_H

#include "run.h"

/* A frame of `words`, for what its children return; null: there is none left. */
static __device__ unsigned *take_frame(struct run *run, unsigned words)
{
	unsigned first = atomicAdd(&run->taken, words);

	if (first + words <= run->room)
		return (unsigned *)(run + 1) + first;
	run->no_room = 1;
	return NULL;
}

/* Behind a thread's launches: whether one was refused. */
static __device__ void launched(struct run *run)
{
	cudaError_t error = cudaGetLastError();

	if (error)
		atomicCAS(&run->error, 0, (unsigned)error);
}

/* kernel(run, ...) for `count` tasks that differ in their number alone, which is `first` + threadIdx.x. */
#define SPAWN(count, kernel, ...)                                                                                      \
	do {                                                                                                           \
		if (run->together)                                                                                     \
			kernel<<<1, (count), 0, cudaStreamFireAndForget>>>(run, 0u, __VA_ARGS__);                      \
		else                                                                                                   \
			for (unsigned first_ = 0; first_ < (count); first_++)                                          \
				kernel<<<1, 1, 0, cudaStreamFireAndForget>>>(run, first_, __VA_ARGS__);                \
	} while (0)
#define BEHIND(kernel, ...) kernel<<<1, 1, 0, cudaStreamTailLaunch>>>(run, __VA_ARGS__)

#endif
