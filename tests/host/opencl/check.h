/* What the OpenCL test programs share: a context on the first device, programs from source, checks that say where. */
#ifndef LOCKSTEP_TESTS_HOST_OPENCL_CHECK_H
#define LOCKSTEP_TESTS_HOST_OPENCL_CHECK_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include <CL/cl.h>

#include "../check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* in order, with profiling */
};

/* A profiling time of an event. */
static inline cl_ulong test_time(cl_event event, cl_profiling_info what)
{
	cl_ulong time = 0;
	OK(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
	return time;
}

static inline struct test test_open(void)
{
	struct test t;
	cl_int why;
	const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	OK(clGetPlatformIDs(1, &t.platform, NULL));
	OK(clGetDeviceIDs(t.platform, CL_DEVICE_TYPE_ALL, 1, &t.device, NULL));
	t.context = clCreateContext(NULL, 1, &t.device, NULL, NULL, &why);
	OK(why);
	t.queue = clCreateCommandQueueWithProperties(t.context, t.device, properties, &why);
	OK(why);
	return t;
}

/* Is it not our device but another one, for comparison? */
static inline bool test_is_foreign(const struct test *t)
{
	char name[256] = "";
	OK(clGetPlatformInfo(t->platform, CL_PLATFORM_NAME, sizeof name, name, NULL));
	return strcmp(name, "Lockstep");
}

static inline void test_close(struct test *t)
{
	OK(clFinish(t->queue));
	OK(clReleaseCommandQueue(t->queue));
	OK(clReleaseContext(t->context));
	puts("passed");
}

static inline cl_command_queue test_queue(const struct test *t, cl_command_queue_properties flags)
{
	cl_int why;
	const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(t->context, t->device, properties, &why);
	OK(why);
	return queue;
}

static inline cl_program test_program(const struct test *t, const char *source)
{
	cl_int why;
	cl_program program = clCreateProgramWithSource(t->context, 1, &source, NULL, &why);
	OK(why);
	return program;
}

/* Of its last build; until the next call. */
static inline char *test_log(const struct test *t, cl_program program)
{
	static char log[65536];
	OK(clGetProgramBuildInfo(program, t->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
	return log;
}

static inline cl_program test_build(const struct test *t, const char *source, const char *options)
{
	cl_program program = test_program(t, source);
	cl_int why = clBuildProgram(program, 1, &t->device, options, NULL, NULL);
	if (why)
		fprintf(stderr, "%s\n", test_log(t, program));
	OK(why);
	return program;
}

/* The kernel of this name; the program goes with it. */
static inline cl_kernel test_kernel(const struct test *t, const char *source, const char *name)
{
	cl_int why;
	cl_program program = test_build(t, source, "-cl-std=CL3.0");
	cl_kernel kernel = clCreateKernel(program, name, &why);
	OK(why);
	OK(clReleaseProgram(program));
	return kernel;
}

static inline cl_mem test_buffer(const struct test *t, size_t bytes, const void *contents)
{
	cl_int why;
	cl_mem buffer =
		clCreateBuffer(t->context, contents ? CL_MEM_COPY_HOST_PTR : 0, bytes, (void *)(size_t)contents, &why);
	OK(why);
	return buffer;
}

static inline void test_set(cl_kernel kernel, cl_uint index, cl_mem buffer)
{
	OK(clSetKernelArg(kernel, index, sizeof buffer, &buffer));
}

static inline void test_launch(const struct test *t, cl_kernel kernel, size_t global, size_t local)
{
	OK(clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}

static inline void test_read(const struct test *t, cl_mem buffer, size_t bytes, void *to)
{
	OK(clEnqueueReadBuffer(t->queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

#endif
