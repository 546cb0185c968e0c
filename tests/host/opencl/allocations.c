/* What the application makes and gives back leaves nothing behind; and where the host has no memory, a call says
 * CL_OUT_OF_HOST_MEMORY, "if there is a failure to allocate resources required by the OpenCL implementation on the
 * host", or CL_MEM_OBJECT_ALLOCATION_FAILURE, "if there is a failure to allocate memory for" an object, and leaves
 * nothing either: OpenCL 3.0, the lists of errors of each call. */
#include "check.h"

#include "../allocations.h"

static struct test t;
static cl_program program;
static cl_mem buffer, image; /* 256 bytes; 4 by 4 texels of 4 */
static cl_kernel kernel;

static const char source[] =
	"kernel void store(global int *to, int value, local int *room) { room[0] = value; to[1] = room[0]; }\n"
	"kernel void look(read_only image2d_t in, sampler_t s, global float4 *out) {\n"
	"	out[0] = read_imagef(in, s, (int2)(0, 0));\n"
	"}\n";

/* Until the first error: then only what gives back is called. */
#define TRY(call) (error = error ? error : (int)(call))
#define MAKE(object, call)                                                                                             \
	do {                                                                                                           \
		if (!error) {                                                                                          \
			object = call;                                                                                 \
			CHECK(!object == !!error);                                                                     \
		}                                                                                                      \
	} while (0)
#define GIVE_BACK(release, object)                                                                                     \
	do {                                                                                                           \
		if (object)                                                                                            \
			OK(release(object));                                                                           \
	} while (0)

static void CL_CALLBACK no_report(const char *what, const void *data, size_t bytes, void *user)
{
	(void)what, (void)data, (void)bytes, (void)user;
}

static void CL_CALLBACK context_goes(cl_context context, void *count)
{
	(void)context;
	++*(int *)count;
}

static void CL_CALLBACK memory_goes(cl_mem memory, void *count)
{
	(void)memory;
	++*(int *)count;
}

static void CL_CALLBACK event_ends(cl_event event, cl_int status, void *count)
{
	(void)event, (void)status;
	++*(int *)count;
}

static int objects(void)
{
	const cl_context_properties of_context[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)t.platform, 0};
	const cl_queue_properties of_queue[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	const cl_sampler_properties of_sampler[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, 0};
	const cl_buffer_region region = {128, 64};
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
	static char own[256];
	int error = 0, context_count = 0, memory_count = 0, event_count = 0, wanted = 0;
	cl_context context = NULL;
	cl_command_queue queue = NULL;
	cl_mem whole = NULL, part = NULL, two = NULL, on_buffer = NULL, plain = NULL;
	cl_sampler sampler = NULL;
	cl_event event = NULL;
	MAKE(context, clCreateContext(of_context, 1, &t.device, no_report, own, &error));
	MAKE(queue, clCreateCommandQueueWithProperties(context, t.device, of_queue, &error));
	TRY(clSetContextDestructorCallback(context, context_goes, &context_count));
	MAKE(whole, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof own, own, &error));
	MAKE(part, clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
	MAKE(plain, clCreateBufferWithProperties(context, (cl_mem_properties[]){0}, 0, 16, NULL, &error));
	MAKE(two, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &plane, own, &error));
	cl_image_desc row = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .mem_object = whole};
	MAKE(on_buffer, clCreateImage(context, 0, &format, &row, NULL, &error));
	TRY(clSetMemObjectDestructorCallback(part, memory_goes, &memory_count));
	TRY(clSetMemObjectDestructorCallback(part, memory_goes, &memory_count));
	MAKE(sampler, clCreateSamplerWithProperties(context, of_sampler, &error));
	MAKE(event, clCreateUserEvent(context, &error));
	TRY(clSetEventCallback(event, CL_COMPLETE, event_ends, &event_count));
	wanted = !error;
	GIVE_BACK(clReleaseEvent, event); /* which never ends: its callback goes with it */
	GIVE_BACK(clReleaseSampler, sampler);
	GIVE_BACK(clReleaseMemObject, on_buffer);
	GIVE_BACK(clReleaseMemObject, two);
	GIVE_BACK(clReleaseMemObject, plain);
	GIVE_BACK(clReleaseMemObject, part);
	GIVE_BACK(clReleaseMemObject, whole);
	GIVE_BACK(clReleaseCommandQueue, queue);
	GIVE_BACK(clReleaseContext, context);
	CHECK(!wanted || (context_count == 1 && memory_count == 2 && event_count == 0));
	return error;
}

/* What could not be enqueued leaves the mapping as it is. */
static cl_int unmap(cl_mem memory, void *pointer)
{
	cl_int why = clEnqueueUnmapMemObject(t.queue, memory, pointer, 0, NULL, NULL);
	if (why)
		OK(clEnqueueUnmapMemObject(t.queue, memory, pointer, 0, NULL, NULL));
	return why;
}

