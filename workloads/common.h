/* What the workloads share: options, random numbers, a device with one program, the verdict.
 *
 * A workload is an ordinary OpenCL 1.2 program.  It prints `PASSED` and ends with 0, or `FAILED: why` with 1; a wrong
 * option is one line on stderr and 2. */
#ifndef LOCKSTEP_WORKLOADS_COMMON_H
#define LOCKSTEP_WORKLOADS_COMMON_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Options ---- */

/* An option `--NAME N`; `value` is what it came to: N, or what --size says. */
struct number {
	const char *name, *help;
	int64_t small, paper; /* of --size small and --size paper, which is the default */
	int64_t least, most;
	int64_t value;
};

/* An option `--NAME WORD`; `value` is the word's place in the list, before reading that of the default. */
struct choice {
	const char *name, *help;
	const char *const *words; /* ends with NULL */
	size_t value;
};

/* An option `--NAME TEXT`; `value` is the text, or what --size says. */
struct text {
	const char *name, *help;
	const char *small, *paper; /* of --size small and --size paper, which is the default */
	const char *value;
};

/* A program's own options; `choice` and `text` may be null. */
struct options {
	struct number *numbers;
	size_t count;
	struct choice *choice;
	struct text *text;
};

/* Reads --size, --seed, --help and the numbers; what is wrong ends the program with one line and status 2.  Returns the
 * seed.  `what` is the first line of --help; the program's name is argv[0] without its folders. */
uint64_t options_read(int argc, char **argv, const char *what, struct number *numbers, size_t count);
/* Likewise, and `choice`. */
uint64_t options_read_choice(
	int argc, char **argv, const char *what, struct number *numbers, size_t count, struct choice *choice);
/* Likewise, and all of `own`. */
uint64_t options_read_all(int argc, char **argv, const char *what, const struct options *own);

/* Ends the program with one line and status 2, for numbers that do not go together. */
__attribute__((format(printf, 1, 2), noreturn)) void options_refuse(const char *format, ...);

/* ---- Random numbers: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) ---- */

uint64_t random_next(uint64_t *state);
/* Of 0 ... count - 1, count below 2^32. */
uint32_t random_below(uint64_t *state, uint32_t count);
/* Of [0, 1), a multiple of 2^-24. */
float random_unit(uint64_t *state);

/* ---- The verdict ---- */

__attribute__((format(printf, 1, 2), noreturn)) void fail(const char *format, ...);
/* Prints PASSED; the program's exit status. */
int pass(void);

/* `count` elements of `size` bytes, zero; never null. */
void *allocate(size_t count, size_t size);

/* ---- The device: the first of the first platform; every error is a failure ---- */

struct gpu {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* in order, with profiling */
	cl_program program;
};

struct argument {
	size_t bytes;
	const void *at;
};
#define ARGUMENT(value)                                                                                                \
	{                                                                                                              \
		sizeof(value), &(value)                                                                                \
	}

/* Local memory of a work-group of the device, at most. */
size_t gpu_local_bytes(void);
/* The option of the compiler for C11 atomics: of OpenCL C 3.0 where the device has OpenCL 3.0, else of 2.0.  PoCL 3.1
 * compiles them with 3.0 alone, older devices with 2.0. */
const char *gpu_atomics_standard(void);
/* The work-items that the device keeps in one warp, as far as it says. */
uint32_t gpu_lanes(void);
/* `file` is NAME.cl of this folder, `options` for the compiler, which finds lockstep_locks.h; OpenCL C 1.2 if they do
 * not say. */
struct gpu gpu_open(const char *file, const char *options);
void gpu_close(struct gpu *gpu);
/* Holds a copy of `contents`, or anything when that is null. */
cl_mem gpu_buffer(const struct gpu *gpu, size_t bytes, const void *contents);
/* Every 32-bit word of it is `word`. */
cl_mem gpu_filled(const struct gpu *gpu, size_t words, int32_t word);
void gpu_read(const struct gpu *gpu, cl_mem buffer, size_t bytes, void *to);
/* Waits for nothing; work-items and work-group along x and y.  The queue keeps order. */
void gpu_launch(const struct gpu *gpu, const char *kernel, const size_t global[2], const size_t local[2],
	const struct argument *arguments, size_t count);
#define GPU_LAUNCH(gpu, kernel, global, local, ...)                                                                    \
	gpu_launch(gpu, kernel, (const size_t[2]){(global), 1}, (const size_t[2]){(local), 1},                         \
		(const struct argument[]){__VA_ARGS__},                                                                \
		sizeof((const struct argument[]){__VA_ARGS__}) / sizeof(struct argument))
#define GPU_LAUNCH_2D(gpu, kernel, width, height, local_width, local_height, ...)                                      \
	gpu_launch(gpu, kernel, (const size_t[2]){(width), (height)},                                                  \
		(const size_t[2]){(local_width), (local_height)}, (const struct argument[]){__VA_ARGS__},              \
		sizeof((const struct argument[]){__VA_ARGS__}) / sizeof(struct argument))
/* Waits for all that was enqueued; when the last of it ended, by the device's clock, in nanoseconds. */
double gpu_time(const struct gpu *gpu);
void gpu_free(cl_mem buffer);

#endif
