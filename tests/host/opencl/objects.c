/* What objects say of themselves, how they are counted, and what a wrong one gets: OpenCL 3.0, the tables
 * of 5.1, 5.2, 5.7 to 5.13. */
#include "check.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/* Asks `get(object, name)` for a value of `type`, in memory that fits, that is too small, and without memory. */
#define ASK(get, object, name, type, expected)                                                                         \
	do {                                                                                                           \
		type value_ = (type)0;                                                                                 \
		size_t size_ = 99;                                                                                     \
		OK(get(object, name, sizeof value_, &value_, &size_));                                                 \
		CHECK(size_ == sizeof value_ && value_ == (type)(expected));                                           \
		GIVES(CL_INVALID_VALUE, get(object, name, sizeof value_ - 1, &value_, &size_));                        \
		size_ = 99;                                                                                            \
		OK(get(object, name, 0, NULL, &size_));                                                                \
		CHECK(size_ == sizeof value_);                                                                         \
		OK(get(object, name, sizeof value_, &value_, NULL));                                                   \
	} while (0)

/* After retain the count is 2, after release 1; an object of another kind is none of this. */
#define COUNT(get, name, retain, release, object, other, wrong)                                                        \
	do {                                                                                                           \
		ASK(get, object, name, cl_uint, 1);                                                                    \
		OK(retain(object));                                                                                    \
		ASK(get, object, name, cl_uint, 2);                                                                    \
		OK(release(object));                                                                                   \
		ASK(get, object, name, cl_uint, 1);                                                                    \
		GIVES(wrong, retain(NULL));                                                                            \
		GIVES(wrong, release(NULL));                                                                           \
		GIVES(wrong, get(NULL, name, 0, NULL, NULL));                                                          \
		GIVES(wrong, retain((void *)(other)));                                                                 \
		GIVES(wrong, release((void *)(other)));                                                                \
		GIVES(wrong, get((void *)(other), name, 0, NULL, NULL));                                               \
		GIVES(CL_INVALID_VALUE, get(object, 0x1, 0, NULL, NULL));                                              \
	} while (0)

static void memory(const struct test *t)
{
	const cl_buffer_region region = {128, 64};
	static char own[256];
	cl_int why;
	cl_mem whole = clCreateBuffer(
		t->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY, 256, own, &why);

	OK(why);
	cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &why);
	OK(why);
	ASK(clGetMemObjectInfo, whole, CL_MEM_REFERENCE_COUNT, cl_uint, 1);
	OK(clReleaseMemObject(part));
	part = clCreateSubBuffer(whole, CL_MEM_HOST_NO_ACCESS, CL_BUFFER_CREATE_TYPE_REGION, &region, &why);
	OK(why);
	ASK(clGetMemObjectInfo, whole, CL_MEM_TYPE, cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
	ASK(clGetMemObjectInfo, whole, CL_MEM_FLAGS, cl_mem_flags,
		CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY);
	ASK(clGetMemObjectInfo, whole, CL_MEM_SIZE, size_t, 256);
	ASK(clGetMemObjectInfo, whole, CL_MEM_HOST_PTR, char *, own);
	ASK(clGetMemObjectInfo, whole, CL_MEM_MAP_COUNT, cl_uint, 0);
	ASK(clGetMemObjectInfo, whole, CL_MEM_CONTEXT, cl_context, t->context);
	ASK(clGetMemObjectInfo, whole, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, NULL);
	ASK(clGetMemObjectInfo, whole, CL_MEM_OFFSET, size_t, 0);
	ASK(clGetMemObjectInfo, whole, CL_MEM_USES_SVM_POINTER, cl_bool, CL_FALSE);
	/* A part has its parent's flags where it names none of the kind (clCreateSubBuffer). */
	ASK(clGetMemObjectInfo, part, CL_MEM_FLAGS, cl_mem_flags,
		CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_NO_ACCESS);
	ASK(clGetMemObjectInfo, part, CL_MEM_SIZE, size_t, 64);
	ASK(clGetMemObjectInfo, part, CL_MEM_HOST_PTR, char *, own + 128);
	ASK(clGetMemObjectInfo, part, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, whole);
	ASK(clGetMemObjectInfo, part, CL_MEM_OFFSET, size_t, 128);
	COUNT(clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT, clRetainMemObject, clReleaseMemObject, part, t->queue,
		CL_INVALID_MEM_OBJECT);
	OK(clReleaseMemObject(part));
	OK(clReleaseMemObject(whole));
}

