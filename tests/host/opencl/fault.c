/* A kernel that writes past its buffer: its event and queue have an error, and the program goes on with another queue.
 * Not run on PoCL, which such a kernel may end. */
#include "check.h"

static const char source[] = "kernel void past(global int *p, int n) { p[get_global_id(0) + n] = 1; }\n"
			     "kernel void good(global int *p) { p[get_global_id(0)] = get_global_id(0); }\n";

int main(void)
{
	struct test t = test_open();
	cl_int why, n = 1 << 20, status = 0, values[64];
	size_t global = 64;
	cl_event event;
	cl_kernel past = test_kernel(&t, source, "past"), good = test_kernel(&t, source, "good");
	cl_mem buffer = test_buffer(&t, sizeof values, NULL);
	test_set(past, 0, buffer);
	OK(clSetKernelArg(past, 1, sizeof n, &n));
	OK(clEnqueueNDRangeKernel(t.queue, past, 1, NULL, &global, NULL, 0, NULL, &event));
	GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
	OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	CHECK(status == CL_OUT_OF_RESOURCES);
	GIVES(CL_OUT_OF_RESOURCES, clFinish(t.queue));
	OK(clReleaseEvent(event));
	OK(clReleaseCommandQueue(t.queue));
	t.queue = clCreateCommandQueue(t.context, t.device, 0, &why);
	OK(why);
	test_set(good, 0, buffer);
	test_launch(&t, good, 64, 0);
	test_read(&t, buffer, sizeof values, values);
	for (int k = 0; k < 64; k++)
		CHECK(values[k] == k);
	OK(clReleaseKernel(past));
	OK(clReleaseKernel(good));
	OK(clReleaseMemObject(buffer));
	test_close(&t);
	return 0;
}
