/* Sub-groups: their ids cover the work-group, and their collective functions stay inside.
 * PoCL 3.1 has no sub-groups, and the test then only asks. */
#include "check.h"

#define GROUP 128
#define COUNT 256

static const char source[] =
	"#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
	"kernel void ask(global int *out)\n"
	"{\n"
	"  global int *o = out + 8 * get_global_id(0);\n"
	"  int lane = get_sub_group_local_id();\n"
	"  o[0] = get_sub_group_id(); o[1] = lane; o[2] = get_sub_group_size(); o[3] = get_num_sub_groups();\n"
	"  o[4] = sub_group_reduce_add(lane); o[5] = sub_group_scan_exclusive_add(1);\n"
	"  o[6] = sub_group_broadcast((int)get_local_id(0), 3); o[7] = sub_group_any(lane == 2);\n"
	"  sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
	"}\n";

int main(void)
{
	struct test t = test_open();
	static cl_int out[COUNT][8];
	cl_uint most = 0;
	OK(clGetDeviceInfo(t.device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL));
	if (!most) {
		test_close(&t);
		return 0;
	}
	cl_kernel kernel = test_kernel(&t, source, "ask");
	cl_mem buffer = test_buffer(&t, sizeof out, NULL);
	test_set(kernel, 0, buffer);
	test_launch(&t, kernel, COUNT, GROUP);
	test_read(&t, buffer, sizeof out, out);
	size_t group = GROUP, size = 0, count = 0;
	OK(clGetKernelSubGroupInfo(kernel, t.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, &group,
		sizeof size, &size, NULL));
	OK(clGetKernelSubGroupInfo(kernel, t.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof group, &group,
		sizeof count, &count, NULL));
	for (int k = 0; k < COUNT; k++) {
		int n = (int)size, *o = out[k];
		CHECK(o[2] == n && o[3] == (int)count && o[3] * n == GROUP);
		CHECK(o[0] * n + o[1] == k % GROUP);
		CHECK(o[4] == n * (n - 1) / 2 && o[5] == o[1] && o[6] == o[0] * n + 3 && o[7]);
	}
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(buffer));
	test_close(&t);
	return 0;
}
