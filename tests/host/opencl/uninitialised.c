/* What gives a buffer contents: a copy, a fill, a mapping, the host's memory, another kernel; and one buffer that
 * nothing gives any, which `lockstep run --check init` must find, and no other.  Launches in the order of `begun`. */
#include "check.h"

#define COUNT 64
#define BYTES (COUNT * sizeof(cl_int))

static const char source[] = "kernel void sums(global const int *in, global int *out)\n"
			     "{\n"
			     "	out[get_global_id(0)] = in[get_global_id(0)] + in[get_global_id(0) ^ 1];\n"
			     "}\n";

static struct test t;
static cl_kernel sums;

static cl_mem new_buffer(cl_mem_flags flags, void *host)
{
	cl_int why;
	cl_mem buffer = clCreateBuffer(t.context, flags, BYTES, host, &why);
	OK(why);
	return buffer;
}

static void run(cl_mem in, cl_mem out)
{
	size_t global = COUNT;
	test_set(sums, 0, in);
	test_set(sums, 1, out);
	OK(clEnqueueNDRangeKernel(t.queue, sums, 1, NULL, &global, NULL, 0, NULL, NULL));
	OK(clFinish(t.queue));
}

static void copied(cl_mem in)
{
	cl_int data[COUNT] = {0};
	size_t origin[3] = {0}, region[3] = {BYTES / 4, 4, 1};
	cl_mem first = new_buffer(0, NULL);
	OK(clEnqueueWriteBufferRect(
		t.queue, first, CL_TRUE, origin, origin, region, BYTES / 4, 0, BYTES / 4, 0, data, 0, NULL, NULL));
	OK(clEnqueueCopyBuffer(t.queue, first, in, 0, 0, BYTES / 2, 0, NULL, NULL));
	OK(clEnqueueWriteBuffer(t.queue, in, CL_TRUE, BYTES / 2, BYTES / 2, data, 0, NULL, NULL));
	OK(clReleaseMemObject(first));
}

static void mapped(cl_mem in)
{
	cl_int why;
	cl_int *at = clEnqueueMapBuffer(t.queue, in, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &why);
	OK(why);
	for (int k = 0; k < COUNT; k++)
		at[k] = k;
	OK(clEnqueueUnmapMemObject(t.queue, in, at, 0, NULL, NULL));
}

int main(void)
{
	cl_int zero = 0, host[COUNT] = {0};
	t = test_open();
	sums = test_kernel(&t, source, "sums");
	cl_mem begun[] = {new_buffer(0, NULL), new_buffer(0, NULL), new_buffer(0, NULL),
		new_buffer(CL_MEM_COPY_HOST_PTR, host), new_buffer(CL_MEM_USE_HOST_PTR, host),
		new_buffer(CL_MEM_ALLOC_HOST_PTR, NULL), new_buffer(0, NULL)};
	size_t count = sizeof begun / sizeof *begun;
	cl_mem out = new_buffer(0, NULL), last = new_buffer(0, NULL);
	copied(begun[0]);
	OK(clEnqueueFillBuffer(t.queue, begun[1], &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
	mapped(begun[2]);
	for (size_t k = 0; k < count; k++) /* nothing gave the last one contents */
		run(begun[k], out);
	run(out, last);
	for (size_t k = 0; k < count; k++)
		OK(clReleaseMemObject(begun[k]));
	OK(clReleaseMemObject(out));
	OK(clReleaseMemObject(last));
	OK(clReleaseKernel(sums));
	test_close(&t);
	return 0;
}
