/* Kernels that are enqueued and never waited for when main returns: a function for exit that is older than the first
 * use of OpenCL looks at what they wrote to shared memory.  A read that was not waited for is not made, as its memory
 * may be gone. Flushed or not: OpenCL 3.0 promises of flushed commands alone that they are submitted (clFlush).  With
 * the argument "event" a kernel waits for a user event that never comes.  PoCL 3.1 ends without running either kernel,
 * or aborts within its compiler, which exit overtakes. */
#include "check.h"

static int *sums;
static char read_to[64];

static void look(void)
{
	if (sums && (sums[0] != 1 || sums[1] != 1 || read_to[0]))
		_Exit(99);
	puts("looked");
}

static void launch(struct test *t, cl_kernel kernel, int which, cl_uint count, const cl_event *list)
{
	size_t one = 1;
	OK(clSetKernelArgSVMPointer(kernel, 0, &sums[which]));
	OK(clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &one, &one, count, list, NULL));
}

int main(int count, char **words)
{
	static const char ones[64] = {1};
	cl_int why;
	atexit(look);
	struct test t = test_open();
	cl_kernel kernel = test_kernel(&t, "kernel void count(global int *sum) { ++*sum; }", "count");
	cl_mem buffer = test_buffer(&t, sizeof ones, ones);
	sums = clSVMAlloc(t.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 2 * sizeof *sums, 0);
	CHECK(sums);
	sums[0] = sums[1] = 0;
	launch(&t, kernel, 0, 0, NULL);
	OK(clFlush(t.queue));
	launch(&t, kernel, 1, 0, NULL);
	OK(clEnqueueReadBuffer(t.queue, buffer, CL_FALSE, 0, sizeof read_to, read_to, 0, NULL, NULL));
	if (count > 1 && !strcmp(words[1], "event")) {
		cl_event never = clCreateUserEvent(t.context, &why);
		OK(why);
		launch(&t, kernel, 0, 1, &never);
	}
	return 0;
}
