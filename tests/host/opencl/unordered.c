/* Commands of two queues that access the same bytes, and the host, with and without order between them: one case for
 * each call, which its argument names.  What `lockstep run --check races` must find of each is in
 * tests/host/test_run.py. */
#include "check.h"

#include <unistd.h>

#define COUNT 64
#define BYTES (COUNT * sizeof(cl_int))

static const char source[] =
	"kernel void put(global int *out, int first)\n"
	"{\n"
	"	out[first + get_global_id(0)] = 7;\n"
	"}\n"
	"kernel void get(global const int *in, global int *out)\n"
	"{\n"
	"	out[get_global_id(0)] = in[get_global_id(0)];\n"
	"}\n"
	"kernel void count(volatile global int *at)\n"
	"{\n"
	"	atomic_add(at + get_local_id(0), 1);\n"
	"}\n"
	"kernel void count_and_put(global int *out, volatile global int *flag)\n"
	"{\n"
	"	atomic_add(flag, 1);\n"
	"	out[get_local_id(0)] = 7;\n"
	"}\n"
	"kernel void tell(global int *out, volatile global int *flag)\n"
	"{\n"
	"	out[get_local_id(0)] = 7;\n"
	"	barrier(CLK_GLOBAL_MEM_FENCE);\n"
	"	if (get_local_id(0) == 0) {\n"
	"		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);\n"
	"		atomic_xchg(flag, 1);\n"
	"	}\n"
	"}\n"
	"kernel void hear(global const int *in, volatile global int *flag, global int *out)\n"
	"{\n"
	"	if (get_local_id(0) == 0) {\n"
	"		while (!atomic_add(flag, 0))\n"
	"			;\n"
	"		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);\n"
	"	}\n"
	"	barrier(CLK_GLOBAL_MEM_FENCE);\n"
	"	out[get_local_id(0)] = in[get_local_id(0)];\n"
	"}\n";

static struct test t;
static cl_command_queue other, loose; /* another one in order; one out of order */
static cl_mem box, out, flag, image;
static cl_kernel put_kernel, get_kernel, count_kernel, both_kernel, tell_kernel, hear_kernel;

static void put_half(
	cl_command_queue queue, cl_int first, size_t global, cl_uint count, const cl_event *list, cl_event *event)
{
	test_set(put_kernel, 0, box);
	OK(clSetKernelArg(put_kernel, 1, sizeof first, &first));
	OK(clEnqueueNDRangeKernel(queue, put_kernel, 1, NULL, &global, &global, count, list, event));
}

static void put(cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
	put_half(queue, 0, COUNT, count, list, event);
}

static void get(cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
	size_t global = COUNT;
	test_set(get_kernel, 0, box);
	test_set(get_kernel, 1, out);
	OK(clEnqueueNDRangeKernel(queue, get_kernel, 1, NULL, &global, &global, count, list, event));
}

static void increment(cl_command_queue queue)
{
	size_t global = COUNT;
	test_set(count_kernel, 0, box);
	OK(clEnqueueNDRangeKernel(queue, count_kernel, 1, NULL, &global, &global, 0, NULL, NULL));
}

static void read_box(cl_command_queue queue, cl_uint count, const cl_event *list)
{
	cl_int host[COUNT];
	OK(clEnqueueReadBuffer(queue, box, CL_TRUE, 0, BYTES, host, count, list, NULL));
}

/* ---- Two queues ---- */

static void queues(void)
{
	put(t.queue, 0, NULL, NULL);
	OK(clFlush(t.queue));
	sleep(1); /* that is no order */
	get(other, 0, NULL, NULL);
}

static void queues_one(void)
{
	put(t.queue, 0, NULL, NULL);
	get(t.queue, 0, NULL, NULL);
	put(t.queue, 0, NULL, NULL);
}

static void queues_event(void)
{
	cl_event event;
	put(t.queue, 0, NULL, &event);
	get(other, 1, &event, NULL);
	OK(clReleaseEvent(event));
}

static void queues_finish(void)
{
	put(t.queue, 0, NULL, NULL);
	OK(clFinish(t.queue));
	get(other, 0, NULL, NULL);
}

static void queues_wait(void)
{
	cl_event event;
	put(t.queue, 0, NULL, &event);
	OK(clWaitForEvents(1, &event));
	get(other, 0, NULL, NULL);
	OK(clReleaseEvent(event));
}

/* The host knows only of what came before the event. */
static void queues_wait_too_early(void)
{
	cl_event event;
	put_half(t.queue, 0, COUNT / 2, 0, NULL, &event);
	put_half(t.queue, COUNT / 2, COUNT / 2, 0, NULL, NULL);
	OK(clWaitForEvents(1, &event));
	get(other, 0, NULL, NULL);
	OK(clReleaseEvent(event));
}

