/* The problems of the Cilk programs (cilk.h) by CUDA's dynamic parallelism: a task is a thread of a launch that another
 * task has made, as device.h says.  A program dynamic_NAME is NAME.c, NAME.cu, and NAME.ptx, which is made by
 *
 *     nvcc -rdc=true -ptx -arch=sm_75 -o NAME.ptx NAME.cu                                              (CUDA 13.0)
 *
 * It is a program of CUDA's driver interface, which it finds when it starts.  NVIDIA's driver wants --library, where
 * libcudadevrt.a is; Lockstep has what is in that. */
#ifndef LOCKSTEP_WORKLOADS_DYNAMIC_H
#define LOCKSTEP_WORKLOADS_DYNAMIC_H

#include "../common.h"
#include "../driver.h"
#include "run.h"

struct dynamic {
	struct run run;
	device_address memory; /* struct run, and the frames */
};

/* The first numbers of each program. */
enum { DYNAMIC_FRAMES, DYNAMIC_PENDING, DYNAMIC_NUMBERS };
/* clang-format off */
#define DYNAMIC_OPTIONS(frames_small, frames_paper, pending_small, pending_paper)                                      \
	[DYNAMIC_FRAMES] = {"frames", "words for what children return, each used once", frames_small, frames_paper, 1, 1 << 26, 0}, \
	[DYNAMIC_PENDING] = {"pending", "launches that have not ended, at most (cudaLimitDevRuntimePendingLaunchCount)", pending_small, pending_paper, 1, 1 << 20, 0}

/* PTX in memory, as a text. */
#define DYNAMIC_PTX(file)                                                                                              \
	__asm__(".pushsection .rodata\ndynamic_ptx:\n.incbin \"" DYNAMIC_FOLDER "/" file "\"\n.byte 0\n.popsection\n"); \
	extern const char dynamic_ptx[]
/* clang-format on */

/* Reads the options; opens the GPU with kernels.  Returns the seed. */
uint64_t dynamic_open(struct dynamic *d, int argc, char **argv, const char *what, struct number *numbers, size_t count,
	const char *ptx);
/* Where the first task's result goes, in the GPU's memory. */
device_address dynamic_result(const struct dynamic *d);
/* The GPU's copy of an array. */
device_address dynamic_buffer(const void *values, size_t bytes);
/* Runs the first task, by the kernel of this name.  `arguments`: those behind struct run * and 0, which end with null.
 * What of its launches was refused is a failure.  Prints the time by the device's clock, and the frames. */
void dynamic_run(struct dynamic *d, const char *kernel, void *const *arguments);
void dynamic_close(struct dynamic *d);

#endif
