/* Shapes of launches: groups that are smaller at the edge, offsets beyond 32 bits, sizes that the driver chooses, the
 * limits of each; arguments in local memory.  Values by the formulas of the OpenCL C specification, 6.15.1 (work-item
 * functions), errors by clEnqueueNDRangeKernel's list. PoCL 3.1: not run. */
#include "check.h"

#include <stdint.h>

static const char source[] =
	"kernel void where(global ulong *out)\n"
	"{\n"
	"  ulong at = get_global_linear_id();\n"
	"  for (uint d = 0; d < 3; d++) {\n"
	"    global ulong *o = out + at * 24 + d * 8;\n"
	"    o[0] = get_global_id(d); o[1] = get_group_id(d); o[2] = get_local_id(d); o[3] = get_local_size(d);\n"
	"    o[4] = get_enqueued_local_size(d); o[5] = get_num_groups(d); o[6] = get_global_offset(d); o[7] = "
	"get_global_size(d);\n"
	"  }\n"
	"}\n"
	"kernel void sizes(global ulong *out)\n"
	"{ for (uint d = 0; d < 3; d++) out[d] = get_local_size(d); }\n"
	"kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global ulong *out) { out[get_global_id(0)] = "
	"1; }\n"
	"kernel void in_local(global ulong *out, local char *a, local long *b)\n"
	"{ a[0] = 1; b[0] = 41; out[0] = a[0] + b[0]; out[1] = (ulong)(size_t)b % 128; }\n"
	"kernel void large(global ulong *out, local char *a) { a[get_local_id(0)] = 5; out[0] = a[0]; }\n"
	"kernel void nothing(void) { }\n";

static cl_kernel kernel_of(cl_program program, const char *name)
{
	cl_int why;
	cl_kernel kernel = clCreateKernel(program, name, &why);
	OK(why);
	return kernel;
}

static cl_int launch(
	const struct test *t, cl_kernel kernel, const size_t *offset, const size_t global[3], const size_t *local)
{
	return clEnqueueNDRangeKernel(t->queue, kernel, 3, offset, global, local, 0, NULL, NULL);
}

/* 5 x 3 x 3 by 2 x 2 x 2: groups of all eight sizes. */
static void edges(const struct test *t, cl_program program)
{
	enum { X = 5, Y = 3, Z = 3 };
	const size_t offset[3] = {7, ((size_t)3 << 32) + 1, 0}, global[3] = {X, Y, Z}, local[3] = {2, 2, 2};
	static cl_ulong out[X * Y * Z][3][8];
	cl_mem buffer = test_buffer(t, sizeof out, NULL);
	cl_kernel where = kernel_of(program, "where");
	test_set(where, 0, buffer);
	OK(launch(t, where, offset, global, local));
	test_read(t, buffer, sizeof out, out);
	for (size_t k = 0; k < X * Y * Z; k++)
		for (int d = 0; d < 3; d++) {
			const size_t at[3] = {k % X, k / X % Y, k / X / Y};
			const cl_ulong *o = out[k][d];
			check_entry = (int)(3 * k) + d;
			CHECK(o[0] == offset[d] + at[d] && o[1] == at[d] / 2 && o[2] == at[d] % 2);
			CHECK(o[3] == (at[d] == global[d] - 1 ? 1 : 2)); /* all sizes are odd */
			CHECK(o[4] == 2 && o[5] == global[d] / 2 + 1 && o[6] == offset[d] && o[7] == global[d]);
		}
	OK(clReleaseKernel(where));
	OK(clReleaseMemObject(buffer));
}

static void chosen_of_three(const struct test *t, cl_kernel sizes, cl_mem buffer, const size_t global[3],
	size_t local_x, size_t local_y, size_t local_z)
{
	cl_ulong out[3];
	OK(launch(t, sizes, NULL, global, NULL));
	test_read(t, buffer, sizeof out, out);
	CHECK(out[0] == local_x && out[1] == local_y && out[2] == local_z);
}

static void chosen(
	const struct test *t, cl_kernel sizes, cl_mem buffer, size_t x, size_t y, size_t local_x, size_t local_y)
{
	chosen_of_three(t, sizes, buffer, (size_t[]){x, y, 1}, local_x, local_y, 1);
}

/* Groups as large as whole divisors up to 256 in all allow, the first direction in whole warps of 32 where it can be
 * (choose_local). */