static void queues_halves(void)
{
	put_half(t.queue, 0, COUNT / 2, 0, NULL, NULL);
	put_half(other, COUNT / 2, COUNT / 2, 0, NULL, NULL);
}

static void queues_readers(void)
{
	put(t.queue, 0, NULL, NULL);
	OK(clFinish(t.queue));
	read_box(other, 0, NULL);
	get(t.queue, 0, NULL, NULL);
}

static void queues_atomics(void)
{
	increment(t.queue);
	increment(other);
}

/* Through a third queue, and a marker. */
static void queues_chain(void)
{
	cl_event event, marker;
	put(t.queue, 0, NULL, &event);
	OK(clEnqueueMarkerWithWaitList(loose, 1, &event, &marker));
	get(other, 1, &marker, NULL);
	OK(clReleaseEvent(event));
	OK(clReleaseEvent(marker));
}

/* ---- Flags: kernels of two queues that order each other, and copies that order kernels ---- */

static void tell(cl_command_queue queue)
{
	size_t global = COUNT;
	test_set(tell_kernel, 0, box);
	test_set(tell_kernel, 1, flag);
	OK(clEnqueueNDRangeKernel(queue, tell_kernel, 1, NULL, &global, &global, 0, NULL, NULL));
}

static void count_and_put(cl_command_queue queue)
{
	size_t global = COUNT;
	test_set(both_kernel, 0, box);
	test_set(both_kernel, 1, flag);
	OK(clEnqueueNDRangeKernel(queue, both_kernel, 1, NULL, &global, &global, 0, NULL, NULL));
}

/* A counter of both orders nothing without fences. */
static void counter_alone(void)
{
	count_and_put(t.queue);
	OK(clFlush(t.queue));
	sleep(1);
	count_and_put(other);
}

static void hear(cl_command_queue queue)
{
	size_t global = COUNT;
	test_set(hear_kernel, 0, box);
	test_set(hear_kernel, 1, flag);
	test_set(hear_kernel, 2, out);
	OK(clEnqueueNDRangeKernel(queue, hear_kernel, 1, NULL, &global, &global, 0, NULL, NULL));
	OK(clFlush(queue));
}

static void flag_of_kernel(void)
{
	hear(other);
	tell(t.queue);
}

static void flag_of_kernel_before(void)
{
	tell(t.queue);
	OK(clFlush(t.queue));
	sleep(1);
	hear(other);
}

/* What comes behind the kernel that has heard is behind all that the other did, too. */
static void flag_handed_on(void)
{
	put(t.queue, 0, NULL, NULL);
	tell(t.queue);
	OK(clFlush(t.queue));
	sleep(1);
	hear(other);
	put(other, 0, NULL, NULL);
}

static void write_all(cl_mem to, cl_int value, size_t bytes)
{
	static cl_int host[2][COUNT]; /* it stays until the copy is made */
	cl_int *from = host[to == flag];
	for (size_t k = 0; k < COUNT; k++)
		from[k] = value;
	OK(clEnqueueWriteBuffer(other, to, CL_FALSE, 0, bytes, from, 0, NULL, NULL));
}

static void flag_of_copy(void)
{
	hear(t.queue);
	write_all(box, 5, BYTES);
	write_all(flag, 1, sizeof(cl_int));
}

/* The data comes behind the flag. */
static void flag_of_copy_early(void)
{
	hear(t.queue);
	write_all(flag, 1, sizeof(cl_int));
	write_all(box, 5, BYTES);
}

/* ---- Out of order ---- */

static void loose_none(void)
{
	put(loose, 0, NULL, NULL);
	get(loose, 0, NULL, NULL);
}

static void loose_event(void)
{
	cl_event event;
	put(loose, 0, NULL, &event);
	get(loose, 1, &event, NULL);
	OK(clReleaseEvent(event));
}

static void loose_barrier(void)
{
	put(loose, 0, NULL, NULL);
	OK(clEnqueueBarrierWithWaitList(loose, 0, NULL, NULL));
	get(loose, 0, NULL, NULL);
}

static void loose_marker(void)
{
	cl_event marker;
	put(loose, 0, NULL, NULL);
	OK(clEnqueueMarkerWithWaitList(loose, 0, NULL, &marker));
	get(loose, 1, &marker, NULL);
	OK(clReleaseEvent(marker));
}

/* A marker that nobody waits for orders nothing. */
static void loose_marker_alone(void)
{
	put(loose, 0, NULL, NULL);
	OK(clEnqueueMarkerWithWaitList(loose, 0, NULL, NULL));
	get(loose, 0, NULL, NULL);
}

static void loose_finish(void)
{
	put(loose, 0, NULL, NULL);
	OK(clFinish(loose));
	get(loose, 0, NULL, NULL);
}

