/* Opens libcuda.so.1, and calls it. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT and _MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
 * CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
enum { CORES = 16, SHARED_OF_CORE = 81, SHARED_OF_GROUP = 8 };

static const char *program = "driver"; /* whose name begins what is said */
static void *library;

static _Noreturn void fail(const char *call, int result)
{
	fprintf(stderr, "%s: %s failed with %d\n", program, call, result);
	exit(1);
}

/* A function of the driver; the cast is POSIX's. */
static void *function(const char *name)
{
	void *at = dlsym(library, name);
	if (!at) {
		fprintf(stderr, "%s: libcuda.so.1 has no %s\n", program, name);
		exit(1);
	}
	return at;
}

/* Calls NAME with these types of arguments. */
#define CALL(name, types, ...)                                                                                         \
	do {                                                                                                           \
		static int(*call) types;                                                                               \
		if (!call)                                                                                             \
			*(void **)&call = function(#name);                                                             \
		int result = call(__VA_ARGS__);                                                                        \
		if (result)                                                                                            \
			fail(#name, result);                                                                           \
	} while (0)

static void *module;

/* CUjitInputType: what a linker takes. */
enum { PTX = 1, LIBRARY = 4 };

void driver_link(const char *ptx, const char *devices_library)
{
	void *link = NULL, *linked = NULL;
	size_t bytes = 0;
	CALL(cuLinkCreate_v2, (unsigned, int *, void **, void **), 0, NULL, NULL, &link);
	CALL(cuLinkAddData_v2, (void *, int, void *, size_t, const char *, unsigned, int *, void **), link, PTX,
		(void *)(uintptr_t)ptx, strlen(ptx) + 1, "kernels.ptx", 0, NULL, NULL);
	if (devices_library)
		CALL(cuLinkAddFile_v2, (void *, int, const char *, unsigned, int *, void **), link, LIBRARY,
			devices_library, 0, NULL, NULL);
	CALL(cuLinkComplete, (void *, void **, size_t *), link, &linked, &bytes);
	CALL(cuModuleLoadData, (void **, const void *), &module, linked);
	CALL(cuLinkDestroy, (void *), link);
}

struct driver driver_open(const char *name)
{
	struct driver driver = {.name = ""};
	int device = 0, cores = 0, shared = 0;
	void *context = NULL;
	program = name;
	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s: there is no libcuda.so.1: no NVIDIA driver, and this is not under lockstep run\n",
			program);
		exit(1);
	}
	CALL(cuInit, (unsigned), 0);
	CALL(cuDeviceGet, (int *, int), &device, 0);
	CALL(cuDeviceGetName, (char *, int, int), driver.name, sizeof driver.name, device);
	CALL(cuDeviceGetAttribute, (int *, int, int), &cores, CORES, device);
	CALL(cuDeviceGetAttribute, (int *, int, int), &shared, SHARED_OF_CORE, device);
	CALL(cuDevicePrimaryCtxRetain, (void **, int), &context, device);
	CALL(cuCtxSetCurrent, (void *), context);
	driver.cores = (unsigned)cores;
	driver.shared = (unsigned)shared;
	return driver;
}

void driver_load_file(const char *file)
{
	CALL(cuModuleLoad, (void **, const char *), &module, file);
}

void driver_load(const void *image)
{
	CALL(cuModuleLoadData, (void **, const void *), &module, image);
}

void driver_set_pending(size_t launches)
{
	enum { PENDING = 4 };
	CALL(cuCtxSetLimit, (int, size_t), PENDING, launches);
}

struct kernel *driver_kernel(const char *name)
{
	void *kernel = NULL;
	int (*get)(void **, void *, const char *);
	*(void **)&get = function("cuModuleGetFunction");
	return get(&kernel, module, name) ? NULL : kernel;
}

device_address driver_allocate(size_t bytes)
{
	device_address at = 0;
	CALL(cuMemAlloc_v2, (device_address *, size_t), &at, bytes);
	return at;
}

void driver_free(device_address at)
{
	CALL(cuMemFree_v2, (device_address), at);
}

void driver_zero(device_address at, size_t bytes)
{
	CALL(cuMemsetD8_v2, (device_address, unsigned char, size_t), at, 0, bytes);
}

void driver_write(device_address at, const void *from, size_t bytes)
{
	CALL(cuMemcpyHtoD_v2, (device_address, const void *, size_t), at, from, bytes);
}

void driver_read(void *to, device_address at, size_t bytes)
{
	CALL(cuMemcpyDtoH_v2, (void *, device_address, size_t), to, at, bytes);
}

void driver_launch(struct kernel *kernel, unsigned groups, unsigned threads, void **arguments)
{
	CALL(cuLaunchKernel,
		(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
			void **),
		kernel, groups, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
	CALL(cuCtxSynchronize, (void));
}

double driver_timed_launch(struct kernel *kernel, unsigned groups, unsigned threads, void **arguments)
{
	return driver_timed_launches(kernel, &(struct driver_shape){groups, 1, threads, 1, 0}, 1, arguments);
}

double driver_timed_launches(
	struct kernel *kernel, const struct driver_shape *shape, unsigned launches, void **arguments)
{
	void *begin = NULL, *end = NULL;
	float milliseconds = 0;
	if (shape->shared)
		CALL(cuFuncSetAttribute, (void *, int, int), kernel, SHARED_OF_GROUP, (int)shape->shared);
	CALL(cuEventCreate, (void **, unsigned), &begin, 0);
	CALL(cuEventCreate, (void **, unsigned), &end, 0);
	CALL(cuEventRecord, (void *, void *), begin, NULL);
	for (unsigned k = 0; k < launches; k++)
		CALL(cuLaunchKernel,
			(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
				void **),
			kernel, shape->groups_x, shape->groups_y, 1, shape->threads_x, shape->threads_y, 1,
			shape->shared, NULL, arguments, NULL);
	CALL(cuEventRecord, (void *, void *), end, NULL);
	CALL(cuEventSynchronize, (void *), end);
	CALL(cuEventElapsedTime, (float *, void *, void *), &milliseconds, begin, end);
	CALL(cuEventDestroy_v2, (void *), begin);
	CALL(cuEventDestroy_v2, (void *), end);
	return 1e6 * (double)milliseconds / launches;
}