/* Every kind of command, in an in-order queue, behind an event. */
static int commands(void)
{
	const size_t origin[3] = {0, 0, 0}, other[3] = {0, 2, 0}, region[3] = {4, 2, 1};
	static char own[256];
	int error = 0, one = 1;
	cl_event gate = NULL, end = NULL, free_end = NULL;
	void *mapped = NULL;
	size_t pitch;
	char *shared = NULL;
	MAKE(gate, clCreateUserEvent(t.context, &error));
	TRY(clEnqueueWriteBuffer(t.queue, buffer, CL_FALSE, 0, 16, own, 1, &gate, NULL));
	if (gate)
		OK(clSetUserEventStatus(gate, CL_COMPLETE));
	TRY(clEnqueueReadBuffer(t.queue, buffer, CL_FALSE, 0, 16, own, 0, NULL, NULL));
	TRY(clEnqueueCopyBuffer(t.queue, buffer, buffer, 0, 64, 16, 0, NULL, NULL));
	TRY(clEnqueueFillBuffer(t.queue, buffer, &one, 4, 0, 16, 0, NULL, NULL));
	TRY(clEnqueueReadBufferRect(t.queue, buffer, CL_FALSE, origin, origin, region, 8, 0, 8, 0, own, 0, NULL, NULL));
	TRY(clEnqueueCopyBufferRect(t.queue, buffer, buffer, origin, other, region, 8, 0, 8, 0, 0, NULL, NULL));
	TRY(clEnqueueMigrateMemObjects(t.queue, 1, &buffer, 0, 0, NULL, NULL));
	MAKE(mapped, clEnqueueMapBuffer(t.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &error));
	if (mapped)
		TRY(unmap(buffer, mapped));
	mapped = NULL;
	TRY(clEnqueueWriteImage(t.queue, image, CL_FALSE, origin, region, 0, 0, own, 0, NULL, NULL));
	TRY(clEnqueueReadImage(t.queue, image, CL_FALSE, origin, region, 0, 0, own, 0, NULL, NULL));
	TRY(clEnqueueCopyImage(t.queue, image, image, origin, other, region, 0, NULL, NULL));
	TRY(clEnqueueFillImage(t.queue, image, (cl_uint[4]){1, 2, 3, 4}, origin, region, 0, NULL, NULL));
	TRY(clEnqueueCopyImageToBuffer(t.queue, image, buffer, origin, region, 0, 0, NULL, NULL));
	TRY(clEnqueueCopyBufferToImage(t.queue, buffer, image, 0, origin, region, 0, NULL, NULL));
	MAKE(mapped, clEnqueueMapImage(t.queue, image, CL_TRUE, CL_MAP_WRITE, origin, region, &pitch, NULL, 0, NULL,
			     NULL, &error));
	if (mapped)
		TRY(unmap(image, mapped));
	TRY(clEnqueueMarkerWithWaitList(t.queue, 1, &gate, NULL));
	TRY(clEnqueueBarrierWithWaitList(t.queue, 0, NULL, &end));
	TRY(clWaitForEvents(1, &end));
	if (!error && !(shared = clSVMAlloc(t.context, 0, 64, 0)))
		error = CL_OUT_OF_HOST_MEMORY; /* which it cannot say */
	TRY(clEnqueueSVMMemFill(t.queue, shared, &one, 4, 64, 0, NULL, NULL));
	TRY(clEnqueueSVMMemcpy(t.queue, CL_FALSE, shared, shared + 32, 16, 0, NULL, NULL));
	TRY(clEnqueueSVMMap(t.queue, CL_FALSE, CL_MAP_READ, shared, 64, 0, NULL, NULL));
	TRY(clEnqueueSVMUnmap(t.queue, shared, 0, NULL, NULL));
	TRY(clEnqueueSVMFree(t.queue, 1, (void *[]){shared}, NULL, NULL, 0, NULL, &free_end));
	if (error)
		clSVMFree(t.context, shared);
	GIVE_BACK(clReleaseEvent, free_end);
	GIVE_BACK(clReleaseEvent, end);
	GIVE_BACK(clReleaseEvent, gate);
	OK(clFinish(t.queue));
	/* No mapping is left. */
	cl_uint maps = 9;
	OK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
	CHECK(maps == 0);
	return error;
}

