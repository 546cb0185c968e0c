/* An OpenCL program of one file: workers that wait for a server, each a grid in a queue of its own.
 *
 *     cc -g -o grids grids.c -lOpenCL
 *     lockstep run ./grids 30
 *
 * Nothing says which grid gets the GPU first.  Where the workers fill it, the server never starts: docs/progress.md. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

static const char *const source =
	"kernel void serve(global atomic_uint *open, global atomic_uint *done)\n"
	"{\n"
	"	atomic_store_explicit(open, 1, memory_order_release, memory_scope_device);\n"
	"}\n"
	"kernel void work(global atomic_uint *open, global atomic_uint *done)\n"
	"{\n"
	"	while (!atomic_load_explicit(open, memory_order_acquire, memory_scope_device))\n"
	"		;\n"
	"	atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device);\n"
	"}\n";

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "grids: %s: error %d\n", what, error);
	exit(1);
}

int main(int count, char **words)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int error;
	cl_uint zero = 0, done;
	cl_mem buffers[2];
	cl_command_queue queues[2];
	const char *const names[] = {"serve", "work"};
	size_t one = 1, groups[] = {1, count > 1 ? strtoul(words[1], NULL, 10) : 30};

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL), "clBuildProgram");
	for (int k = 0; k < 2; k++) {
		buffers[k] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, &zero, &error);
		check(error, "clCreateBuffer");
	}
	for (int k = 0; k < 2; k++) {
		cl_kernel kernel = clCreateKernel(program, names[k], &error);
		check(error, "clCreateKernel");
		for (cl_uint b = 0; b < 2; b++)
			check(clSetKernelArg(kernel, b, sizeof buffers[b], &buffers[b]), "clSetKernelArg");
		queues[k] = clCreateCommandQueueWithProperties(context, device, NULL, &error);
		check(error, "clCreateCommandQueueWithProperties");
		check(clEnqueueNDRangeKernel(queues[k], kernel, 1, NULL, &groups[k], &one, 0, NULL, NULL),
			"clEnqueueNDRangeKernel");
	}
	check(clEnqueueReadBuffer(queues[1], buffers[1], CL_TRUE, 0, sizeof done, &done, 0, NULL, NULL),
		"clEnqueueReadBuffer");
	printf("%u of %zu workers are done\n", done, groups[1]);
	return 0;
}