/* The flags that a buffer may have. */
static void buffer_flags(const struct test *t)
{
	static const struct {
		cl_mem_flags flags;
		size_t bytes;
		bool has_pointer;
		cl_int code;
	} table[] = {
		{CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, 16, false, CL_INVALID_VALUE},
		{CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 16, false, CL_INVALID_VALUE},
		{CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY, 16, false, CL_INVALID_VALUE},
		{CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 16, false, CL_INVALID_VALUE},
		{CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 16, false, CL_INVALID_VALUE},
		{CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 16, true, CL_INVALID_VALUE},
		{CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, true, CL_INVALID_VALUE},
		{CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, true, CL_SUCCESS},
		{(cl_mem_flags)1 << 40, 16, false, CL_INVALID_VALUE},
		{CL_MEM_USE_HOST_PTR, 16, false, CL_INVALID_HOST_PTR},
		{CL_MEM_COPY_HOST_PTR, 16, false, CL_INVALID_HOST_PTR},
		{CL_MEM_ALLOC_HOST_PTR, 16, true, CL_INVALID_HOST_PTR},
		{0, 16, true, CL_INVALID_HOST_PTR},
		{0, 0, false, CL_INVALID_BUFFER_SIZE},
		{0, (size_t)1 << 60, false, CL_INVALID_BUFFER_SIZE},
		{0, 1, false, CL_SUCCESS},
	};
	char own[16];
	cl_int why;

	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		check_entry = (int)k;
		cl_mem memory = clCreateBuffer(
			t->context, table[k].flags, table[k].bytes, table[k].has_pointer ? own : NULL, &why);
		GIVES(table[k].code, why);
		CHECK(!memory == !!why);
		if (memory)
			OK(clReleaseMemObject(memory));
	}
	CHECK(!clCreateBuffer(NULL, 0, 16, NULL, &why) && why == CL_INVALID_CONTEXT);
}

/* The flags that a part of a buffer may have. */
static void part_flags(const struct test *t)
{
	static const struct {
		cl_mem_flags parent, own;
		cl_int code;
	} parts[] = {
		{CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE},
		{CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, CL_INVALID_VALUE},
		{CL_MEM_WRITE_ONLY, CL_MEM_WRITE_ONLY, CL_SUCCESS},
		{CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE},
		{CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_INVALID_VALUE},
		{CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_SUCCESS},
		{CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE},
		{CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE},
		{CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE},
		{CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE},
		{CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS, CL_SUCCESS},
		{CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, CL_INVALID_VALUE},
		{CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_INVALID_VALUE},
		{CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR, CL_INVALID_VALUE},
	};
	cl_buffer_region all = {0, 256};
	cl_int why;

	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
		check_entry = (int)k;
		cl_mem whole = clCreateBuffer(t->context, parts[k].parent, 256, NULL, &why);
		OK(why);
		cl_mem part = clCreateSubBuffer(whole, parts[k].own, CL_BUFFER_CREATE_TYPE_REGION, &all, &why);
		GIVES(parts[k].code, why);
		if (part)
			OK(clReleaseMemObject(part));
		OK(clReleaseMemObject(whole));
	}
}

/* Where a part of a buffer of 256 bytes may lie. */
static void part_regions(const struct test *t)
{
	static const struct {
		cl_buffer_region region;
		cl_int code;
	} regions[] = {
		{{0, 256}, CL_SUCCESS},
		{{0, 257}, CL_INVALID_VALUE},
		{{128, 128}, CL_SUCCESS},
		{{128, 129}, CL_INVALID_VALUE},
		{{384, 1}, CL_INVALID_VALUE},
		{{128, (size_t)-64}, CL_INVALID_VALUE},
		{{0, 0}, CL_INVALID_BUFFER_SIZE},
		{{64, 16}, CL_MISALIGNED_SUB_BUFFER_OFFSET},
		{{127, 16}, CL_MISALIGNED_SUB_BUFFER_OFFSET},
	};
	cl_buffer_region all = {0, 256};
	cl_int why;

	cl_mem whole = test_buffer(t, 256, NULL);
	for (size_t k = 0; k < sizeof regions / sizeof *regions; k++) {
		check_entry = (int)k;
		cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[k].region, &why), none;
		GIVES(regions[k].code, why);
		if (!part)
			continue;
		none = clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &all, &why);
		CHECK(!none && why == CL_INVALID_MEM_OBJECT); /* of a part there is none */
		OK(clReleaseMemObject(part));
	}
	CHECK(!clCreateSubBuffer(whole, 0, 0x1, &all, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &why) && why == CL_INVALID_VALUE);
	OK(clReleaseMemObject(whole));
}

