/* What bad arguments get: the codes that the specification names.
 * PoCL 3.1: passes, but gives other codes where a line asks whether it is there. */
#include "check.h"

static const char source[] = "kernel void k(global int *p, int n, local int *l) { if (n < 0) p[0] = l[0]; }\n"
			     "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int *p) { "
			     "p[get_global_id(0)] = 8; }\n";

static void contexts_and_queues(const struct test *t)
{
	cl_int why;
	cl_uint count;
	const cl_context_properties wrong[] = {12345, 0, 0};
	const cl_context_properties place = (cl_context_properties)t->platform;
	const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, place, CL_CONTEXT_PLATFORM, place, 0};
	const cl_context_properties no_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)t->device, 0};
	const cl_context_properties no_bool[] = {CL_CONTEXT_INTEROP_USER_SYNC, 2, 0};
	for (cl_context_properties sync = CL_FALSE; sync <= CL_TRUE; sync++) {
		const cl_context_properties good[] = {
			CL_CONTEXT_INTEROP_USER_SYNC, sync, CL_CONTEXT_PLATFORM, place, 0};
		cl_context context = clCreateContext(good, 1, &t->device, NULL, NULL, &why);
		OK(why);
		OK(clReleaseContext(context));
	}
	CHECK(!clCreateContext(wrong, 1, &t->device, NULL, NULL, &why) && why == CL_INVALID_PROPERTY);
	CHECK(!clCreateContext(twice, 1, &t->device, NULL, NULL, &why) && why == CL_INVALID_PROPERTY);
	CHECK(!clCreateContext(no_platform, 1, &t->device, NULL, NULL, &why) && why == CL_INVALID_PLATFORM);
	CHECK(!clCreateContext(no_bool, 1, &t->device, NULL, NULL, &why) && why == CL_INVALID_PROPERTY);
	GIVES(CL_INVALID_PLATFORM, clUnloadPlatformCompiler((cl_platform_id)t->device));
	CHECK(!clCreateContext(NULL, 0, &t->device, NULL, NULL, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateContext(NULL, 1, NULL, NULL, NULL, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateContext(NULL, 1, &t->device, NULL, (void *)1, &why) && why == CL_INVALID_VALUE);
	GIVES(CL_INVALID_VALUE, clGetDeviceIDs(t->platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
	if (!test_is_foreign(t))
		GIVES(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(t->platform, 0, 0, NULL, &count));
	GIVES(CL_INVALID_VALUE, clGetDeviceInfo(t->device, 0x7fff, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clGetDeviceInfo(t->device, CL_DEVICE_MAX_COMPUTE_UNITS, 1, &count, NULL));
	CHECK(!clCreateCommandQueue(NULL, t->device, 0, &why) && why == CL_INVALID_CONTEXT);
	CHECK(!clCreateCommandQueue(t->context, NULL, 0, &why) && why == CL_INVALID_DEVICE);
	CHECK(!clCreateCommandQueue(t->context, t->device, 1u << 30, &why) && why == CL_INVALID_VALUE);
	GIVES(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
	GIVES(CL_INVALID_COMMAND_QUEUE, clFinish(NULL));
}

static void buffers(const struct test *t)
{
	cl_int why, x[4] = {0};
	cl_buffer_region region = {1, 4};
	CHECK(!clCreateBuffer(t->context, 0, 0, NULL, &why) && why == CL_INVALID_BUFFER_SIZE);
	CHECK(!clCreateBuffer(t->context, CL_MEM_USE_HOST_PTR, 4, NULL, &why) && why == CL_INVALID_HOST_PTR);
	CHECK(!clCreateBuffer(t->context, 0, 4, x, &why) && why == CL_INVALID_HOST_PTR);
	CHECK(!clCreateBuffer(t->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &why) &&
		why == CL_INVALID_VALUE);
	CHECK(!clCreateBuffer(NULL, 0, 4, NULL, &why) && why == CL_INVALID_CONTEXT);
	cl_mem buffer = clCreateBuffer(t->context, CL_MEM_HOST_WRITE_ONLY, 1024, NULL, &why), part;
	OK(why);
	GIVES(CL_INVALID_OPERATION, clEnqueueReadBuffer(t->queue, buffer, CL_TRUE, 0, 4, x, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueWriteBuffer(t->queue, buffer, CL_TRUE, 1021, 4, x, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueWriteBuffer(t->queue, buffer, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(t->queue, NULL, CL_TRUE, 0, 4, x, 0, NULL, NULL));
	GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueWriteBuffer(t->queue, buffer, CL_TRUE, 0, 4, x, 1, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(t->queue, buffer, buffer, 0, 8, 16, 0, NULL, NULL));
	OK(clEnqueueCopyBuffer(t->queue, buffer, buffer, 16, 0, 16, 0, NULL, NULL)); /* side by side */
	OK(clEnqueueCopyBuffer(t->queue, buffer, buffer, 0, 16, 16, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueCopyBuffer(t->queue, buffer, buffer, 0, 1020, 16, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(t->queue, buffer, x, 3, 0, 6, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(t->queue, buffer, x, 4, 2, 8, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueUnmapMemObject(t->queue, buffer, x, 0, NULL, NULL));
	part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &why);
	CHECK(!part && why == CL_MISALIGNED_SUB_BUFFER_OFFSET);
	region = (cl_buffer_region){128, 64}; /* what the host may do is the whole buffer's */
	part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &why);
	OK(why);
	GIVES(CL_INVALID_OPERATION, clEnqueueReadBuffer(t->queue, part, CL_TRUE, 0, 4, x, 0, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(t->queue, buffer, part, (size_t[3]){128, 0, 0},
					   (size_t[3]){0}, (size_t[3]){16, 1, 1}, 0, 0, 0, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueWriteBufferRect(t->queue, buffer, CL_TRUE, (size_t[3]){0}, (size_t[3]){0},
					(size_t[3]){4, 2, 1}, 0, 0, (size_t)1 << 63, 0, x, 0, NULL, NULL));
	OK(clReleaseMemObject(part));
	region = (cl_buffer_region){1024, 4};
	CHECK(!clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &why) && why == CL_INVALID_VALUE);
	OK(clReleaseMemObject(buffer));
	GIVES(CL_INVALID_MEM_OBJECT, clReleaseMemObject(NULL));
}

static void kernels(const struct test *t)
{
	cl_int why, n = 3;
	cl_kernel kernel, eight;
	size_t none[2] = {16, 16}, global = 24, local = 5, large = 1 << 20;
	cl_program program = test_build(t, source, NULL);
	cl_mem buffer = test_buffer(t, 1024, NULL);
	CHECK(!clCreateKernel(program, "missing", &why) && why == CL_INVALID_KERNEL_NAME);
	CHECK(!clCreateKernel(program, NULL, &why) && why == CL_INVALID_VALUE);
	kernel = clCreateKernel(program, "k", &why);
	OK(why);
	eight = clCreateKernel(program, "eight", &why);
	OK(why);
	GIVES(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, 3, sizeof n, &n));
	GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 1, &n));
	GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof n, NULL));
	GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &buffer));
	GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 0, NULL));
	GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 2, 4, &n));
	GIVES(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	test_set(kernel, 0, buffer);
	OK(clSetKernelArg(kernel, 1, sizeof n, &n));
	GIVES(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	OK(clSetKernelArg(kernel, 2, 4, NULL));
	GIVES(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(t->queue, kernel, 4, NULL, none, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(t->queue, kernel, 0, NULL, none, NULL, 0, NULL, NULL));
	if (!test_is_foreign(t)) {
		GIVES(CL_INVALID_WORK_GROUP_SIZE,
			clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
		OK(clSetKernelArg(kernel, 2, 1 << 20, NULL));
		GIVES(CL_OUT_OF_RESOURCES,
			clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
		OK(clSetKernelArg(kernel, 2, 4, NULL));
	}
	why = clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &large, &large, 0, NULL, NULL);
	CHECK(why == CL_INVALID_WORK_ITEM_SIZE || why == CL_INVALID_WORK_GROUP_SIZE);
	test_set(eight, 0, buffer);
	local = 4;
	GIVES(CL_INVALID_WORK_GROUP_SIZE,
		clEnqueueNDRangeKernel(t->queue, eight, 1, NULL, &global, &local, 0, NULL, NULL));
	if (!test_is_foreign(t))
		OK(clEnqueueNDRangeKernel(t->queue, eight, 1, NULL, &global, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	OK(clFinish(t->queue));
	OK(clReleaseKernel(kernel));
	OK(clReleaseKernel(eight));
	OK(clReleaseProgram(program));
	OK(clReleaseMemObject(buffer));
}

static void programs(const struct test *t)
{
	cl_int why, status;
	const char *none = NULL, *text = "kernel void f(void) {}";
	const unsigned char junk[] = "\177ELF no program", *binary = junk;
	size_t length = sizeof junk;
	CHECK(!clCreateProgramWithSource(t->context, 0, &text, NULL, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateProgramWithSource(t->context, 1, &none, NULL, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateProgramWithBinary(t->context, 1, &t->device, &length, &binary, &status, &why) &&
		why == CL_INVALID_BINARY);
	cl_program program = clCreateProgramWithSource(t->context, 1, &text, NULL, &why);
	OK(why);
	CHECK(!clCreateKernel(program, "f", &why) && why == CL_INVALID_PROGRAM_EXECUTABLE);
	GIVES(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, NULL, NULL, NULL));
	GIVES(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-no-such-option-at-all", NULL, NULL));
	OK(clReleaseProgram(program));
}

int main(void)
{
	struct test t = test_open();
	contexts_and_queues(&t);
	buffers(&t);
	kernels(&t);
	programs(&t);
	test_close(&t);
	return 0;
}
