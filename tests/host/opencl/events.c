/* Events: order, user events, callbacks, profiling times, out-of-order queues, markers and barriers.
 * PoCL 3.1: passes, but does not call back for a command that failed. */
#include "check.h"

#include <sched.h>
#include <stdatomic.h>

static const char source[] = "kernel void times(global int *x, int by) { x[get_global_id(0)] *= by; }\n"
			     "kernel void plus(global int *x, int what) { x[get_global_id(0)] += what; }\n";

static cl_int status_of(cl_event event)
{
	cl_int status = 99;
	OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	return status;
}

static void profiling(const struct test *t, cl_kernel times, cl_mem buffer)
{
	cl_event event;
	size_t global = 256;
	int two = 2;
	test_set(times, 0, buffer);
	OK(clSetKernelArg(times, 1, sizeof two, &two));
	OK(clEnqueueNDRangeKernel(t->queue, times, 1, NULL, &global, NULL, 0, NULL, &event));
	OK(clWaitForEvents(1, &event));
	cl_ulong queued = test_time(event, CL_PROFILING_COMMAND_QUEUED),
		 submit = test_time(event, CL_PROFILING_COMMAND_SUBMIT);
	cl_ulong start = test_time(event, CL_PROFILING_COMMAND_START), end = test_time(event, CL_PROFILING_COMMAND_END);
	CHECK(queued <= submit && submit <= start && start < end &&
		end <= test_time(event, CL_PROFILING_COMMAND_COMPLETE));
	OK(clReleaseEvent(event));
}

static atomic_int called, last_status;

static void CL_CALLBACK note(cl_event event, cl_int status, void *data)
{
	(void)event;
	atomic_store(&last_status, status);
	atomic_fetch_add((atomic_int *)data, 1);
}

static void wait_for_calls(int count)
{
	for (long k = 0; k < 100000000 && atomic_load(&called) < count; k++)
		sched_yield();
	CHECK(atomic_load(&called) == count);
}

/* A write waits for a user event; nothing runs before; then (x + 3) * 5 in this order, though enqueued the other
 * way. */
static void user_events(const struct test *t, cl_kernel times, cl_kernel plus, cl_mem buffer)
{
	cl_int why, values[256], five = 5, three = 3;
	const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(t->context, t->device, properties, &why);
	OK(why);
	cl_event gate = clCreateUserEvent(t->context, &why), added = clCreateUserEvent(t->context, &why), sum, product;
	OK(why);
	size_t global = 256;
	for (int k = 0; k < 256; k++)
		values[k] = k;
	OK(clEnqueueWriteBuffer(t->queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
	test_set(times, 0, buffer);
	test_set(plus, 0, buffer);
	OK(clSetKernelArg(times, 1, sizeof five, &five));
	OK(clSetKernelArg(plus, 1, sizeof three, &three));
	OK(clEnqueueNDRangeKernel(queue, times, 1, NULL, &global, NULL, 1, &added, &product));
	OK(clEnqueueNDRangeKernel(queue, plus, 1, NULL, &global, NULL, 1, &gate, &sum));
	OK(clSetEventCallback(sum, CL_COMPLETE, note, &called));
	OK(clFlush(queue));
	CHECK(status_of(sum) > CL_COMPLETE && status_of(product) > CL_COMPLETE);
	CHECK(status_of(gate) == CL_SUBMITTED && status_of(added) == CL_SUBMITTED);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(status_of(gate) == CL_COMPLETE && status_of(added) == CL_SUBMITTED);
	GIVES(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clWaitForEvents(1, &sum));
	wait_for_calls(1);
	CHECK(atomic_load(&last_status) == CL_COMPLETE && status_of(product) > CL_COMPLETE);
	OK(clSetUserEventStatus(added, CL_COMPLETE));
	OK(clFinish(queue));
	CHECK(status_of(product) == CL_COMPLETE);
	test_read(t, buffer, sizeof values, values);
	for (int k = 0; k < 256; k++)
		CHECK(values[k] == (k + 3) * 5);
	OK(clReleaseEvent(gate));
	OK(clReleaseEvent(added));
	OK(clReleaseEvent(sum));
	OK(clReleaseEvent(product));
	OK(clReleaseCommandQueue(queue));
}

/* A negative user event is the error of all that waits for it. */
static void failing_event(const struct test *t, cl_mem buffer)
{
	cl_int why, value = 1;
	cl_event gate = clCreateUserEvent(t->context, &why), write;
	OK(why);
	OK(clEnqueueWriteBuffer(t->queue, buffer, CL_FALSE, 0, sizeof value, &value, 1, &gate, &write));
	OK(clSetEventCallback(write, CL_COMPLETE, note, &called));
	OK(clSetUserEventStatus(gate, -7));
	GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &write));
	CHECK(status_of(gate) == -7 && status_of(write) < 0);
	if (!test_is_foreign(t)) {
		wait_for_calls(2);
		CHECK(atomic_load(&last_status) < 0);
	}
	OK(clReleaseEvent(gate));
	OK(clReleaseEvent(write));
}