/* What is released makes room: buffers one after another, in all more than the device has; of images and shared memory,
 * too. */
static void room(const struct test *t)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4096, .image_height = 4096};
	cl_ulong all, most;
	cl_int why;
	OK(clGetDeviceInfo(t->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
	OK(clGetDeviceInfo(t->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
	for (cl_ulong taken = 0; taken <= all; taken += most) {
		cl_mem buffer = clCreateBuffer(t->context, CL_MEM_ALLOC_HOST_PTR, most, NULL, &why);
		OK(why);
		OK(clReleaseMemObject(buffer));
		void *shared = clSVMAlloc(t->context, 0, most, 0);
		CHECK(shared);
		clSVMFree(t->context, shared);
	}
	for (cl_ulong taken = 0; taken <= all; taken += 4096 * 4096 * 16) {
		cl_mem image = clCreateImage(t->context, 0, &format, &plane, NULL, &why);
		OK(why);
		OK(clReleaseMemObject(image));
	}
	/* "if there is a failure to allocate memory for buffer object"; what could not be made takes no room. */
	enum { MANY = 64 };
	cl_mem many[MANY];
	size_t count = 0;
	while (count < MANY && (many[count] = clCreateBuffer(t->context, 0, most, NULL, &why)))
		count++;
	CHECK(count && count < MANY);
	GIVES(CL_MEM_OBJECT_ALLOCATION_FAILURE, why);
	CHECK(!clCreateBuffer(t->context, 0, most, NULL, NULL) && !clSVMAlloc(t->context, 0, most, 0));
	while (count)
		OK(clReleaseMemObject(many[--count]));
	cl_mem images[MANY];
	while (count < MANY && (images[count] = clCreateImage(t->context, 0, &format, &plane, NULL, &why)))
		count++;
	if (count < MANY)
		GIVES(CL_MEM_OBJECT_ALLOCATION_FAILURE, why);
	while (count)
		OK(clReleaseMemObject(images[--count]));
}

/* ---- Destructors ---- */

static char order[8];

static void CL_CALLBACK memory_gone(cl_mem memory, void *letter)
{
	(void)memory;
	strncat(order, letter, 1);
}

static void CL_CALLBACK context_gone(cl_context context, void *letter)
{
	(void)context;
	strncat(order, letter, 1);
}

/* The one that was registered last is called first, when the last part is gone, too
 * (clSetMemObjectDestructorCallback). */
static void destructors(const struct test *t)
{
	const cl_buffer_region region = {0, 16};
	cl_int why;
	cl_mem whole = test_buffer(t, 64, NULL),
	       part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &why);

	GIVES(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(whole, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(NULL, memory_gone, NULL));
	OK(clSetMemObjectDestructorCallback(whole, memory_gone, "a"));
	OK(clSetMemObjectDestructorCallback(whole, memory_gone, "b"));
	OK(clSetMemObjectDestructorCallback(part, memory_gone, "c"));
	OK(clReleaseMemObject(whole));
	CHECK(!*order);
	OK(clReleaseMemObject(part));
	CHECK(!strcmp(order, "cba"));
	*order = 0;
	cl_context context = clCreateContext(NULL, 1, &t->device, NULL, NULL, &why);
	OK(why);
	GIVES(CL_INVALID_VALUE, clSetContextDestructorCallback(context, NULL, NULL));
	GIVES(CL_INVALID_CONTEXT, clSetContextDestructorCallback(NULL, context_gone, NULL));
	OK(clSetContextDestructorCallback(context, context_gone, "x"));
	OK(clSetContextDestructorCallback(context, context_gone, "y"));
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, t->device, NULL, &why);
	OK(why);
	OK(clReleaseContext(context)); /* the queue still has it */
	CHECK(!*order);
	OK(clReleaseCommandQueue(queue));
	CHECK(!strcmp(order, "yx"));
}

/* ---- Queues and contexts ---- */

static void queues(const struct test *t)
{
	static const struct {
		cl_queue_properties list[5];
		cl_int code;
	} table[] = {
		{{0}, CL_SUCCESS},
		{{CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0},
			CL_SUCCESS},
		{{CL_QUEUE_PROPERTIES, 1 << 10, 0}, CL_INVALID_VALUE},
		{{0x1234, 0, 0}, CL_INVALID_VALUE},
		{{CL_QUEUE_PROPERTIES, 0, CL_QUEUE_SIZE, 16, 0}, CL_INVALID_VALUE},
		{{CL_QUEUE_SIZE, 16, 0}, CL_INVALID_VALUE},
	};
	cl_int why;
	size_t bytes;
	cl_queue_properties list[8];

	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		check_entry = (int)k;
		cl_command_queue queue = clCreateCommandQueueWithProperties(t->context, t->device, table[k].list, &why);
		GIVES(table[k].code, why);
		CHECK(!queue == !!why);
		if (!queue)
			continue;
		size_t count = table[k].list[0] ? 3 : 1;
		ASK(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, cl_context, t->context);
		ASK(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE, cl_device_id, t->device);
		ASK(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, cl_command_queue_properties, table[k].list[1]);
		ASK(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE_DEFAULT, cl_command_queue, NULL);
		GIVES(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, 0, NULL, NULL));
		OK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &bytes));
		CHECK(bytes == count * sizeof *list && !memcmp(list, table[k].list, bytes));
		COUNT(clGetCommandQueueInfo, CL_QUEUE_REFERENCE_COUNT, clRetainCommandQueue, clReleaseCommandQueue,
			queue, t->context, CL_INVALID_COMMAND_QUEUE);
		OK(clReleaseCommandQueue(queue));
	}
	CHECK(!clCreateCommandQueueWithProperties(NULL, t->device, NULL, &why) && why == CL_INVALID_CONTEXT);
	CHECK(!clCreateCommandQueueWithProperties(t->context, NULL, NULL, &why) && why == CL_INVALID_DEVICE);
	GIVES(CL_INVALID_COMMAND_QUEUE, clFlush(NULL));
	GIVES(CL_INVALID_COMMAND_QUEUE, clFinish(NULL));
	cl_context context =
		clCreateContext((cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)t->platform, 0},
			1, &t->device, NULL, NULL, &why);
	OK(why);
	ASK(clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES, cl_uint, 1);
	ASK(clGetContextInfo, context, CL_CONTEXT_DEVICES, cl_device_id, t->device);
	OK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof list, list, &bytes));
	CHECK(bytes == 3 * sizeof *list && list[0] == CL_CONTEXT_PLATFORM &&
		list[1] == (cl_queue_properties)t->platform && !list[2]);
	COUNT(clGetContextInfo, CL_CONTEXT_REFERENCE_COUNT, clRetainContext, clReleaseContext, context, t->queue,
		CL_INVALID_CONTEXT);
	OK(clReleaseContext(context));
	CHECK(!clCreateContext(NULL, 0, &t->device, NULL, NULL, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateContext(NULL, 1, NULL, NULL, NULL, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateContext(NULL, 1, &t->device, NULL, order, &why) &&
		why == CL_INVALID_VALUE); /* data without a function */
	CHECK(!clCreateContext((cl_context_properties[]){0x1234, 0, 0}, 1, &t->device, NULL, NULL, &why) &&
		why == CL_INVALID_PROPERTY);
	CHECK(!clCreateContext((cl_context_properties[]){CL_CONTEXT_PLATFORM, 0, 0}, 1, &t->device, NULL, NULL, &why) &&
		why == CL_INVALID_PLATFORM);
}

/* ---- Flushing ---- */

static void launch_store(const struct test *t, cl_kernel store, cl_command_queue queue, int value)
{
	const size_t one = 1;

	(void)t;
	OK(clSetKernelArg(store, 1, sizeof value, &value));
	OK(clEnqueueNDRangeKernel(queue, store, 1, NULL, &one, NULL, 0, NULL, NULL));
}

/* Without another call of ours. */
static void wait_for(atomic_int *word, int value)
{
	time_t end = time(NULL) + 60;

	while (atomic_load(word) != value && time(NULL) < end)
		sched_yield();
	CHECK(atomic_load(word) == value);
}

/* What a kernel writes: ThreadSanitizer does not know that it is meant (races.txt). */
static void wait_for_kernel(atomic_int *word, int value)
{
	wait_for(word, value);
}

/* clFlush, and clReleaseCommandQueue: "performs an implicit flush". */
static void flushing(const struct test *t)
{
	cl_int why;
	atomic_int *word = clSVMAlloc(
		t->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof *word, 0);
	cl_kernel store = test_kernel(t,
		"kernel void store(global atomic_int *to, int value)\n"
		"{ atomic_store_explicit(to, value, memory_order_release, memory_scope_all_svm_devices); }",
		"store");

	CHECK(word);
	atomic_init(word, 0);
	OK(clSetKernelArgSVMPointer(store, 0, word));
	launch_store(t, store, t->queue, 1);
	OK(clFlush(t->queue));
	wait_for_kernel(word, 1);
	cl_command_queue queue = clCreateCommandQueueWithProperties(t->context, t->device, NULL, &why);
	OK(why);
	launch_store(t, store, queue, 2);
	OK(clReleaseCommandQueue(queue));
	wait_for_kernel(word, 2);
	OK(clFinish(t->queue));
	OK(clReleaseKernel(store));
	clSVMFree(t->context, word);
}

/* ---- Events ---- */

static atomic_int calls[3];

static void CL_CALLBACK note(cl_event event, cl_int status, void *where)
{
	(void)event;
	(void)status;
	atomic_fetch_add((atomic_int *)where, 1);
}

/* A callback is called once, for its status; those of an event that is over at once; those that never came go with the
 * event. */
static void callbacks(const struct test *t)
{
	cl_int why;
	cl_event event = clCreateUserEvent(t->context, &why), marker;

	OK(why);
	OK(clEnqueueMarkerWithWaitList(t->queue, 1, &event, &marker));
	OK(clSetEventCallback(marker, CL_SUBMITTED, note, &calls[0]));
	OK(clSetEventCallback(marker, CL_RUNNING, note, &calls[1]));
	OK(clSetEventCallback(marker, CL_COMPLETE, note, &calls[2]));
	OK(clFlush(t->queue));
	CHECK(!atomic_load(&calls[2]));
	OK(clSetUserEventStatus(event, CL_COMPLETE));
	OK(clWaitForEvents(1, &marker));
	for (int k = 0; k < 3; k++)
		wait_for(&calls[k], 1);
	OK(clSetEventCallback(marker, CL_COMPLETE, note, &calls[2]));
	wait_for(&calls[2], 2);
	OK(clFinish(t->queue));
	CHECK(atomic_load(&calls[0]) == 1 && atomic_load(&calls[1]) == 1 && atomic_load(&calls[2]) == 2);
	GIVES(CL_INVALID_VALUE, clSetEventCallback(marker, CL_COMPLETE, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clSetEventCallback(marker, CL_QUEUED, note, NULL));
	GIVES(CL_INVALID_VALUE, clSetEventCallback(marker, -1, note, NULL));
	GIVES(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, note, NULL));
	OK(clReleaseEvent(event));
	OK(clReleaseEvent(marker));
	/* Those of one status are all called; those of an event that goes without an end are not. */
	event = clCreateUserEvent(t->context, &why);
	for (int k = 0; k < 3; k++)
		OK(clSetEventCallback(event, CL_COMPLETE, note, &calls[k]));
	OK(clSetUserEventStatus(event, CL_COMPLETE));
	for (int k = 0; k < 3; k++)
		wait_for(&calls[k], k == 2 ? 3 : 2);
	OK(clReleaseEvent(event));
	event = clCreateUserEvent(t->context, &why);
	OK(clSetEventCallback(event, CL_COMPLETE, note, &calls[2]));
	OK(clSetEventCallback(event, CL_COMPLETE, note, &calls[2]));
	OK(clReleaseEvent(event));
	CHECK(atomic_load(&calls[2]) == 3);
}

static char heard[8];

static void CL_CALLBACK hear(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	heard[strlen(heard)] = status == CL_SUBMITTED  ? 's'
			       : status == CL_RUNNING  ? 'r'
			       : status == CL_COMPLETE ? 'c'
						       : '?';
}

/* Each status is reached by itself, and told in that order, however the callbacks were registered. */
static void statuses(const struct test *t)
{
	cl_int why;
	cl_event gate = clCreateUserEvent(t->context, &why), marker;
	OK(why);
	OK(clEnqueueMarkerWithWaitList(t->queue, 1, &gate, &marker));
	OK(clSetEventCallback(marker, CL_COMPLETE, hear, NULL));
	OK(clSetEventCallback(marker, CL_RUNNING, hear, NULL));
	OK(clSetEventCallback(marker, CL_SUBMITTED, hear, NULL));
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(t->queue));
	CHECK(!strcmp(heard, "src"));
	/* "registering a callback ... for an event that is complete": at once, with the status that was asked for */
	OK(clSetEventCallback(marker, CL_RUNNING, hear, NULL));
	CHECK(!strcmp(heard, "srcr"));
	OK(clReleaseEvent(gate));
	OK(clReleaseEvent(marker));
}

