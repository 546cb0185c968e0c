/* Opens libcuda.so.1, and calls it. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* nvcc's image of kernels.cu, which has PTX for any GPU from compute capability 7.5 on.  It is made anew by
 * nvcc -std=c++17 -fatbin -gencode arch=compute_75,code=compute_75 -Xfatbin -compress-all kernels.cu */
__asm__(".pushsection .rodata\n.balign 16\nsilicon_kernels:\n.incbin \"" SILICON_FOLDER
	"/kernels.fatbin\"\n.popsection\n");
extern const char silicon_kernels[];

enum { CORES = 16 }; /* CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */

static void *library;

static _Noreturn void fail(const char *call, int result)
{
	fprintf(stderr, "silicon: %s failed with %d\n", call, result);
	exit(1);
}

/* A function of the driver; the cast is POSIX's. */
static void *function(const char *name)
{
	void *at = dlsym(library, name);
	if (!at) {
		fprintf(stderr, "silicon: libcuda.so.1 has no %s\n", name);
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

struct driver driver_open(const char *file)
{
	struct driver driver = {.name = ""};
	int device = 0, cores = 0;
	void *context = NULL;
	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		fputs("silicon: there is no libcuda.so.1: no NVIDIA driver, and this is not under lockstep run\n",
			stderr);
		exit(1);
	}
	CALL(cuInit, (unsigned), 0);
	CALL(cuDeviceGet, (int *, int), &device, 0);
	CALL(cuDeviceGetName, (char *, int, int), driver.name, sizeof driver.name, device);
	CALL(cuDeviceGetAttribute, (int *, int, int), &cores, CORES, device);
	CALL(cuDevicePrimaryCtxRetain, (void **, int), &context, device);
	CALL(cuCtxSetCurrent, (void *), context);
	if (file)
		CALL(cuModuleLoad, (void **, const char *), &module, file);
	else
		CALL(cuModuleLoadData, (void **, const void *), &module, silicon_kernels);
	driver.cores = (unsigned)cores;
	return driver;
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

void driver_launch(struct kernel *kernel, unsigned groups, unsigned threads, struct work work, device_address ticks,
	device_address sink)
{
	void *arguments[] = {&work, &ticks, &sink};
	CALL(cuLaunchKernel,
		(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
			void **),
		kernel, groups, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
	CALL(cuCtxSynchronize, (void));
}
