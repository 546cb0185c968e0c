/* The same mistakes in three launches of the same kernels: `lockstep run --check all` must tell each once, with the
 * count of all launches. */
#include "check.h"

#define COUNT 64

static const char source[] = "kernel void wrong(global int *out, int n)\n"
			     "{\n"
			     "	local int box[64], never[64];\n"
			     "	int i = get_local_id(0);\n"
			     "	box[i] = n;\n"
			     "	barrier(CLK_LOCAL_MEM_FENCE);\n"
			     "	box[i] = n + 1;\n"
			     "	if (n > 9)\n"
			     "		never[i] = n;\n"
			     "	out[i] = box[i ^ 32] + never[i];\n"
			     "}\n"
			     "kernel void apart(global int *out, int n)\n"
			     "{\n"
			     "	if (get_local_id(0) & 1)\n"
			     "		barrier(CLK_LOCAL_MEM_FENCE);\n"
			     "	out[get_local_id(0)] = n;\n"
			     "}\n";

int main(void)
{
	struct test t = test_open();
	const char *const names[] = {"wrong", "apart"};
	size_t global = COUNT;
	cl_int why;
	cl_mem out = clCreateBuffer(t.context, 0, COUNT * sizeof(cl_int), NULL, &why);

	OK(why);
	for (int k = 0; k < 2; k++) {
		cl_kernel kernel = test_kernel(&t, source, names[k]);

		test_set(kernel, 0, out);
		for (cl_int n = 1; n <= 3; n++) {
			OK(clSetKernelArg(kernel, 1, sizeof n, &n));
			OK(clEnqueueNDRangeKernel(t.queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
			OK(clFinish(t.queue));
		}
		OK(clReleaseKernel(kernel));
	}
	OK(clReleaseMemObject(out));
	test_close(&t);
	return 0;
}