static void events(const struct test *t)
{
	cl_int why;
	cl_event event = clCreateUserEvent(t->context, &why), marker;

	OK(why);
	ASK(clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE, cl_command_queue, NULL);
	ASK(clGetEventInfo, event, CL_EVENT_CONTEXT, cl_context, t->context);
	ASK(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE, cl_command_type, CL_COMMAND_USER);
	ASK(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int, CL_SUBMITTED);
	GIVES(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 0, NULL, NULL));
	COUNT(clGetEventInfo, CL_EVENT_REFERENCE_COUNT, clRetainEvent, clReleaseEvent, event, t->queue,
		CL_INVALID_EVENT);
	GIVES(CL_INVALID_VALUE, clSetUserEventStatus(event, CL_RUNNING));
	GIVES(CL_INVALID_VALUE, clSetUserEventStatus(event, CL_SUBMITTED));
	OK(clEnqueueMarkerWithWaitList(t->queue, 1, &event, &marker));
	GIVES(CL_INVALID_EVENT, clSetUserEventStatus(marker, CL_COMPLETE));
	GIVES(CL_INVALID_EVENT, clSetUserEventStatus(NULL, CL_COMPLETE));
	GIVES(CL_PROFILING_INFO_NOT_AVAILABLE,
		clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, 0, NULL, NULL));
	OK(clSetUserEventStatus(event, CL_COMPLETE));
	OK(clFinish(t->queue));
	ASK(clGetEventInfo, marker, CL_EVENT_COMMAND_QUEUE, cl_command_queue, t->queue);
	ASK(clGetEventInfo, marker, CL_EVENT_COMMAND_TYPE, cl_command_type, CL_COMMAND_MARKER);
	ASK(clGetEventInfo, marker, CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int, CL_COMPLETE);
	ASK(clGetEventProfilingInfo, marker, CL_PROFILING_COMMAND_QUEUED, cl_ulong,
		test_time(marker, CL_PROFILING_COMMAND_QUEUED));
	GIVES(CL_INVALID_VALUE, clGetEventProfilingInfo(marker, 0x1, 0, NULL, NULL));
	GIVES(CL_INVALID_EVENT, clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clWaitForEvents(0, &marker));
	GIVES(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
	GIVES(CL_INVALID_EVENT, clWaitForEvents(2, (cl_event[]){marker, NULL}));
	GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(t->queue, 0, &marker, NULL));
	GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(t->queue, 1, NULL, NULL));
	GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(t->queue, 2, (cl_event[]){marker, NULL}, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueMarker(t->queue, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueWaitForEvents(t->queue, 0, &marker));
	GIVES(CL_INVALID_VALUE, clEnqueueWaitForEvents(t->queue, 1, NULL));
	GIVES(CL_INVALID_EVENT, clEnqueueWaitForEvents(t->queue, 1, (cl_event[]){NULL}));
	GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(NULL, NULL));
	cl_context other = clCreateContext(NULL, 1, &t->device, NULL, NULL, &why);
	cl_event foreign = clCreateUserEvent(other, &why);
	OK(why);
	GIVES(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(t->queue, 1, &foreign, NULL));
	GIVES(CL_INVALID_CONTEXT, clWaitForEvents(2, (cl_event[]){marker, foreign}));
	CHECK(!clCreateUserEvent(NULL, &why) && why == CL_INVALID_CONTEXT);
	OK(clReleaseEvent(foreign));
	OK(clReleaseContext(other));
	OK(clReleaseEvent(event));
	OK(clReleaseEvent(marker));
}

