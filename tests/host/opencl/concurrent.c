/* Two kernels of two queues that wait for each other through memory: they must run at the same time, and their events
 * say so. Elsewhere nothing promises that kernels overlap, so there the test only asks the device. */
#include "check.h"

static const char source[] = "kernel void ask(global atomic_int *flags, global int *out)\n"
			     "{\n"
			     "  atomic_store_explicit(&flags[0], 1, memory_order_release, memory_scope_device);\n"
			     "  while (!atomic_load_explicit(&flags[1], memory_order_acquire, memory_scope_device))\n"
			     "    ;\n"
			     "  out[0] = out[1] + 1;\n"
			     "}\n"
			     "kernel void answer(global atomic_int *flags, global int *out)\n"
			     "{\n"
			     "  while (!atomic_load_explicit(&flags[0], memory_order_acquire, memory_scope_device))\n"
			     "    ;\n"
			     "  out[1] = 41;\n"
			     "  atomic_store_explicit(&flags[1], 1, memory_order_release, memory_scope_device);\n"
			     "}\n";

static cl_event launch(cl_command_queue queue, cl_kernel kernel, cl_mem flags, cl_mem out)
{
	const size_t one = 1;
	cl_event event;
	test_set(kernel, 0, flags);
	test_set(kernel, 1, out);
	OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &event));
	return event;
}

/* `queue` is another one, or the same out of order. */
static void ask_and_answer(struct test *t, cl_command_queue queue)
{
	cl_int zero[2] = {0, 0}, out[2] = {0, 0};
	cl_kernel ask = test_kernel(t, source, "ask"), answer = test_kernel(t, source, "answer");
	cl_mem flags = test_buffer(t, sizeof zero, zero), result = test_buffer(t, sizeof zero, zero);
	cl_event events[2] = {launch(t->queue, ask, flags, result), launch(queue, answer, flags, result)};
	OK(clWaitForEvents(2, events));
	test_read(t, result, sizeof out, out);
	CHECK(out[0] == 42 && out[1] == 41);
	CHECK(test_time(events[1], CL_PROFILING_COMMAND_START) < test_time(events[0], CL_PROFILING_COMMAND_END));
	CHECK(test_time(events[0], CL_PROFILING_COMMAND_START) < test_time(events[1], CL_PROFILING_COMMAND_END));
	for (int k = 0; k < 2; k++) {
		CHECK(test_time(events[k], CL_PROFILING_COMMAND_SUBMIT) <=
			test_time(events[k], CL_PROFILING_COMMAND_START));
		OK(clReleaseEvent(events[k]));
	}
	OK(clReleaseKernel(ask));
	OK(clReleaseKernel(answer));
	OK(clReleaseMemObject(flags));
	OK(clReleaseMemObject(result));
}

/* The GPU's clock stands while its kernels wait for the host, whose clock goes on with what it waits for: what is
 * launched then begins no sooner than it was submitted (clGetEventProfilingInfo: QUEUED, SUBMIT and START follow each
 * other). */
static void ask_and_answer_late(const struct test *t, cl_command_queue queue)
{
	enum { BYTES = 8 << 20 }; /* a millisecond at 8,000 MB/s: some hundred thousand cycles */
	static char host[BYTES];
	cl_int zero[2] = {0, 0};
	cl_event copied;
	cl_kernel ask = test_kernel(t, source, "ask"), answer = test_kernel(t, source, "answer");
	cl_mem flags = test_buffer(t, sizeof zero, zero), result = test_buffer(t, sizeof zero, zero);
	cl_mem large = test_buffer(t, BYTES, NULL);
	cl_event asked = launch(t->queue, ask, flags, result);
	OK(clEnqueueWriteBuffer(queue, large, CL_FALSE, 0, BYTES, host, 0, NULL, &copied));
	OK(clWaitForEvents(1, &copied));
	cl_event answered = launch(queue, answer, flags, result);
	OK(clWaitForEvents(1, &asked));
	OK(clWaitForEvents(1, &answered));
	const cl_ulong waited = test_time(copied, CL_PROFILING_COMMAND_END);
	CHECK(waited - test_time(copied, CL_PROFILING_COMMAND_START) > 1000000);
	CHECK(test_time(answered, CL_PROFILING_COMMAND_QUEUED) >= waited);
	CHECK(test_time(answered, CL_PROFILING_COMMAND_SUBMIT) >= test_time(answered, CL_PROFILING_COMMAND_QUEUED));
	CHECK(test_time(answered, CL_PROFILING_COMMAND_START) >= test_time(answered, CL_PROFILING_COMMAND_SUBMIT));
	OK(clReleaseEvent(copied));
	OK(clReleaseEvent(asked));
	OK(clReleaseEvent(answered));
	OK(clReleaseKernel(ask));
	OK(clReleaseKernel(answer));
	OK(clReleaseMemObject(flags));
	OK(clReleaseMemObject(result));
	OK(clReleaseMemObject(large));
}

int main(void)
{
	struct test t = test_open();
	const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	const cl_queue_properties free_order[] = {
		CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	cl_int why;
	cl_command_queue second = clCreateCommandQueueWithProperties(t.context, t.device, profiling, &why);
	OK(why);
	cl_command_queue unordered = clCreateCommandQueueWithProperties(t.context, t.device, free_order, &why);
	OK(why);
	if (!test_is_foreign(&t)) {
		cl_command_queue first = t.queue;
		ask_and_answer(&t, second);
		t.queue = unordered;
		ask_and_answer(&t, unordered);
		t.queue = first;
		ask_and_answer_late(&t, second);
	}
	OK(clReleaseCommandQueue(second));
	OK(clReleaseCommandQueue(unordered));
	test_close(&t);
	return 0;
}
