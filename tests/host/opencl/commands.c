/* What holds for every command alike: its event's type and context, that it waits for its list, how long it takes, and
 * what it gets for a wrong queue, list or object. OpenCL 3.0, 5.11 (events) and the errors of each call; times by
 * docs/opencl.md: "copies take copy.latency plus their bytes divided by copy.bandwidth", 10 us and 8,000 MB/s of the
 * GTX 480. */
#include "check.h"

#include <sched.h>
#include <stdatomic.h>

enum { BYTES = 4096 };

struct things {
	cl_command_queue queue;
	cl_mem buffer, other, image; /* 4,096 bytes each; 16 by 16 texels of 4 */
	cl_kernel kernel;
	void *shared; /* 4,096 bytes */
};

static char host[BYTES];
static const size_t origin[3] = {0, 0, 0}, rows[3] = {0, 8, 0}, region[3] = {16, 4, 1};

#define LIST cl_uint count, const cl_event *list, cl_event *event
#define COMMAND(name) static cl_int name(const struct things *x, LIST)

COMMAND(read_buffer)
{
	return clEnqueueReadBuffer(x->queue, x->buffer, CL_FALSE, 0, 800, host, count, list, event);
}
COMMAND(write_buffer)
{
	return clEnqueueWriteBuffer(x->queue, x->buffer, CL_FALSE, 0, 1600, host, count, list, event);
}
COMMAND(copy_buffer)
{
	return clEnqueueCopyBuffer(x->queue, x->buffer, x->other, 0, 0, 2400, count, list, event);
}
COMMAND(fill_buffer)
{
	return clEnqueueFillBuffer(x->queue, x->buffer, host, 16, 0, 3200, count, list, event);
}
COMMAND(read_rectangle)
{
	return clEnqueueReadBufferRect(
		x->queue, x->buffer, CL_FALSE, origin, origin, region, 32, 0, 32, 0, host, count, list, event);
}
COMMAND(write_rectangle)
{
	return clEnqueueWriteBufferRect(
		x->queue, x->buffer, CL_FALSE, origin, origin, region, 32, 0, 32, 0, host, count, list, event);
}
COMMAND(copy_rectangle)
{
	return clEnqueueCopyBufferRect(
		x->queue, x->buffer, x->other, origin, origin, region, 32, 0, 32, 0, count, list, event);
}
COMMAND(read_image)
{
	return clEnqueueReadImage(x->queue, x->image, CL_FALSE, origin, region, 0, 0, host, count, list, event);
}
COMMAND(write_image)
{
	return clEnqueueWriteImage(x->queue, x->image, CL_FALSE, origin, region, 0, 0, host, count, list, event);
}
COMMAND(copy_image)
{
	return clEnqueueCopyImage(x->queue, x->image, x->image, origin, rows, region, count, list, event);
}
COMMAND(fill_image)
{
	return clEnqueueFillImage(x->queue, x->image, host, origin, region, count, list, event);
}
COMMAND(image_to_buffer)
{
	return clEnqueueCopyImageToBuffer(x->queue, x->image, x->buffer, origin, region, 0, count, list, event);
}
COMMAND(buffer_to_image)
{
	return clEnqueueCopyBufferToImage(x->queue, x->buffer, x->image, 0, origin, region, count, list, event);
}

/* Its mapping is given up when the object is. */
COMMAND(map_buffer)
{
	cl_int why;
	void *pointer =
		clEnqueueMapBuffer(x->queue, x->buffer, CL_FALSE, CL_MAP_READ, 0, 4000, count, list, event, &why);
	CHECK(!pointer == !!why);
	return why;
}
COMMAND(map_image)
{
	cl_int why;
	size_t pitch;
	void *pointer = clEnqueueMapImage(
		x->queue, x->image, CL_FALSE, CL_MAP_READ, origin, region, &pitch, NULL, count, list, event, &why);
	CHECK(!pointer == !!why);
	return why;
}
COMMAND(migrate)
{
	return clEnqueueMigrateMemObjects(x->queue, 1, &x->buffer, 0, count, list, event);
}
COMMAND(marker)
{
	return clEnqueueMarkerWithWaitList(x->queue, count, list, event);
}
COMMAND(barrier)
{
	return clEnqueueBarrierWithWaitList(x->queue, count, list, event);
}
COMMAND(launch)
{
	return clEnqueueNDRangeKernel(x->queue, x->kernel, 1, NULL, &(size_t){32}, &(size_t){32}, count, list, event);
}
COMMAND(task)
{
	return clEnqueueTask(x->queue, x->kernel, count, list, event);
}
COMMAND(shared_copy)
{
	return clEnqueueSVMMemcpy(x->queue, CL_FALSE, x->shared, host, 880, count, list, event);
}
COMMAND(shared_fill)
{
	return clEnqueueSVMMemFill(x->queue, x->shared, host, 16, 880, count, list, event);
}
COMMAND(shared_map)
{
	return clEnqueueSVMMap(x->queue, CL_FALSE, CL_MAP_READ, x->shared, 960, count, list, event);
}
COMMAND(shared_map_anew)
{
	return clEnqueueSVMMap(x->queue, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, x->shared, 960, count, list, event);
}
COMMAND(shared_unmap)
{
	return clEnqueueSVMUnmap(x->queue, x->shared, count, list, event);
}
COMMAND(shared_migrate)
{
	return clEnqueueSVMMigrateMem(x->queue, 1, (const void *[]){x->shared}, NULL, 0, count, list, event);
}