/* ---- Objects of another kind ---- */

/* The loader stops null; an object that is there, but another, is the driver's to refuse. */
static void kinds(const struct test *t)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
	const char *text = "kernel void f() {}";
	cl_mem buffer = test_buffer(t, 256, NULL), no_memory = (cl_mem)t->queue;
	cl_program program = clCreateProgramWithSource(t->context, 1, &text, NULL, NULL);
	cl_context no_context = (cl_context)t->queue;
	cl_device_id no_device = (cl_device_id)t->queue;
	cl_event no_event = (cl_event)t->queue;
	cl_program no_program = (cl_program)t->queue;
	cl_kernel no_kernel = (cl_kernel)t->queue;
	cl_command_queue no_queue = (cl_command_queue)t->context;
	cl_sampler no_sampler = (cl_sampler)t->queue;
	cl_int why = 0;
	cl_uint count;
	const struct {
		cl_int code, got;
	} table[] = {
		{CL_INVALID_MEM_OBJECT, clGetImageInfo(no_memory, CL_IMAGE_WIDTH, 0, NULL, NULL)},
		{CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL)},
		{CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(no_memory, memory_gone, order)},
		{CL_INVALID_CONTEXT, clSetContextDestructorCallback(no_context, context_gone, order)},
		{CL_INVALID_CONTEXT, clGetSupportedImageFormats(no_context, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count)},
		{CL_INVALID_EVENT, clSetUserEventStatus(no_event, 0)},
		{CL_INVALID_EVENT, clSetEventCallback(no_event, CL_COMPLETE, NULL, NULL)},
		{CL_INVALID_EVENT, clWaitForEvents(1, &no_event)},
		{CL_INVALID_EVENT, clGetEventProfilingInfo(no_event, CL_PROFILING_COMMAND_END, 0, NULL, NULL)},
		{CL_INVALID_PROGRAM, clBuildProgram(no_program, 0, NULL, "", NULL, NULL)},
		{CL_INVALID_DEVICE, clBuildProgram(program, 1, &no_device, "", NULL, NULL)},
		{CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, "", NULL, NULL)},
		{CL_INVALID_VALUE, clBuildProgram(program, 0, &t->device, "", NULL, NULL)},
		{CL_INVALID_VALUE, clBuildProgram(program, 0, NULL, "", NULL, order)}, /* data without a function */
		{CL_INVALID_PROGRAM, clCompileProgram(no_program, 0, NULL, "", 0, NULL, NULL, NULL, NULL)},
		{CL_INVALID_DEVICE, clCompileProgram(program, 1, &no_device, "", 0, NULL, NULL, NULL, NULL)},
		{CL_INVALID_VALUE, clCompileProgram(program, 1, NULL, "", 0, NULL, NULL, NULL, NULL)},
		{CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 1, NULL, NULL, NULL, NULL)},
		{CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 0, &program, NULL, NULL, NULL)},
		{CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 1, &program, NULL, NULL, NULL)},
		{CL_INVALID_PROGRAM, clCompileProgram(program, 0, NULL, "", 1, &no_program, &text, NULL, NULL)},
		{CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, order)},
		{CL_INVALID_KERNEL, clSetKernelArg(no_kernel, 0, 0, NULL)},
		{CL_INVALID_KERNEL, clGetKernelArgInfo(no_kernel, 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL)},
		{CL_INVALID_COMMAND_QUEUE, clFlush(no_queue)},
		{CL_INVALID_COMMAND_QUEUE, clFinish(no_queue)},
		{CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(no_queue, NULL)},
		{CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(no_queue)},
		{CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(no_queue, 0, NULL)},
		{CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(no_queue, 0, CL_TRUE, NULL)},
		{CL_INVALID_SAMPLER, clRetainSampler(no_sampler)},
		{CL_INVALID_SAMPLER, clReleaseSampler(no_sampler)},
		{CL_INVALID_SAMPLER, clGetSamplerInfo(no_sampler, CL_SAMPLER_CONTEXT, 0, NULL, NULL)},
		{CL_INVALID_DEVICE, clGetDeviceAndHostTimer(no_device, &(cl_ulong){0}, &(cl_ulong){0})},
		{CL_INVALID_DEVICE, clGetHostTimer(no_device, &(cl_ulong){0})},
		{CL_INVALID_DEVICE, clCreateSubDevices(no_device, NULL, 0, NULL, &count)},
		{CL_INVALID_DEVICE, clSetDefaultDeviceCommandQueue(t->context, no_device, t->queue)},
		{CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(no_context, t->device, t->queue)},
		{CL_INVALID_PLATFORM, clUnloadPlatformCompiler((cl_platform_id)t->queue)},
	};
	for (check_entry = 0; check_entry < (int)(sizeof table / sizeof *table); check_entry++)
		GIVES(table[check_entry].code, table[check_entry].got);
	check_entry = 0;