/* Those of an out-of-order queue, which wait for each other by markers and barriers. */
static int out_of_order(void)
{
	int error = 0;
	cl_event end = NULL;
	cl_command_queue queue = NULL;
	MAKE(queue, clCreateCommandQueue(t.context, t.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
	for (int k = 0; k < 3; k++)
		TRY(clEnqueueFillBuffer(queue, buffer, &k, 4, 0, 16, 0, NULL, NULL));
	TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	TRY(clEnqueueFillBuffer(queue, buffer, &error, 4, 0, 16, 0, NULL, NULL));
	TRY(clEnqueueMarkerWithWaitList(queue, 0, NULL, &end));
	if (queue)
		OK(clFinish(queue));
	GIVE_BACK(clReleaseEvent, end);
	GIVE_BACK(clReleaseCommandQueue, queue);
	return error;
}

static int kernels(void)
{
	const size_t global = 1;
	int error = 0, value = 7;
	cl_kernel all[2] = {NULL}, store = NULL, look = NULL, clone = NULL;
	cl_sampler sampler = NULL;
	MAKE(sampler, clCreateSampler(t.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
	MAKE(store, clCreateKernel(program, "store", &error));
	MAKE(look, clCreateKernel(program, "look", &error));
	TRY(clCreateKernelsInProgram(program, 2, all, NULL));
	if (error)
		all[0] = all[1] = NULL;
	TRY(clSetKernelArg(store, 0, sizeof buffer, &buffer));
	TRY(clSetKernelArg(store, 1, sizeof value, &value));
	TRY(clSetKernelArg(store, 1, sizeof value, &value));
	TRY(clSetKernelArg(store, 2, 64, NULL));
	MAKE(clone, clCloneKernel(store, &error));
	TRY(clSetKernelArg(look, 0, sizeof image, &image));
	TRY(clSetKernelArg(look, 1, sizeof sampler, &sampler));
	TRY(clSetKernelArg(look, 2, sizeof buffer, &buffer));
	TRY(clEnqueueNDRangeKernel(t.queue, store, 1, NULL, &global, NULL, 0, NULL, NULL));
	TRY(clEnqueueNDRangeKernel(t.queue, clone, 1, NULL, &global, NULL, 0, NULL, NULL));
	TRY(clEnqueueTask(t.queue, look, 0, NULL, NULL));
	GIVE_BACK(clReleaseKernel, store);
	GIVE_BACK(clReleaseKernel, look);
	GIVE_BACK(clReleaseKernel, clone);
	GIVE_BACK(clReleaseKernel, all[0]);
	GIVE_BACK(clReleaseKernel, all[1]);
	GIVE_BACK(clReleaseSampler, sampler);
	OK(clFinish(t.queue));
	return error;
}

static int programs(void)
{
	const char *text = source;
	int error = 0;
	cl_program from_source = NULL, from_binary = NULL;
	static unsigned char binary[] = ".version 7.0\n";
	const unsigned char *bytes = binary;
	MAKE(from_source, clCreateProgramWithSource(t.context, 1, &text, NULL, &error));
	MAKE(from_binary,
		clCreateProgramWithBinary(t.context, 1, &t.device, &(size_t){sizeof binary - 1}, &bytes, NULL, &error));
	GIVE_BACK(clReleaseProgram, from_source);
	GIVE_BACK(clReleaseProgram, from_binary);
	return error;
}

/* Built again and again, as the cache has it. */
static int building(void)
{
	const char *text = source, *wrong = "kernel void f(";
	cl_int why;
	cl_program right = clCreateProgramWithSource(t.context, 1, &text, NULL, &why), bad, linked;
	OK(why);
	OK(clCompileProgram(right, 1, &t.device, "", 0, NULL, NULL, NULL, NULL));
	linked = clLinkProgram(t.context, 1, &t.device, "", 1, &right, NULL, NULL, &why);
	OK(why);
	OK(clReleaseProgram(linked));
	OK(clBuildProgram(right, 1, &t.device, "", NULL, NULL));
	OK(clBuildProgram(right, 1, &t.device, "-DX=1", NULL, NULL));
	OK(clReleaseProgram(right));
	bad = clCreateProgramWithSource(t.context, 1, &wrong, NULL, &why);
	GIVES(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(bad, 1, &t.device, "", NULL, NULL));
	OK(clReleaseProgram(bad));
	return 0;
}

int main(void)
{
	static int (*const makers[])(void) = {objects, commands, out_of_order, kernels, programs};
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
	cl_int why;
	t = test_open();
	program = test_build(&t, source, "-cl-std=CL3.0");
	kernel = clCreateKernel(program, "store", &why);
	OK(why);
	buffer = test_buffer(&t, 256, NULL);
	image = clCreateImage(t.context, 0, &format, &plane, NULL, &why);
	OK(why);
	for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
		check_without_memory(makers[k], CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE);
	check_nothing_left(building);
	OK(clReleaseKernel(kernel));
	OK(clReleaseProgram(program));
	OK(clReleaseMemObject(buffer));
	OK(clReleaseMemObject(image));
	test_close(&t);
	return 0;
}
