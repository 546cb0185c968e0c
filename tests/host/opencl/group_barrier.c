/* A barrier between work-groups, built on C11 atomics: each round every group reads what its neighbour wrote in the
 * last. PoCL 3.1: passes. */
#include "check.h"

#define GROUPS 8
#define GROUP 64
#define ROUNDS 5

static const char source[] =
	"kernel void rounds(global atomic_int *arrived, global int *values, int groups, int rounds, global int "
	"*wrong)\n"
	"{\n"
	"  int g = get_group_id(0), i = get_local_id(0), n = get_local_size(0);\n"
	"  for (int r = 0; r < rounds; r++) {\n"
	"    values[(r & 1) * groups * n + g * n + i] = r * 1000 + g * n + i;\n"
	"    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);\n"
	"    if (i == 0) {\n"
	"      atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);\n"
	"      while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) < groups * (r + 1))\n"
	"        ;\n"
	"    }\n"
	"    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);\n"
	"    int next = (g + 1) % groups;\n"
	"    if (values[(r & 1) * groups * n + next * n + i] != r * 1000 + next * n + i)\n"
	"      atomic_inc((volatile global int *)wrong);\n"
	"  }\n"
	"}\n";

int main(void)
{
	struct test t = test_open();
	cl_uint units = 1;
	OK(clGetDeviceInfo(t.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
	/* All must run at the same time: elsewhere no more can than there are compute units. */
	cl_int groups = units < GROUPS ? (cl_int)units : GROUPS, rounds = ROUNDS, zero[2] = {0, 0}, wrong = -1;
	cl_kernel kernel = test_kernel(&t, source, "rounds");
	cl_mem arrived = test_buffer(&t, sizeof zero, zero), bad = test_buffer(&t, sizeof zero, zero);
	cl_mem values = test_buffer(&t, sizeof(cl_int) * 2 * GROUPS * GROUP, NULL);
	test_set(kernel, 0, arrived);
	test_set(kernel, 1, values);
	OK(clSetKernelArg(kernel, 2, sizeof groups, &groups));
	OK(clSetKernelArg(kernel, 3, sizeof rounds, &rounds));
	test_set(kernel, 4, bad);
	test_launch(&t, kernel, (size_t)groups * GROUP, GROUP);
	test_read(&t, bad, sizeof wrong, &wrong);
	CHECK(wrong == 0);
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(arrived));
	OK(clReleaseMemObject(bad));
	OK(clReleaseMemObject(values));
	test_close(&t);
	return 0;
}