/* ---- User events and callbacks ---- */

static void user(bool waits)
{
	cl_int why;
	cl_event event = clCreateUserEvent(t.context, &why);
	OK(why);
	get(other, 1, &event, NULL);
	put(t.queue, 0, NULL, NULL);
	if (waits)
		OK(clFinish(t.queue));
	OK(clSetUserEventStatus(event, CL_COMPLETE));
	OK(clReleaseEvent(event));
}

static void user_event(void)
{
	user(true);
}

static void user_event_early(void)
{
	user(false);
}

static volatile int called;

static void CL_CALLBACK note(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status, (void)data;
	called = 1;
}

static void callback(void)
{
	cl_event event;
	put(t.queue, 0, NULL, &event);
	OK(clSetEventCallback(event, CL_COMPLETE, note, NULL));
	OK(clFlush(t.queue));
	while (!called)
		usleep(1000);
	get(other, 0, NULL, NULL);
	OK(clReleaseEvent(event));
}

static void query(void)
{
	cl_event event;
	cl_int status;
	put(t.queue, 0, NULL, &event);
	do
		OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	while (status != CL_COMPLETE);
	get(other, 0, NULL, NULL);
	OK(clReleaseEvent(event));
}

/* ---- Copies ---- */

static void copy_read(void)
{
	put(t.queue, 0, NULL, NULL);
	read_box(other, 0, NULL);
}

static void copy_read_event(void)
{
	cl_event event;
	put(t.queue, 0, NULL, &event);
	read_box(other, 1, &event);
	OK(clReleaseEvent(event));
}