static void choices(const struct test *t)
{
	cl_program program = test_build(t, source, "-cl-std=CL3.0 -cl-uniform-work-group-size");
	cl_kernel sizes = kernel_of(program, "sizes");
	cl_mem buffer = test_buffer(t, 64, NULL);
	test_set(sizes, 0, buffer);
	chosen(t, sizes, buffer, 1000, 1, 250, 1);
	chosen(t, sizes, buffer, 256, 256, 256, 1);
	chosen(t, sizes, buffer, 96, 10, 96, 2);
	chosen(t, sizes, buffer, 480, 1, 160, 1); /* 240 divides it, too, but has half a warp */
	chosen(t, sizes, buffer, 5, 96, 5, 48);
	chosen(t, sizes, buffer, 31, 1, 31, 1);
	chosen(t, sizes, buffer, 32, 8, 32, 8);
	chosen(t, sizes, buffer, 257, 1, 1, 1); /* a prime */
	chosen(t, sizes, buffer, 512, 3, 256, 1);
	chosen(t, sizes, buffer, 2, 64, 2, 64); /* whole warps are the first direction's alone */
	chosen_of_three(t, sizes, buffer, (size_t[]){2, 2, 96}, 2, 2, 48);
	chosen_of_three(t, sizes, buffer, (size_t[]){64, 2, 4}, 64, 2, 2);
	/* As many dimensions as are given. */
	const size_t global[3] = {64, 2, 2};
	for (cl_uint dimensions = 0; dimensions <= 4; dimensions++)
		GIVES(dimensions < 1 || dimensions > 3 ? CL_INVALID_WORK_DIMENSION : CL_SUCCESS,
			clEnqueueNDRangeKernel(t->queue, sizes, dimensions, NULL, global, NULL, 0, NULL, NULL));
	OK(clEnqueueNDRangeKernel(t->queue, sizes, 2, NULL, global, (size_t[]){32, 2}, 0, NULL, NULL));
	cl_ulong out[3];
	test_read(t, buffer, sizeof out, out);
	CHECK(out[0] == 32 && out[1] == 2 && out[2] == 1);
	GIVES(CL_INVALID_WORK_GROUP_SIZE, launch(t, sizes, NULL, (size_t[]){5, 1, 1}, (size_t[]){2, 1, 1}));
	OK(clReleaseKernel(sizes));
	OK(clReleaseProgram(program));
	OK(clReleaseMemObject(buffer));
}