enum { FREE = -2, KERNEL = -1 }; /* of no time; of the kernel's */

static const struct {
	cl_int (*enqueue)(const struct things *x, LIST);
	cl_command_type type;
	int bytes; /* that are copied between host and device, or within it */
	bool buffer, image;
} commands[] = {
	{read_buffer, CL_COMMAND_READ_BUFFER, 800, true, false},
	{write_buffer, CL_COMMAND_WRITE_BUFFER, 1600, true, false},
	{copy_buffer, CL_COMMAND_COPY_BUFFER, 2400, true, false},
	{fill_buffer, CL_COMMAND_FILL_BUFFER, 16, true, false}, /* the pattern: the device writes the rest by itself */
	{read_rectangle, CL_COMMAND_READ_BUFFER_RECT, 64, true, false},
	{write_rectangle, CL_COMMAND_WRITE_BUFFER_RECT, 64, true, false},
	{copy_rectangle, CL_COMMAND_COPY_BUFFER_RECT, 64, true, false},
	{read_image, CL_COMMAND_READ_IMAGE, 256, false, true},
	{write_image, CL_COMMAND_WRITE_IMAGE, 256, false, true},
	{copy_image, CL_COMMAND_COPY_IMAGE, 256, false, true},
	{fill_image, CL_COMMAND_FILL_IMAGE, 4, false, true},
	{image_to_buffer, CL_COMMAND_COPY_IMAGE_TO_BUFFER, 256, true, true},
	{buffer_to_image, CL_COMMAND_COPY_BUFFER_TO_IMAGE, 256, true, true},
	{map_buffer, CL_COMMAND_MAP_BUFFER, 4000, true, false},
	{map_image, CL_COMMAND_MAP_IMAGE, 256, false, true},
	{migrate, CL_COMMAND_MIGRATE_MEM_OBJECTS, FREE, true, false},
	{marker, CL_COMMAND_MARKER, FREE, false, false},
	{barrier, CL_COMMAND_BARRIER, FREE, false, false},
	{launch, CL_COMMAND_NDRANGE_KERNEL, KERNEL, false, false},
	{task, CL_COMMAND_TASK, KERNEL, false, false},
	{shared_copy, CL_COMMAND_SVM_MEMCPY, 880, false, false},
	{shared_fill, CL_COMMAND_SVM_MEMFILL, 16, false, false},
	{shared_map, CL_COMMAND_SVM_MAP, 960, false, false},
	{shared_map_anew, CL_COMMAND_SVM_MAP, FREE, false, false},
	{shared_unmap, CL_COMMAND_SVM_UNMAP, FREE, false, false},
	{shared_migrate, CL_COMMAND_SVM_MIGRATE_MEM, FREE, false, false},
};

static struct things make(const struct test *t, cl_context context)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	const char *text = "kernel void set(global int *p) { p[get_global_id(0)] = 1; }";
	cl_int why[6];
	struct things x;
	x.queue = clCreateCommandQueueWithProperties(context, t->device, list, &why[0]);
	x.buffer = clCreateBuffer(context, 0, BYTES, NULL, &why[1]);
	x.other = clCreateBuffer(context, 0, BYTES, NULL, &why[2]);
	x.image = clCreateImage(context, 0, &format, &plane, NULL, &why[3]);
	x.shared = clSVMAlloc(context, 0, BYTES, 0);
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &why[4]);
	OK(clBuildProgram(program, 1, &t->device, "", NULL, NULL));
	x.kernel = clCreateKernel(program, "set", &why[5]);
	for (int k = 0; k < 6; k++)
		OK(why[k]);
	CHECK(x.shared);
	test_set(x.kernel, 0, x.buffer);
	OK(clReleaseProgram(program));
	return x;
}

