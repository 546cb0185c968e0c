/* A kernel that reads one element behind its buffer, as some public programs do, and uses it for nothing: right where
 * the bytes there are readable, and a fault where bounds are exact.  Status 0 with the right sums, 3 when the kernel
 * failed. */
#include "check.h"

static const char source[] = "kernel void sums(global const int *in, global int *out, int n)\n"
			     "{\n"
			     "	int i = get_global_id(0), next = in[i + 1];\n"
			     "	out[i] = in[i] + (i + 1 < n ? next : 0);\n"
			     "}\n";

int main(void)
{
	struct test t = test_open();
	cl_int n = 64, in[64], out[64];
	size_t global = 64;
	cl_kernel sums = test_kernel(&t, source, "sums");
	for (int k = 0; k < n; k++)
		in[k] = 3 * k;
	cl_mem from = test_buffer(&t, sizeof in, in), to = test_buffer(&t, sizeof out, NULL);
	test_set(sums, 0, from);
	test_set(sums, 1, to);
	OK(clSetKernelArg(sums, 2, sizeof n, &n));
	OK(clEnqueueNDRangeKernel(t.queue, sums, 1, NULL, &global, NULL, 0, NULL, NULL));
	if (clEnqueueReadBuffer(t.queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL))
		return 3;
	for (int k = 0; k < n; k++)
		CHECK(out[k] == 3 * k + (k + 1 < n ? 3 * (k + 1) : 0));
	OK(clReleaseKernel(sums));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	test_close(&t);
	return 0;
}
