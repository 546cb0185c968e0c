/* Kernels that wait for what another command writes: in a queue of its own, which a thread flushes or does not, or
 * behind them.  `queued CASE`; it prints the code that the program gets, 0 or CL_OUT_OF_RESOURCES.
 * tests/host/stalled.py has what is expected of each. */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static struct test t;
static cl_command_queue other;
static cl_kernel waits, sets;
static cl_mem flag;
static const int one = 1;

static void launch(cl_command_queue queue, cl_kernel kernel)
{
	const size_t size = 1;
	OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
}

static void *copy_and_flush(void *nothing)
{
	usleep(200000);
	OK(clEnqueueWriteBuffer(other, flag, CL_FALSE, 0, sizeof one, &one, 0, NULL, NULL));
	OK(clFlush(other));
	return nothing;
}

static void *launch_and_flush(void *nothing)
{
	usleep(200000);
	launch(other, sets);
	OK(clFlush(other));
	return nothing;
}

/* OpenCL promises that a command begins only when its queue is flushed. */
static void *launch_alone(void *nothing)
{
	usleep(200000);
	launch(other, sets);
	return nothing;
}

static void in_thread(void *(*function)(void *))
{
	pthread_t thread;
	launch(t.queue, waits);
	CHECK(!pthread_create(&thread, NULL, function, NULL));
	printf("%d\n", clFinish(t.queue));
	pthread_join(thread, NULL);
}

static void behind(void)
{
	launch(t.queue, waits);
	launch(t.queue, sets);
	printf("%d\n", clFinish(t.queue));
}

static void copy_behind(void)
{
	launch(t.queue, waits);
	OK(clEnqueueWriteBuffer(t.queue, flag, CL_FALSE, 0, sizeof one, &one, 0, NULL, NULL));
	printf("%d\n", clFinish(t.queue));
}

static void fill_behind_event(void)
{
	const size_t size = 1;
	cl_event event;
	OK(clEnqueueNDRangeKernel(t.queue, waits, 1, NULL, &size, &size, 0, NULL, &event));
	OK(clEnqueueFillBuffer(other, flag, &one, sizeof one, 0, sizeof one, 1, &event, NULL));
	printf("%d\n", clFinish(t.queue));
}

int main(int count, char **words)
{
	const char *form = count > 1 ? words[1] : "copy";
	const int zero = 0;
	cl_int code;
	t = test_open();
	other = clCreateCommandQueue(t.context, t.device, 0, &code);
	OK(code);
	waits = test_kernel(&t,
		"kernel void waits(global atomic_int *flag)\n"
		"{ while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)); }",
		"waits");
	sets = test_kernel(&t,
		"kernel void sets(global atomic_int *flag)\n"
		"{ atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device); }",
		"sets");
	flag = test_buffer(&t, sizeof zero, &zero);
	test_set(waits, 0, flag);
	test_set(sets, 0, flag);
	if (!strcmp(form, "copy"))
		in_thread(copy_and_flush);
	else if (!strcmp(form, "launch"))
		in_thread(launch_and_flush);
	else if (!strcmp(form, "unflushed"))
		in_thread(launch_alone);
	else if (!strcmp(form, "behind"))
		behind();
	else if (!strcmp(form, "copy_behind"))
		copy_behind();
	else
		fill_behind_event();
	return 0;
}
