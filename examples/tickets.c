/* An OpenCL program of one file: work-groups count under a ticket lock, each when its ticket is called.
 *
 *     cc -g -o tickets tickets.c -lOpenCL
 *     lockstep run ./tickets
 *     lockstep run --check races ./tickets hasty       reads the count in another queue, without waiting for the kernel
 *
 * docs/opencl.md and docs/races.md say what comes of it. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef GROUPS /* cc -DGROUPS=3 */
#define GROUPS 240
#endif
#define LANES 64

static const char *const source =
	"kernel void count(global atomic_uint *next, global atomic_uint *called, global uint *total)\n"
	"{\n"
	"	if (get_local_id(0) != 0)\n"
	"		return;\n"
	"	uint ticket = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);\n"
	"	while (atomic_load_explicit(called, memory_order_acquire, memory_scope_device) != ticket)\n"
	"		;\n"
	"	*total += 1;\n"
	"	atomic_store_explicit(called, ticket + 1, memory_order_release, memory_scope_device);\n"
	"}\n";

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "tickets: %s: error %d\n", what, error);
	exit(1);
}

static cl_kernel build(cl_context context, cl_device_id device)
{
	cl_int error;
	cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL), "clBuildProgram");
	cl_kernel kernel = clCreateKernel(program, "count", &error);
	check(error, "clCreateKernel");
	return kernel;
}

int main(int count, char **words)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int error;
	cl_uint zero = 0, total;
	cl_mem buffers[3];
	cl_command_queue queues[2];
	int hasty = count > 1 && !strcmp(words[1], "hasty");

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	for (int k = 0; k < 2; k++) {
		queues[k] = clCreateCommandQueueWithProperties(context, device, NULL, &error);
		check(error, "clCreateCommandQueueWithProperties");
	}
	cl_kernel kernel = build(context, device);
	for (cl_uint k = 0; k < 3; k++) {
		buffers[k] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, &zero, &error);
		check(error, "clCreateBuffer");
		check(clSetKernelArg(kernel, k, sizeof buffers[k], &buffers[k]), "clSetKernelArg");
	}
	size_t items = GROUPS * LANES, lanes = LANES;
	check(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &items, &lanes, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queues[hasty], buffers[2], CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL),
		"clEnqueueReadBuffer");
	printf("%u of %d groups have counted\n", total, GROUPS);
	return 0;
}
