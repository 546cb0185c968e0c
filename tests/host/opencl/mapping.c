/* Mapping, sub-buffers, memory of the application's own, rectangles, fills, copies.
 * PoCL 3.1: passes. */
#include "check.h"

static const char source[] = "kernel void plus(global int *p) { p[get_global_id(0)] += 100; }\n";

static void maps(const struct test *t, cl_kernel plus)
{
	cl_int why;
	cl_uint count = 9;
	cl_mem buffer = clCreateBuffer(t->context, CL_MEM_ALLOC_HOST_PTR, 1024, NULL, &why);
	OK(why);
	int *p = clEnqueueMapBuffer(
		t->queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 1024, 0, NULL, NULL, &why);
	OK(why);
	for (int k = 0; k < 256; k++)
		p[k] = k;
	OK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
	CHECK(count == 1);
	OK(clEnqueueUnmapMemObject(t->queue, buffer, p, 0, NULL, NULL));
	test_set(plus, 0, buffer);
	test_launch(t, plus, 256, 0);
	p = clEnqueueMapBuffer(t->queue, buffer, CL_TRUE, CL_MAP_READ, 40, 80, 0, NULL, NULL, &why);
	OK(why);
	CHECK(p[0] == 110 && p[19] == 129);
	OK(clEnqueueUnmapMemObject(t->queue, buffer, p, 0, NULL, NULL));
	OK(clReleaseMemObject(buffer));
}

/* The kernel's work is in the application's memory when that is mapped, and the application's in the kernel's after. */
static void own_memory(const struct test *t, cl_kernel plus)
{
	cl_int why;
	static int memory[256];
	memory[3] = 5;
	cl_mem buffer = clCreateBuffer(t->context, CL_MEM_USE_HOST_PTR, sizeof memory, memory, &why);
	OK(why);
	test_set(plus, 0, buffer);
	test_launch(t, plus, 256, 0);
	int *p = clEnqueueMapBuffer(
		t->queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof memory, 0, NULL, NULL, &why);
	OK(why);
	CHECK(p == memory && memory[3] == 105 && memory[4] == 100);
	memory[4] = 7;
	OK(clEnqueueUnmapMemObject(t->queue, buffer, p, 0, NULL, NULL));
	test_launch(t, plus, 256, 0);
	int back[256];
	test_read(t, buffer, sizeof back, back);
	CHECK(back[3] == 205 && back[4] == 107);
	p = clEnqueueMapBuffer(t->queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 12, 4, 0, NULL, NULL, &why);
	OK(why);
	CHECK(p == &memory[3]);
	*p = 77;
	OK(clEnqueueUnmapMemObject(t->queue, buffer, p, 0, NULL, NULL));
	test_read(t, buffer, sizeof back, back);
	CHECK(back[3] == 77 && back[4] == 107);
	OK(clReleaseMemObject(buffer));
}

static void parts(const struct test *t, cl_kernel plus)
{
	cl_int why, values[512];
	const cl_buffer_region region = {1024, 1024};
	memset(values, 0, sizeof values);
	cl_mem whole = test_buffer(t, sizeof values, values);
	cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &why),
	       parent = NULL;
	size_t offset = 0;
	OK(why);
	OK(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
	OK(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
	CHECK(parent == whole && offset == 1024);
	test_set(plus, 0, part);
	test_launch(t, plus, 256, 0);
	test_read(t, part, 1024, values);
	CHECK(values[0] == 100 && values[255] == 100);
	OK(clReleaseMemObject(part));
	test_read(t, whole, sizeof values, values);
	for (int k = 0; k < 512; k++)
		CHECK(values[k] == (k < 256 ? 0 : 100));
	OK(clReleaseMemObject(whole));
}

static void rectangles(const struct test *t)
{
	unsigned char from[8][16], to[8][16] = {{0}}, pattern[4] = {1, 2, 3, 4};
	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 16; x++)
			from[y][x] = (unsigned char)(16 * y + x);
	const size_t device_origin[3] = {2, 1, 0}, host_origin[3] = {4, 3, 0}, other_origin[3] = {0, 5, 0},
		     region[3] = {5, 3, 1};
	cl_mem buffer = test_buffer(t, sizeof from, NULL);
	OK(clEnqueueFillBuffer(t->queue, buffer, pattern, sizeof pattern, 0, sizeof from, 0, NULL, NULL));
	OK(clEnqueueWriteBufferRect(
		t->queue, buffer, CL_TRUE, device_origin, host_origin, region, 16, 0, 16, 0, from, 0, NULL, NULL));
	OK(clEnqueueCopyBufferRect(
		t->queue, buffer, buffer, device_origin, other_origin, region, 16, 0, 16, 0, 0, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(t->queue, buffer, buffer, device_origin, host_origin, region,
					   16, 0, 16, 0, 0, NULL, NULL));
	test_read(t, buffer, sizeof to, to);
	CHECK(to[0][5] == pattern[1] && to[1][1] == pattern[1] && to[1][7] == pattern[3]);
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 5; x++) {
			CHECK(to[1 + y][2 + x] == from[3 + y][4 + x]);
			CHECK(to[5 + y][x] == from[3 + y][4 + x]);
		}
	memset(to, 0, sizeof to);
	OK(clEnqueueReadBufferRect(
		t->queue, buffer, CL_TRUE, device_origin, other_origin, region, 16, 0, 16, 0, to, 0, NULL, NULL));
	CHECK(to[5][0] == from[3][4] && to[7][4] == from[5][8] && to[4][0] == 0 && to[5][5] == 0);
	OK(clEnqueueCopyBuffer(t->queue, buffer, buffer, 0, 64, 32, 0, NULL, NULL));
	OK(clEnqueueMigrateMemObjects(t->queue, 1, &buffer, 0, 0, NULL, NULL));
	OK(clReleaseMemObject(buffer));
}

int main(void)
{
	struct test t = test_open();
	cl_kernel plus = test_kernel(&t, source, "plus");
	maps(&t, plus);
	own_memory(&t, plus);
	parts(&t, plus);
	rectangles(&t);
	OK(clReleaseKernel(plus));
	test_close(&t);
	return 0;
}
