/* Sums over work-groups: through local memory that is an argument, that the kernel declares, and by the collective
 * function. PoCL 3.1: passes without the collective functions, which it lacks. */
#include "check.h"

#define GROUP 128
#define GROUPS 24

static const char source[] =
	"kernel void by_argument(global const int *in, global int *out, local int *a, local long *b)\n"
	"{\n"
	"  local int own[128];\n"
	"  int i = get_local_id(0);\n"
	"  a[i] = in[get_global_id(0)]; b[i] = 1; own[i] = i;\n"
	"  for (int step = get_local_size(0) / 2; step; step /= 2) {\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    if (i < step) { a[i] += a[i + step]; b[i] += b[i + step]; own[i] += own[i + step]; }\n"
	"  }\n"
	"  if (i == 0) { out[3 * get_group_id(0)] = a[0]; out[3 * get_group_id(0) + 1] = b[0];\n"
	"                out[3 * get_group_id(0) + 2] = own[0]; }\n"
	"}\n"
	"#ifdef __opencl_c_work_group_collective_functions\n"
	"kernel void collective(global const int *in, global int *out)\n"
	"{\n"
	"  int v = in[get_global_id(0)];\n"
	"  int sum = work_group_reduce_add(v), most = work_group_reduce_max(v), scan = "
	"work_group_scan_inclusive_add(v);\n"
	"  int first = work_group_broadcast(v, 0), any = work_group_any(v == 5), all = work_group_all(v >= 0);\n"
	"  if (get_local_id(0) == get_local_size(0) - 1) {\n"
	"    global int *o = out + 6 * get_group_id(0);\n"
	"    o[0] = sum; o[1] = most; o[2] = scan; o[3] = first; o[4] = any; o[5] = all;\n"
	"  }\n"
	"}\n"
	"#endif\n";

int main(void)
{
	struct test t = test_open();
	int in[GROUP * GROUPS], out[GROUPS][3], collected[GROUPS][6];
	for (int k = 0; k < GROUP * GROUPS; k++)
		in[k] = k * 37 % 1009;
	cl_mem from = test_buffer(&t, sizeof in, in), to = test_buffer(&t, sizeof collected, NULL);
	cl_kernel kernel = test_kernel(&t, source, "by_argument");
	test_set(kernel, 0, from);
	test_set(kernel, 1, to);
	OK(clSetKernelArg(kernel, 2, GROUP * sizeof(cl_int), NULL));
	OK(clSetKernelArg(kernel, 3, GROUP * sizeof(cl_long), NULL));
	test_launch(&t, kernel, GROUP * GROUPS, GROUP);
	test_read(&t, to, sizeof out, out);
	cl_bool able = CL_FALSE;
	OK(clGetDeviceInfo(t.device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, sizeof able, &able, NULL));
	if (able) {
		cl_kernel collective = test_kernel(&t, source, "collective");
		test_set(collective, 0, from);
		test_set(collective, 1, to);
		test_launch(&t, collective, GROUP * GROUPS, GROUP);
		test_read(&t, to, sizeof collected, collected);
		OK(clReleaseKernel(collective));
	}
	for (int g = 0; g < GROUPS; g++) {
		int sum = 0, most = 0, any = 0;
		for (int k = 0; k < GROUP; k++) {
			int v = in[g * GROUP + k];
			sum += v;
			most = v > most ? v : most;
			any |= v == 5;
		}
		CHECK(out[g][0] == sum && out[g][1] == GROUP && out[g][2] == GROUP * (GROUP - 1) / 2);
		if (!able)
			continue;
		CHECK(collected[g][0] == sum && collected[g][1] == most && collected[g][2] == sum);
		CHECK(collected[g][3] == in[g * GROUP] && !collected[g][4] == !any && collected[g][5]);
	}
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	test_close(&t);
	return 0;
}