static void give_back(const struct things *x, cl_context context)
{
	OK(clFinish(x->queue));
	OK(clReleaseKernel(x->kernel));
	OK(clReleaseMemObject(x->buffer));
	OK(clReleaseMemObject(x->other));
	OK(clReleaseMemObject(x->image));
	clSVMFree(context, x->shared);
	OK(clReleaseCommandQueue(x->queue));
}

static void check_event(const struct test *t, const struct things *x, cl_event event)
{
	cl_command_type type = 0;
	cl_command_queue queue = NULL;
	cl_context context = NULL;
	cl_uint references = 0;
	OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
	OK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
	OK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
	CHECK(type == commands[check_entry].type && queue == x->queue && context == t->context && references == 1);
}

/* A command begins when what it waits for has ended, and ends so much later. */
static void check_time(cl_event first, cl_event event)
{
	const cl_ulong latency = 10000, start = test_time(event, CL_PROFILING_COMMAND_START),
		       end = test_time(event, CL_PROFILING_COMMAND_END);
	CHECK(start >= test_time(first, CL_PROFILING_COMMAND_END));
	CHECK(test_time(event, CL_PROFILING_COMMAND_COMPLETE) == end);
	if (commands[check_entry].bytes >= 0)
		CHECK(end - start == latency + (cl_ulong)commands[check_entry].bytes / 8);
	else if (commands[check_entry].bytes == FREE)
		CHECK(end == start);
	else
		CHECK(end - start > 200 && end - start < 100000); /* a store is some hundred cycles away from memory */
}

static char heard[4];
static atomic_int heard_count;

static void CL_CALLBACK hear(cl_event event, cl_int status, void *data)
{
	(void)data;
	int at = atomic_load(&heard_count), asked = 9;
	bool is_same = !clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof asked, &asked, NULL) &&
		       asked == status;
	if (at < 3)
		heard[at] = !is_same                 ? '!'
			    : status == CL_SUBMITTED ? 's'
			    : status == CL_RUNNING   ? 'r'
			    : status == CL_COMPLETE  ? 'c'
						     : '?';
	atomic_store(&heard_count, at + 1);
}

/* Each status by itself, in the order in which they come; whoever asks meanwhile gets the same. */
static void listen_to(cl_event event)
{
	atomic_store(&heard_count, 0);
	OK(clSetEventCallback(event, CL_COMPLETE, hear, NULL));
	OK(clSetEventCallback(event, CL_RUNNING, hear, NULL));
	OK(clSetEventCallback(event, CL_SUBMITTED, hear, NULL));
}

static void check_heard(void)
{
	for (long k = 0; k < 100000000 && atomic_load(&heard_count) < 3; k++)
		sched_yield();
	CHECK(atomic_load(&heard_count) == 3 && !strcmp(heard, "src"));
}

static void check_commands(const struct test *t, const struct things *x)
{
	for (check_entry = 0; check_entry < (int)(sizeof commands / sizeof *commands); check_entry++) {
		cl_int why, status = 9;
		cl_event gate = clCreateUserEvent(t->context, &why), first, event;
		OK(why);
		OK(clEnqueueFillBuffer(x->queue, x->other, host, 1, 0, 1, 0, NULL, &first));
		OK(commands[check_entry].enqueue(x, 2, (cl_event[]){gate, first}, &event));
		check_event(t, x, event);
		listen_to(event);
		OK(clFlush(x->queue));
		OK(clWaitForEvents(1, &first));
		OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
		CHECK(status == CL_QUEUED || status == CL_SUBMITTED);
		OK(clSetUserEventStatus(gate, CL_COMPLETE));
		OK(clWaitForEvents(1, &event));
		OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
		CHECK(status == CL_COMPLETE);
		check_heard();
		check_time(first, event);
		OK(clReleaseEvent(gate));
		OK(clReleaseEvent(first));
		OK(clReleaseEvent(event));
		/* Without a list or an event. */
		OK(commands[check_entry].enqueue(x, 0, NULL, NULL));
		OK(clFinish(x->queue));
	}
	check_entry = 0;
}