/* In an out-of-order queue a barrier holds back what comes behind it. */
static void barriers(const struct test *t, cl_kernel times, cl_kernel plus, cl_mem buffer)
{
	cl_int why, values[256] = {1}, seven = 7, two = 2;
	size_t global = 256;
	cl_command_queue queue =
		clCreateCommandQueue(t->context, t->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &why);
	OK(why);
	cl_event marker, gate = clCreateUserEvent(t->context, &why);
	OK(clSetKernelArg(times, 1, sizeof seven, &seven));
	OK(clSetKernelArg(plus, 1, sizeof two, &two));
	OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof values, values, 1, &gate, NULL));
	OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	OK(clEnqueueNDRangeKernel(queue, plus, 1, NULL, &global, NULL, 0, NULL, NULL));
	OK(clEnqueueBarrier(queue));
	OK(clEnqueueNDRangeKernel(queue, times, 1, NULL, &global, NULL, 0, NULL, NULL));
	OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
	OK(clFlush(queue));
	CHECK(status_of(marker) > CL_COMPLETE);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clWaitForEvents(1, &marker));
	test_read(t, buffer, sizeof values, values);
	CHECK(values[0] == 21 && values[1] == 14);
	OK(clReleaseEvent(marker));
	OK(clReleaseEvent(gate));
	OK(clReleaseCommandQueue(queue));
}

/* The API specification of clEnqueueReadBuffer, clWaitForEvents, clSetEventCallback and clGetEventProfilingInfo on what
 * has failed: with the smallest error that there is, -1. */
static void after_failure(const struct test *t, cl_kernel plus, cl_mem buffer)
{
	static atomic_int heard;
	cl_int why, value = 1;
	cl_ulong time;
	size_t global = 256;
	cl_event gate = clCreateUserEvent(t->context, &why), none = NULL, write, events[2];
	OK(why);
	OK(clSetEventCallback(gate, CL_SUBMITTED, note, &heard)); /* which it is already */
	CHECK(atomic_load(&heard) == 1 && atomic_load(&last_status) == CL_SUBMITTED);
	OK(clEnqueueWriteBuffer(t->queue, buffer, CL_FALSE, 0, sizeof value, &value, 1, &gate, &write));
	OK(clSetUserEventStatus(gate, -1));
	GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
		clEnqueueReadBuffer(t->queue, buffer, CL_TRUE, 0, sizeof value, &value, 1, &gate, &none));
	CHECK(!none);
	GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &write));
	GIVES(CL_PROFILING_INFO_NOT_AVAILABLE,
		clGetEventProfilingInfo(write, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
	OK(clSetEventCallback(write, CL_COMPLETE, note, &heard));
	CHECK(atomic_load(&heard) == 2 && atomic_load(&last_status) < 0);
	OK(clEnqueueNDRangeKernel(t->queue, plus, 1, NULL, &global, NULL, 0, NULL, &events[1]));
	events[0] = gate;
	GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(2, events));
	CHECK(status_of(events[1]) == CL_COMPLETE); /* waits for all, whatever becomes of the first */
	OK(clReleaseEvent(gate));
	OK(clReleaseEvent(write));
	OK(clReleaseEvent(events[1]));
}

static bool gets_complete(cl_event event)
{
	for (long k = 0; k < 1000000 && status_of(event) > CL_COMPLETE; k++)
		sched_yield();
	return status_of(event) == CL_COMPLETE;
}

/* In an out-of-order queue a marker comes after all that is before it, one with a list only after its list, and neither
 * holds anything back. */
static void markers(const struct test *t, cl_mem buffer)
{
	cl_int why, values[2] = {0};
	cl_command_queue queue =
		clCreateCommandQueue(t->context, t->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &why);
	cl_event gate = clCreateUserEvent(t->context, &why), first, of_all, free_one, of_list;
	OK(why);
	OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4, values, 1, &gate, &first));
	OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &of_all));
	OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 4, 4, values, 0, NULL, &free_one));
	OK(clEnqueueMarkerWithWaitList(queue, 1, &free_one, &of_list));
	OK(clFlush(queue));
	CHECK(gets_complete(free_one) && gets_complete(of_list));
	CHECK(status_of(first) > CL_COMPLETE && status_of(of_all) > CL_COMPLETE);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(queue));
	CHECK(status_of(of_all) == CL_COMPLETE);
	OK(clReleaseEvent(gate));
	OK(clReleaseEvent(first));
	OK(clReleaseEvent(of_all));
	OK(clReleaseEvent(free_one));
	OK(clReleaseEvent(of_list));
	OK(clReleaseCommandQueue(queue));
}

int main(void)
{
	struct test t = test_open();
	cl_kernel times = test_kernel(&t, source, "times"), plus = test_kernel(&t, source, "plus");
	cl_mem buffer = test_buffer(&t, 256 * sizeof(cl_int), NULL);
	profiling(&t, times, buffer);
	user_events(&t, times, plus, buffer);
	failing_event(&t, buffer);
	barriers(&t, times, plus, buffer);
	if (!test_is_foreign(&t))
		after_failure(&t, plus, buffer);
	markers(&t, buffer);
	OK(clReleaseKernel(times));
	OK(clReleaseKernel(plus));
	OK(clReleaseMemObject(buffer));
	test_close(&t);
	return 0;
}
