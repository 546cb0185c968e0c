/* The GPU: NVIDIA's driver, or Lockstep under `lockstep run`, whichever libcuda.so.1 is found when the program starts;
 * so the program is built without either.  What fails ends the program with one line and status 1. */
#ifndef LOCKSTEP_WORKLOADS_DRIVER_H
#define LOCKSTEP_WORKLOADS_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t device_address;
struct kernel; /* the driver's */

struct driver {
	char name[256];
	unsigned cores, shared; /* how many, and bytes of shared memory of each */
};

/* Opens the first GPU.  `name`: the program's, for what fails. */
struct driver driver_open(const char *name);
/* The module: of a file, or what nvcc has made, in memory. */
void driver_load_file(const char *file);
void driver_load(const void *image);
/* Likewise, of PTX that calls CUDA's device runtime.  `devices_library`: libcudadevrt.a, which NVIDIA's driver wants
 * and Lockstep does not; null: none. */
void driver_link(const char *ptx, const char *devices_library);
/* Launches from the GPU that have not ended, at most: CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT. */
void driver_set_pending(size_t launches);
/* The kernel of this name; null if the module has none. */
struct kernel *driver_kernel(const char *name);
device_address driver_allocate(size_t bytes);
void driver_free(device_address at);
void driver_zero(device_address at, size_t bytes);
void driver_write(device_address at, const void *from, size_t bytes);
void driver_read(void *to, device_address at, size_t bytes);
/* Runs it to its end. */
void driver_launch(struct kernel *kernel, unsigned groups, unsigned threads, void **arguments);
/* Likewise; nanoseconds, by the device's clock. */
double driver_timed_launch(struct kernel *kernel, unsigned groups, unsigned threads, void **arguments);
/* Of launches in two dimensions, one behind another, with so many bytes of dynamic shared memory: of each, the mean. */
struct driver_shape {
	unsigned groups_x, groups_y, threads_x, threads_y, shared;
};
double driver_timed_launches(
	struct kernel *kernel, const struct driver_shape *shape, unsigned launches, void **arguments);

#endif