static void limits(const struct test *t, cl_program program)
{
	size_t most, of_kernel;
	cl_kernel sizes = kernel_of(program, "sizes"), four = kernel_of(program, "four");
	cl_mem buffer = test_buffer(t, 4096, NULL);
	test_set(sizes, 0, buffer);
	test_set(four, 0, buffer);
	OK(clGetDeviceInfo(t->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
	OK(clGetKernelWorkGroupInfo(sizes, t->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof of_kernel, &of_kernel, NULL));
	OK(launch(t, sizes, NULL, (size_t[]){of_kernel, 1, 1}, (size_t[]){of_kernel, 1, 1}));
	OK(launch(t, sizes, NULL, (size_t[]){1, 1, 64}, (size_t[]){1, 1, 64}));
	GIVES(CL_INVALID_WORK_ITEM_SIZE, launch(t, sizes, NULL, (size_t[]){1, 1, 65}, (size_t[]){1, 1, 65}));
	GIVES(CL_INVALID_WORK_ITEM_SIZE,
		launch(t, sizes, NULL, (size_t[]){most + 1, 1, 1}, (size_t[]){most + 1, 1, 1}));
	GIVES(CL_INVALID_WORK_GROUP_SIZE, launch(t, sizes, NULL, (size_t[]){most, 2, 1}, (size_t[]){most, 2, 1}));
	GIVES(CL_INVALID_WORK_GROUP_SIZE, launch(t, sizes, NULL, (size_t[]){4, 1, 1}, (size_t[]){4, 0, 1}));
	GIVES(CL_INVALID_GLOBAL_OFFSET, launch(t, sizes, (size_t[]){0, SIZE_MAX, 0}, (size_t[]){1, 1, 1}, NULL));
	GIVES(CL_INVALID_GLOBAL_OFFSET, launch(t, sizes, (size_t[]){SIZE_MAX - 3, 0, 0}, (size_t[]){4, 1, 1}, NULL));
	OK(launch(t, sizes, (size_t[]){SIZE_MAX - 4, 0, 0}, (size_t[]){4, 1, 1}, NULL)); /* the sum is the largest */
	GIVES(CL_OUT_OF_RESOURCES, launch(t, sizes, NULL, (size_t[]){65536, 65536, 2}, (size_t[]){1, 1, 1}));
	/* Nothing to do; then the group's size does not matter. */
	OK(launch(t, sizes, NULL, (size_t[]){4, 0, 1}, (size_t[]){1, 0, 1}));
	OK(launch(t, sizes, NULL, (size_t[]){0, 4, 1}, (size_t[]){0, 1, 1}));
	OK(launch(t, sizes, NULL, (size_t[]){4, 4, 0}, (size_t[]){1, 1, 0}));
	OK(launch(t, sizes, NULL, NULL, NULL)); /* "global_work_size can be NULL": as zeros */
	OK(clFinish(t->queue));
	/* A required size must be given, divides, and is not a task's. */
	OK(launch(t, four, NULL, (size_t[]){8, 1, 1}, NULL));
	GIVES(CL_INVALID_WORK_GROUP_SIZE, launch(t, four, NULL, (size_t[]){10, 1, 1}, (size_t[]){4, 1, 1}));
	GIVES(CL_INVALID_WORK_GROUP_SIZE, launch(t, four, NULL, (size_t[]){8, 1, 1}, (size_t[]){8, 1, 1}));
	GIVES(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(t->queue, four, 0, NULL, NULL));
	OK(clReleaseKernel(sizes));
	OK(clReleaseKernel(four));
	OK(clReleaseMemObject(buffer));
}

/* Two arguments in local memory, each aligned for the largest type; one that takes all that there is. */
static void local_arguments(const struct test *t, cl_program program)
{
	cl_ulong out[2], room;
	cl_mem buffer = test_buffer(t, sizeof out, NULL);
	cl_kernel in_local = kernel_of(program, "in_local"), large = kernel_of(program, "large");
	test_set(in_local, 0, buffer);
	OK(clSetKernelArg(in_local, 1, 3, NULL));
	OK(clSetKernelArg(in_local, 2, 8, NULL));
	test_launch(t, in_local, 1, 1);
	test_read(t, buffer, sizeof out, out);
	CHECK(out[0] == 42 && out[1] == 0);
	test_set(large, 0, buffer);
	OK(clGetDeviceInfo(t->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof room, &room, NULL));
	OK(clSetKernelArg(large, 1, room, NULL));
	test_launch(t, large, 32, 32);
	test_read(t, buffer, sizeof out, out);
	CHECK(out[0] == 5);
	OK(clSetKernelArg(large, 1, room + 1, NULL));
	GIVES(CL_OUT_OF_RESOURCES, launch(t, large, NULL, (size_t[]){32, 1, 1}, NULL));
	/* "the amount of local memory being used by a kernel ... local memory that may be needed for ... arguments". */
	cl_ulong used = 0;
	OK(clSetKernelArg(in_local, 1, 100, NULL));
	OK(clSetKernelArg(in_local, 2, 8, NULL));
	OK(clGetKernelWorkGroupInfo(in_local, t->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof used, &used, NULL));
	CHECK(used == 108);
	OK(clSetKernelArg(in_local, 1, 60, NULL));
	OK(clGetKernelWorkGroupInfo(in_local, t->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof used, &used, NULL));
	CHECK(used == 68);
	OK(clReleaseKernel(in_local));
	OK(clReleaseKernel(large));
	OK(clReleaseMemObject(buffer));
}

static void CL_CALLBACK note_gone(cl_mem memory, void *gone)
{
	(void)memory;
	*(volatile int *)gone = 1;
}

/* A launch keeps the memory of its arguments, a kernel does not; another context's queue takes no kernel. */
static void lives(const struct test *t, cl_program program)
{
	static volatile int gone;
	cl_int why;
	cl_event gate = clCreateUserEvent(t->context, &why);
	OK(why);
	cl_kernel sizes = kernel_of(program, "sizes");
	cl_mem buffer = test_buffer(t, 64, NULL);
	OK(clSetMemObjectDestructorCallback(buffer, note_gone, (void *)(size_t)&gone));
	test_set(sizes, 0, buffer);
	OK(clEnqueueNDRangeKernel(t->queue, sizes, 1, NULL, &(size_t){1}, NULL, 1, &gate, NULL));
	OK(clReleaseMemObject(buffer));
	CHECK(!gone);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(t->queue));
	CHECK(gone);
	GIVES(CL_INVALID_MEM_OBJECT, launch(t, sizes, NULL, (size_t[]){1, 1, 1}, NULL));
	cl_context other = clCreateContext(NULL, 1, &t->device, NULL, NULL, &why);
	OK(why);
	cl_command_queue queue = clCreateCommandQueue(other, t->device, 0, &why);
	OK(why);
	GIVES(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(queue, sizes, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
	OK(clReleaseCommandQueue(queue));
	OK(clReleaseContext(other));
	OK(clReleaseEvent(gate));
	OK(clReleaseKernel(sizes));
}

/* A kernel without arguments has none to be given. */
static void no_arguments(const struct test *t, cl_program program)
{
	cl_kernel nothing = kernel_of(program, "nothing");
	OK(launch(t, nothing, NULL, (size_t[]){32, 1, 1}, NULL));
	OK(clFinish(t->queue));
	OK(clReleaseKernel(nothing));
}

int main(void)
{
	struct test t = test_open();
	cl_program program = test_build(&t, source, "-cl-std=CL3.0");
	edges(&t, program);
	choices(&t);
	limits(&t, program);
	local_arguments(&t, program);
	lives(&t, program);
	no_arguments(&t, program);
	OK(clReleaseProgram(program));
	test_close(&t);
	return 0;
}
