/* Vector addition, in one and two dimensions, with offsets and with a local size left to the driver.
 * PoCL 3.1: passes. */
#include "check.h"

#define COUNT 4096

static const char source[] =
	"kernel void add(global const int *a, global const int *b, global int *c, int more)\n"
	"{ size_t i = get_global_id(0); c[i] = a[i] + b[i] + more; }\n"
	"kernel void where(global uint *out, uint width)\n"
	"{\n"
	"  size_t x = get_global_id(0), y = get_global_id(1);\n"
	"  global uint *o = out + 8 * ((y - get_global_offset(1)) * width + x - get_global_offset(0));\n"
	"  o[0] = x; o[1] = y; o[2] = get_local_size(0); o[3] = get_group_id(1);\n"
	"  o[4] = get_global_size(0); o[5] = get_num_groups(1); o[6] = get_work_dim(); o[7] = get_global_offset(1);\n"
	"}\n";

static void one_dimension(const struct test *t)
{
	int a[COUNT], b[COUNT], c[COUNT], more = 7;
	for (int k = 0; k < COUNT; k++)
		a[k] = k, b[k] = 3 * k;
	cl_kernel add = test_kernel(t, source, "add");
	cl_mem buffers[3] = {
		test_buffer(t, sizeof a, a), test_buffer(t, sizeof b, NULL), test_buffer(t, sizeof c, NULL)};
	OK(clEnqueueWriteBuffer(t->queue, buffers[1], CL_FALSE, 0, sizeof b, b, 0, NULL, NULL));
	for (cl_uint k = 0; k < 3; k++)
		test_set(add, k, buffers[k]);
	OK(clSetKernelArg(add, 3, sizeof more, &more));
	test_launch(t, add, COUNT, 0);
	test_read(t, buffers[2], sizeof c, c);
	for (int k = 0; k < COUNT; k++)
		CHECK(c[k] == 4 * k + 7);
	for (int k = 0; k < 3; k++)
		OK(clReleaseMemObject(buffers[k]));
	OK(clReleaseKernel(add));
}

static void two_dimensions(const struct test *t)
{
	enum { WIDTH = 24, HEIGHT = 10 };
	static cl_uint out[HEIGHT][WIDTH][8];
	const size_t offset[2] = {5, 1000}, global[2] = {WIDTH, HEIGHT}, local[2] = {8, 2};
	cl_uint width = WIDTH;
	cl_kernel where = test_kernel(t, source, "where");
	cl_mem buffer = test_buffer(t, sizeof out, NULL);
	test_set(where, 0, buffer);
	OK(clSetKernelArg(where, 1, sizeof width, &width));
	OK(clEnqueueNDRangeKernel(t->queue, where, 2, offset, global, local, 0, NULL, NULL));
	test_read(t, buffer, sizeof out, out);
	for (cl_uint y = 0; y < HEIGHT; y++)
		for (cl_uint x = 0; x < WIDTH; x++) {
			const cl_uint wanted[8] = {x + 5, y + 1000, 8, y / 2, WIDTH, HEIGHT / 2, 2, 1000};
			CHECK(!memcmp(out[y][x], wanted, sizeof wanted));
		}
	OK(clReleaseMemObject(buffer));
	OK(clReleaseKernel(where));
}

/* The last groups are smaller where the local size does not divide the global one. */
static void uneven(const struct test *t)
{
	enum { WIDTH = 21, HEIGHT = 7 };
	static cl_uint out[HEIGHT][WIDTH][8];
	const size_t offset[2] = {3, 2}, global[2] = {WIDTH, HEIGHT}, local[2] = {8, 4};
	cl_bool able = CL_FALSE;
	cl_uint width = WIDTH;
	OK(clGetDeviceInfo(t->device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof able, &able, NULL));
	if (!able)
		return;
	cl_kernel where = test_kernel(t, source, "where");
	cl_mem buffer = test_buffer(t, sizeof out, NULL);
	test_set(where, 0, buffer);
	OK(clSetKernelArg(where, 1, sizeof width, &width));
	OK(clEnqueueNDRangeKernel(t->queue, where, 2, offset, global, local, 0, NULL, NULL));
	test_read(t, buffer, sizeof out, out);
	for (cl_uint y = 0; y < HEIGHT; y++)
		for (cl_uint x = 0; x < WIDTH; x++) {
			const cl_uint wanted[8] = {x + 3, y + 2, x < 16 ? 8 : 5, y / 4, WIDTH, 2, 2, 2};
			CHECK(!memcmp(out[y][x], wanted, sizeof wanted));
		}
	OK(clReleaseMemObject(buffer));
	OK(clReleaseKernel(where));
}

int main(void)
{
	struct test t = test_open();
	one_dimension(&t);
	two_dimensions(&t);
	uneven(&t);
	test_close(&t);
	return 0;
}