/* What is wrong, of each command; nothing is enqueued then. */
static void check_refused(const struct test *t, const struct things *x, const struct things *foreign)
{
	cl_int why;
	cl_event gate = clCreateUserEvent(t->context, &why), event = NULL;
	cl_context other;
	OK(clGetCommandQueueInfo(foreign->queue, CL_QUEUE_CONTEXT, sizeof other, &other, NULL));
	cl_event away = clCreateUserEvent(other, &why);
	OK(why);
	for (check_entry = 0; check_entry < (int)(sizeof commands / sizeof *commands); check_entry++) {
		cl_int (*enqueue)(const struct things *, LIST) = commands[check_entry].enqueue;
		struct things y = *x;
		y.queue = NULL;
		GIVES(CL_INVALID_COMMAND_QUEUE, enqueue(&y, 0, NULL, &event));
		y.queue = (cl_command_queue)t->context;
		GIVES(CL_INVALID_COMMAND_QUEUE, enqueue(&y, 0, NULL, &event));
		y = *x;
		GIVES(CL_INVALID_EVENT_WAIT_LIST, enqueue(&y, 1, NULL, &event));
		GIVES(CL_INVALID_EVENT_WAIT_LIST, enqueue(&y, 0, &gate, &event));
		GIVES(CL_INVALID_EVENT_WAIT_LIST, enqueue(&y, 2, (cl_event[]){gate, NULL}, &event));
		GIVES(CL_INVALID_EVENT_WAIT_LIST, enqueue(&y, 1, (cl_event[]){(cl_event)t->queue}, &event));
		GIVES(CL_INVALID_CONTEXT, enqueue(&y, 2, (cl_event[]){gate, away}, &event));
		if (commands[check_entry].buffer) {
			y.buffer = foreign->buffer;
			GIVES(CL_INVALID_CONTEXT, enqueue(&y, 0, NULL, &event));
			y.buffer = (cl_mem)t->queue;
			GIVES(CL_INVALID_MEM_OBJECT, enqueue(&y, 0, NULL, &event));
			y.buffer = x->image; /* only migration takes both */
			GIVES(enqueue == migrate ? CL_SUCCESS : CL_INVALID_MEM_OBJECT, enqueue(&y, 0, NULL, NULL));
			y = *x;
		}
		if (commands[check_entry].image) {
			y.image = foreign->image;
			GIVES(CL_INVALID_CONTEXT, enqueue(&y, 0, NULL, &event));
			y.image = (cl_mem)t->queue;
			GIVES(CL_INVALID_MEM_OBJECT, enqueue(&y, 0, NULL, &event));
			y.image = x->buffer;
			GIVES(CL_INVALID_MEM_OBJECT, enqueue(&y, 0, NULL, &event));
		}
		if (commands[check_entry].bytes == KERNEL) {
			y.kernel = foreign->kernel;
			GIVES(CL_INVALID_CONTEXT, enqueue(&y, 0, NULL, &event));
			y.kernel = (cl_kernel)t->queue;
			GIVES(CL_INVALID_KERNEL, enqueue(&y, 0, NULL, &event));
		}
		CHECK(!event);
	}
	check_entry = 0;
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clReleaseEvent(gate));
	OK(clReleaseEvent(away));
	OK(clFinish(x->queue));
}

static void CL_CALLBACK note_end(cl_event event, cl_int status, void *count)
{
	(void)event, (void)status;
	atomic_fetch_add((atomic_int *)count, 1);
}

