/* Kernels that people write, each with what it needs, what it must compute, and the figure that its publishers print.
 */
#ifndef LOCKSTEP_WORKLOADS_ORDINARY_H
#define LOCKSTEP_WORKLOADS_ORDINARY_H

#include "../driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One measurement: of which size, and what came of it. */
struct job {
	unsigned n, threads, inner, width, tile; /* 0: those of the row */
	unsigned base;          /* of products: an inner dimension whose time does not count; 0: all counts */
	unsigned warm, repeat;  /* launches before, and those of which the mean is taken */
	unsigned cores, shared; /* of the GPU; bytes of shared memory of a core */
	double nanoseconds, figure;
	bool right;
};

struct ordinary {
	const char *name, *unit, *what;
	unsigned small, paper, threads;
	void (*run)(struct job *job);
};

extern const struct ordinary ordinary[];
extern const size_t ordinary_count;

/* Host memory, or the program ends. */
void *job_memory(size_t bytes);
/* Device memory: with what is at `from`; null: as it comes. */
device_address job_buffer(const void *from, size_t bytes);
/* Numbers that are the same in every run. */
uint32_t job_random(uint64_t *state);
/* Adds the launch's time to the job's: the mean of some, after others. */
void job_launch(struct job *job, const char *kernel, const struct driver_shape *shape, void **arguments);
/* Likewise of a kernel that changes what it reads: one launch, and none before. */
void job_launch_once(struct job *job, const char *kernel, const struct driver_shape *shape, void **arguments);
/* Whether two floats are as near as another order of additions makes them. */
bool job_near(double a, double b);

void run_stream_init(struct job *job);
void run_stream_read(struct job *job);
void run_stream_copy(struct job *job);
void run_stream_scale(struct job *job);
void run_stream_add(struct job *job);
void run_stream_triad(struct job *job);
void run_stencil_3(struct job *job);
void run_stencil_5(struct job *job);
void run_copy_1(struct job *job);
void run_copy_2(struct job *job);
void run_copy_4(struct job *job);
void run_copy_8(struct job *job);
void run_copy_16(struct job *job);
void run_transpose_copy(struct job *job);
void run_transpose_naive(struct job *job);
void run_transpose_coalesced(struct job *job);
void run_transpose_optimized(struct job *job);
void run_matmul_tiled(struct job *job);
void run_matmul_uncoalesced(struct job *job);
void run_matmul_column(struct job *job);
void run_matmul_naive(struct job *job);
void run_matmul_registers(struct job *job);
void run_nbody(struct job *job);
void run_reduction(struct job *job);
void run_scan(struct job *job);
void run_histogram(struct job *job);
void run_bitonic(struct job *job);
void run_convolution(struct job *job);
void run_options(struct job *job);
void run_spmv_scalar(struct job *job);
void run_spmv_vector(struct job *job);
void run_bfs(struct job *job);
void run_fft(struct job *job);
void run_radix_sort(struct job *job);

#endif
