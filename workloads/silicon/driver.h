/* The GPU: NVIDIA's driver, or Lockstep under `lockstep run`, whichever libcuda.so.1 is found when the program starts;
 * so the program is built without either.  What fails ends the program with one line and status 1. */
#ifndef LOCKSTEP_SILICON_DRIVER_H
#define LOCKSTEP_SILICON_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t device_address;
struct kernel; /* the driver's */

struct driver {
	char name[256];
	unsigned cores;
};

/* What kernels.cu calls `struct work`. */
struct work {
	device_address words, others;
	uint32_t stride, footprint, warm, iterations, drain, unused;
};

/* Opens the first GPU, and a module: of the file, where there is one, else of what is embedded. */
struct driver driver_open(const char *file);
/* The kernel of this name; null if the module has none. */
struct kernel *driver_kernel(const char *name);
device_address driver_allocate(size_t bytes);
void driver_free(device_address at);
void driver_zero(device_address at, size_t bytes);
void driver_write(device_address at, const void *from, size_t bytes);
void driver_read(void *to, device_address at, size_t bytes);
/* Runs it to its end. */
void driver_launch(struct kernel *kernel, unsigned groups, unsigned threads, struct work work, device_address ticks,
	device_address sink);

#endif