/* Copies of one engine follow each other, a kernel of another queue runs beside them. */
static void check_engines(const struct test *t, const struct things *x)
{
	cl_int why;
	cl_event events[3];
	static atomic_int ended;
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	cl_command_queue second = clCreateCommandQueueWithProperties(t->context, t->device, list, &why);
	OK(why);
	OK(clEnqueueWriteBuffer(x->queue, x->other, CL_FALSE, 0, BYTES, host, 0, NULL, &events[0]));
	OK(clEnqueueWriteBuffer(second, x->buffer, CL_FALSE, 0, BYTES, host, 0, NULL, &events[1]));
	OK(clEnqueueNDRangeKernel(second, x->kernel, 1, NULL, &(size_t){32}, NULL, 1, &events[0], &events[2]));
	OK(clFinish(second));
	OK(clFinish(x->queue));
	CHECK(test_time(events[0], CL_PROFILING_COMMAND_QUEUED) == test_time(events[1], CL_PROFILING_COMMAND_QUEUED));
	CHECK(test_time(events[0], CL_PROFILING_COMMAND_SUBMIT) == test_time(events[1], CL_PROFILING_COMMAND_SUBMIT));
	CHECK(test_time(events[1], CL_PROFILING_COMMAND_START) == test_time(events[0], CL_PROFILING_COMMAND_END));
	CHECK(test_time(events[2], CL_PROFILING_COMMAND_START) >= test_time(events[1], CL_PROFILING_COMMAND_END));
	for (int k = 0; k < 3; k++)
		OK(clReleaseEvent(events[k]));
	/* A user event ends when the application says so: what waits for it begins no sooner than what the application
	 * had waited for before. */
	events[0] = clCreateUserEvent(t->context, &why);
	OK(clEnqueueWriteBuffer(x->queue, x->other, CL_FALSE, 0, BYTES, host, 1, events, &events[1]));
	OK(clFlush(x->queue));
	OK(clEnqueueWriteBuffer(second, x->buffer, CL_FALSE, 0, BYTES, host, 0, NULL, &events[2]));
	OK(clWaitForEvents(1, &events[2]));
	OK(clSetUserEventStatus(events[0], CL_COMPLETE));
	OK(clWaitForEvents(1, &events[1]));
	CHECK(test_time(events[1], CL_PROFILING_COMMAND_SUBMIT) < test_time(events[2], CL_PROFILING_COMMAND_END));
	CHECK(test_time(events[1], CL_PROFILING_COMMAND_START) >= test_time(events[2], CL_PROFILING_COMMAND_END));
	/* What the application enqueues next is enqueued no sooner than that which it has waited for, whatever older
	 * command it waits for then. */
	const cl_ulong waited = test_time(events[1], CL_PROFILING_COMMAND_END);
	CHECK(test_time(events[2], CL_PROFILING_COMMAND_END) < waited);
	OK(clWaitForEvents(1, &events[2]));
	for (int k = 0; k < 3; k++)
		OK(clReleaseEvent(events[k]));
	/* A kernel and then a copy of whose ends the host has not heard by a wait, so that its clock stands: the next
	 * of each begins behind it, whatever queue has it. */
	for (int k = 0; k < 2; k++) {
		int (*const enqueue)(const struct things *, LIST) = k ? write_buffer : launch;
		struct things y = *x;
		OK(enqueue(x, 0, NULL, &events[0]));
		OK(clSetEventCallback(events[0], CL_COMPLETE, note_end, &ended));
		OK(clFlush(x->queue));
		for (long n = 0; n < 100000000 && atomic_load(&ended) <= k; n++)
			sched_yield();
		y.queue = second;
		OK(enqueue(&y, 0, NULL, &events[1]));
		OK(clWaitForEvents(1, &events[1]));
		CHECK(test_time(events[1], CL_PROFILING_COMMAND_SUBMIT) <
			test_time(events[0], CL_PROFILING_COMMAND_END));
		CHECK(test_time(events[1], CL_PROFILING_COMMAND_START) ==
			test_time(events[0], CL_PROFILING_COMMAND_END));
		OK(clReleaseEvent(events[0]));
		OK(clReleaseEvent(events[1]));
	}
	OK(clEnqueueMarkerWithWaitList(x->queue, 0, NULL, &events[0]));
	OK(clFinish(x->queue));
	CHECK(test_time(events[0], CL_PROFILING_COMMAND_QUEUED) >= waited);
	OK(clReleaseEvent(events[0]));
	OK(clReleaseCommandQueue(second));
}

static void CL_CALLBACK count_gone(cl_context context, void *count)
{
	(void)context;
	atomic_fetch_add((atomic_int *)count, 1);
}

/* The first of all commands waits for nothing and takes no time: it begins when it is enqueued. */
static void check_first(const struct test *t)
{
	cl_event event;
	OK(clEnqueueMarkerWithWaitList(t->queue, 0, NULL, &event));
	OK(clWaitForEvents(1, &event));
	const cl_ulong queued = test_time(event, CL_PROFILING_COMMAND_QUEUED);
	CHECK(test_time(event, CL_PROFILING_COMMAND_SUBMIT) == queued &&
		test_time(event, CL_PROFILING_COMMAND_START) == queued &&
		test_time(event, CL_PROFILING_COMMAND_END) == queued);
	OK(clReleaseEvent(event));
}

int main(void)
{
	struct test t = test_open();
	cl_int why;
	check_first(&t);
	cl_context other = clCreateContext(NULL, 1, &t.device, NULL, NULL, &why);
	OK(why);
	static atomic_int gone;
	struct things x = make(&t, t.context), foreign = make(&t, other);
	struct test away = t;
	away.context = other;
	OK(clSetContextDestructorCallback(other, count_gone, &gone));
	check_commands(&t, &x);
	check_refused(&t, &x, &foreign);
	check_engines(&t, &x);
	give_back(&x, t.context);
	/* Whatever was done in a context, nothing of it is left that would keep it. */
	check_commands(&away, &foreign);
	give_back(&foreign, other);
	CHECK(!atomic_load(&gone));
	OK(clReleaseContext(other));
	CHECK(atomic_load(&gone) == 1);
	test_close(&t);
	return 0;
}