#define NONE(code, call)                                                                                               \
	do {                                                                                                           \
		why = 99;                                                                                              \
		CHECK(!(call));                                                                                        \
		GIVES(code, why);                                                                                      \
	} while (0)
	NONE(CL_INVALID_CONTEXT, clCreateBuffer(no_context, 0, 16, NULL, &why));
	NONE(CL_INVALID_PROPERTY,
		clCreateBufferWithProperties(t->context, (cl_mem_properties[]){1, 0, 0}, 0, 16, NULL, &why));
	NONE(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(no_memory, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &why));
	NONE(CL_INVALID_CONTEXT, clCreateImage(no_context, 0, &format, &plane, NULL, &why));
	cl_image_desc on_none = plane;
	on_none.mem_object = no_memory;
	NONE(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(t->context, 0, &format, &on_none, NULL, &why));
	NONE(CL_INVALID_PROPERTY, clCreateImageWithProperties(
					  t->context, (cl_mem_properties[]){1, 0, 0}, 0, &format, &plane, NULL, &why));
	NONE(CL_INVALID_CONTEXT, clCreateUserEvent(no_context, &why));
	NONE(CL_INVALID_CONTEXT, clCreateSampler(no_context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &why));
	NONE(CL_INVALID_CONTEXT, clCreateProgramWithSource(no_context, 1, &text, NULL, &why));
	NONE(CL_INVALID_CONTEXT, clLinkProgram(no_context, 0, NULL, "", 1, &program, NULL, NULL, &why));
	NONE(CL_INVALID_PROGRAM, clLinkProgram(t->context, 0, NULL, "", 1, &no_program, NULL, NULL, &why));
	NONE(CL_INVALID_DEVICE, clLinkProgram(t->context, 1, &no_device, "", 1, &program, NULL, NULL, &why));
	NONE(CL_INVALID_VALUE, clLinkProgram(t->context, 0, &t->device, "", 1, &program, NULL, NULL, &why));
	NONE(CL_INVALID_VALUE, clLinkProgram(t->context, 1, NULL, "", 1, &program, NULL, NULL, &why));
	NONE(CL_INVALID_VALUE, clLinkProgram(t->context, 0, NULL, "", 0, &program, NULL, NULL, &why));
	NONE(CL_INVALID_VALUE, clLinkProgram(t->context, 0, NULL, "", 1, NULL, NULL, NULL, &why));
	NONE(CL_INVALID_VALUE, clLinkProgram(t->context, 0, NULL, "", 1, &program, NULL, order, &why));
	NONE(CL_INVALID_OPERATION,
		clLinkProgram(t->context, 0, NULL, "", 1, &program, NULL, NULL, &why)); /* not compiled */
	NONE(CL_INVALID_CONTEXT, clCreateCommandQueue(no_context, t->device, 0, &why));
	NONE(CL_INVALID_DEVICE, clCreateCommandQueue(t->context, no_device, 0, &why));
	NONE(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueue(t->context, t->device, CL_QUEUE_ON_DEVICE, &why));
	NONE(CL_INVALID_DEVICE, clCreateContext(NULL, 1, &no_device, NULL, NULL, &why));
	NONE(CL_DEVICE_NOT_FOUND, clCreateContextFromType(NULL, CL_DEVICE_TYPE_CPU, NULL, NULL, &why));
	NONE(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(NULL, 0, NULL, NULL, &why));
	NONE(CL_INVALID_VALUE, clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, order, &why));
	cl_context made = clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, NULL, &why);
	OK(why);
	OK(clReleaseContext(made));
	const unsigned char *ptx = (const unsigned char *)".version 7.0\n.target sm_70\n.address_size 64\n";
	cl_program binary = clCreateProgramWithBinary(
		t->context, 1, &t->device, &(size_t){strlen((const char *)ptx)}, &ptx, NULL, &why);
	OK(why);
	GIVES(CL_INVALID_OPERATION, clCompileProgram(binary, 0, NULL, "", 0, NULL, NULL, NULL, NULL)); /* no source */
	GIVES(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 1, &binary, &text, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clCompileProgram(program, 0, NULL, "", 1, &program, (const char *[]){NULL}, NULL, NULL));
	GIVES(CL_INVALID_BUILD_OPTIONS, clBuildProgram(binary, 0, NULL, "-no-such-option", NULL, NULL));
	GIVES(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL));
	GIVES(CL_INVALID_COMPILER_OPTIONS,
		clCompileProgram(program, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL, NULL));
	OK(clReleaseProgram(binary));
	/* "clSetCommandQueueProperty": what it cannot change it says, and what is set now. */
	cl_command_queue_properties old = 99;
	GIVES(CL_INVALID_VALUE, clSetCommandQueueProperty(t->queue, 1 << 10, CL_TRUE, &old));
	GIVES(CL_INVALID_QUEUE_PROPERTIES,
		clSetCommandQueueProperty(t->queue, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_TRUE, &old));
	CHECK(old == CL_QUEUE_PROFILING_ENABLE);
	OK(clReleaseProgram(program));
	OK(clReleaseMemObject(buffer));
}

int main(void)
{
	struct test t = test_open();

	kinds(&t);
	memory(&t);
	buffer_flags(&t);
	part_flags(&t);
	part_regions(&t);
	room(&t);
	destructors(&t);
	queues(&t);
	events(&t);
	statuses(&t);
	flushing(&t);
	callbacks(&t);
	test_close(&t);
	return 0;
}
