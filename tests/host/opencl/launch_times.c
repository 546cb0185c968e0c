/* Prints the device's clock in MHz, and how long each of four launches took by its event, in nanoseconds, the last of
 * which is in two parts: tests/host/test_run.py compares that with the report. */
#include "check.h"

int main(void)
{
	struct test t = test_open();
	cl_kernel sum = test_kernel(&t,
		"kernel void sum(global int *p, int n)\n"
		"{ int s = 0; for (int k = 0; k < n; k++) s += p[k]; p[get_global_id(0)] = s; }",
		"sum");
	cl_mem buffer = test_buffer(&t, 1024 * sizeof(cl_int), NULL);
	test_set(sum, 0, buffer);
	cl_uint clock;
	OK(clGetDeviceInfo(t.device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock, &clock, NULL));
	printf("%u\n", clock);
	for (cl_int k = 0; k < 4; k++) { /* in the third the driver chooses groups */
		const size_t global = k == 3 ? 100 : k ? 256 * (size_t)k : 1, local = k ? 64 : 1;
		cl_event event;
		OK(clSetKernelArg(sum, 1, sizeof k, &k));
		OK(clEnqueueNDRangeKernel(t.queue, sum, 1, NULL, &global, k == 2 ? NULL : &local, 0, NULL, &event));
		OK(clWaitForEvents(1, &event));
		const cl_ulong start = test_time(event, CL_PROFILING_COMMAND_START);
		CHECK(start == test_time(event, CL_PROFILING_COMMAND_SUBMIT)); /* nothing else runs */
		printf("%llu\n", (unsigned long long)(test_time(event, CL_PROFILING_COMMAND_END) - start));
		OK(clReleaseEvent(event));
	}
	OK(clReleaseKernel(sum));
	OK(clReleaseMemObject(buffer));
	test_close(&t);
	return 0;
}
