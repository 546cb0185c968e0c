/* A kernel that waits for a copy which the application enqueues only later, from another queue; and one for which none
 * comes. */
#include "check.h"

#include <unistd.h>

static void start(struct test *t, cl_kernel kernel, cl_mem flag)
{
	const int zero = 0;
	OK(clEnqueueWriteBuffer(t->queue, flag, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
	test_launch(t, kernel, 64, 64);
	OK(clFlush(t->queue));
}

int main(void)
{
	struct test t = test_open();
	const int one = 1;
	cl_int code;
	cl_command_queue other = clCreateCommandQueue(t.context, t.device, 0, &code);
	OK(code);
	cl_kernel kernel = test_kernel(&t,
		"kernel void wait(global atomic_int *flag)\n"
		"{ while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)); }",
		"wait");
	cl_mem flag = test_buffer(&t, sizeof one, &one);
	test_set(kernel, 0, flag);
	start(&t, kernel, flag);
	usleep(300000); /* by now it is seen that the kernel cannot end by itself */
	OK(clEnqueueWriteBuffer(other, flag, CL_FALSE, 0, sizeof one, &one, 0, NULL, NULL));
	OK(clFinish(other));
	OK(clFinish(t.queue));
	start(&t, kernel, flag);
	GIVES(CL_OUT_OF_RESOURCES, clFinish(t.queue));
	OK(clReleaseMemObject(flag));
	OK(clReleaseKernel(kernel));
	OK(clReleaseCommandQueue(other));
	OK(clReleaseCommandQueue(t.queue));
	OK(clReleaseContext(t.context));
	puts("passed");
	return 0;
}