static void copy_fill(void)
{
	cl_int zero = 0;
	get(t.queue, 0, NULL, NULL);
	OK(clEnqueueFillBuffer(other, box, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
}

static void images(size_t width_of_copy)
{
	static const cl_int texels[COUNT];
	const cl_uint colour[4] = {1};
	const size_t first[3] = {COUNT / 2}, origin[3] = {0}, half[3] = {COUNT / 2, 1, 1},
		     copied[3] = {width_of_copy, 1, 1};
	OK(clEnqueueFillImage(t.queue, image, colour, first, half, 0, NULL, NULL));
	OK(clEnqueueWriteImage(other, image, CL_TRUE, origin, copied, 0, 0, texels, 0, NULL, NULL));
}

static void image_fill(void)
{
	images(COUNT / 2 + 1);
}

static void image_fill_half(void)
{
	images(COUNT / 2);
}

static void copy_twice(void)
{
	cl_int host[2][COUNT] = {0};
	OK(clEnqueueWriteBuffer(t.queue, box, CL_FALSE, 0, BYTES, host[0], 0, NULL, NULL));
	OK(clEnqueueCopyBuffer(other, out, box, 0, 0, BYTES, 0, NULL, NULL));
	OK(clFinish(t.queue));
	OK(clFinish(other));
}

/* The host's own memory, by two commands. */
static void copy_to_host(void)
{
	cl_int host[COUNT] = {0};
	OK(clEnqueueReadBuffer(t.queue, out, CL_FALSE, 0, BYTES, host, 0, NULL, NULL));
	OK(clEnqueueWriteBuffer(other, box, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
	OK(clFinish(t.queue));
}

static void copy_changed(bool waits)
{
	cl_int host[COUNT] = {0};
	OK(clEnqueueWriteBuffer(t.queue, box, CL_FALSE, 0, BYTES, host, 0, NULL, NULL));
	if (waits)
		OK(clFinish(t.queue));
	host[9] = 1;
	OK(clFinish(t.queue));
}

static void source_changed(void)
{
	copy_changed(false);
}

static void source_kept(void)
{
	copy_changed(true);
}

/* ---- Mapping ---- */

static cl_int *map(cl_command_queue queue, cl_map_flags flags, cl_uint count, const cl_event *list)
{
	cl_int why;
	cl_int *at = clEnqueueMapBuffer(queue, box, CL_TRUE, flags, 0, BYTES, count, list, NULL, &why);
	OK(why);
	return at;
}

static void unmap(cl_command_queue queue, cl_int *at)
{
	OK(clEnqueueUnmapMemObject(queue, box, at, 0, NULL, NULL));
}

static void map_read(void)
{
	put(t.queue, 0, NULL, NULL);
	unmap(other, map(other, CL_MAP_READ, 0, NULL));
}

static void map_in_order(void)
{
	put(t.queue, 0, NULL, NULL);
	cl_int *at = map(t.queue, CL_MAP_READ | CL_MAP_WRITE, 0, NULL);
	at[0] = 1;
	unmap(t.queue, at);
	get(t.queue, 0, NULL, NULL);
}

/* A kernel writes while the host has the buffer. */
static void map_while_running(void)
{
	cl_int *at = map(t.queue, CL_MAP_READ, 0, NULL);
	put(t.queue, 0, NULL, NULL);
	unmap(t.queue, at);
}

/* ---- Freeing ---- */

static cl_int *put_on_shared(void)
{
	size_t global = COUNT;
	cl_int first = 0, *at = clSVMAlloc(t.context, CL_MEM_READ_WRITE, BYTES, 0);
	CHECK(at);
	OK(clSetKernelArgSVMPointer(put_kernel, 0, at));
	OK(clSetKernelArg(put_kernel, 1, sizeof first, &first));
	OK(clEnqueueNDRangeKernel(t.queue, put_kernel, 1, NULL, &global, &global, 0, NULL, NULL));
	return at;
}

static void run_on_shared(void (*wait)(void))
{
	cl_int *at = put_on_shared();
	wait();
	clSVMFree(t.context, at);
}

static void free_in_queue(void)
{
	void *at = put_on_shared();
	OK(clEnqueueSVMFree(t.queue, 1, &at, NULL, NULL, 0, NULL, NULL));
}

/* The kernel has begun, and so is first: that is no order. */
static void free_in_other(void)
{
	void *at = put_on_shared();
	OK(clFlush(t.queue));
	sleep(1);
	OK(clEnqueueSVMFree(other, 1, &at, NULL, NULL, 0, NULL, NULL));
}

static void sleep_a_second(void)
{
	OK(clFlush(t.queue));
	sleep(1); /* that is no order */
}

static void finish(void)
{
	OK(clFinish(t.queue));
}

static void free_while_running(void)
{
	run_on_shared(sleep_a_second);
}

static void free_late(void)
{
	run_on_shared(finish);
}

#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	CASE(queues),
	CASE(queues_one),
	CASE(queues_event),
	CASE(queues_finish),
	CASE(queues_wait),
	CASE(queues_wait_too_early),
	CASE(queues_halves),
	CASE(queues_readers),
	CASE(queues_atomics),
	CASE(queues_chain),
	CASE(counter_alone),
	CASE(flag_of_kernel),
	CASE(flag_of_kernel_before),
	CASE(flag_handed_on),
	CASE(flag_of_copy),
	CASE(flag_of_copy_early),
	CASE(loose_none),
	CASE(loose_event),
	CASE(loose_barrier),
	CASE(loose_marker),
	CASE(loose_marker_alone),
	CASE(loose_finish),
	CASE(user_event),
	CASE(user_event_early),
	CASE(callback),
	CASE(query),
	CASE(copy_read),
	CASE(copy_read_event),
	CASE(copy_fill),
	CASE(image_fill),
	CASE(image_fill_half),
	CASE(copy_twice),
	CASE(copy_to_host),
	CASE(source_changed),
	CASE(source_kept),
	CASE(map_read),
	CASE(map_in_order),
	CASE(map_while_running),
	CASE(free_while_running),
	CASE(free_late),
	CASE(free_in_queue),
	CASE(free_in_other),
};

int main(int argument_count, char **arguments)
{
	cl_int why;
	t = test_open();
	other = test_queue(&t, 0);
	loose = test_queue(&t, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	box = test_buffer(&t, BYTES, NULL);
	out = test_buffer(&t, BYTES, NULL);
	flag = test_buffer(&t, sizeof(cl_int), &(cl_int){0});
	image = clCreateImage(t.context, CL_MEM_READ_WRITE, &(cl_image_format){CL_R, CL_UNSIGNED_INT32},
		&(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = COUNT}, NULL, &why);
	OK(why);
	both_kernel = test_kernel(&t, source, "count_and_put");
	tell_kernel = test_kernel(&t, source, "tell");
	hear_kernel = test_kernel(&t, source, "hear");
	put_kernel = test_kernel(&t, source, "put");
	get_kernel = test_kernel(&t, source, "get");
	count_kernel = test_kernel(&t, source, "count");
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		if (argument_count < 2)
			puts(cases[k].name);
		else if (!strcmp(cases[k].name, arguments[1]))
			cases[k].run();
	}
	OK(clFinish(other));
	OK(clFinish(loose));
	OK(clReleaseCommandQueue(other));
	OK(clReleaseCommandQueue(loose));
	OK(clReleaseMemObject(box));
	OK(clReleaseMemObject(out));
	OK(clReleaseMemObject(flag));
	OK(clReleaseMemObject(image));
	OK(clReleaseKernel(both_kernel));
	OK(clReleaseKernel(tell_kernel));
	OK(clReleaseKernel(hear_kernel));
	OK(clReleaseKernel(put_kernel));
	OK(clReleaseKernel(get_kernel));
	OK(clReleaseKernel(count_kernel));
	test_close(&t);
	return 0;
}
