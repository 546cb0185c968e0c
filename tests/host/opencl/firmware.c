/* clEnqueueFirmwareLOCKSTEP (device/lockstep_control.h): firmware dispatches kernels of two programs, in work-groups of
 * each size.  What is wrong gets the error that the header says; on a GPU without a control processor there is no
 * extension, and the function says so. */
#include "check.h"

#include "../../../device/lockstep_control.h"

static const char firmware_source[] = "#include <lockstep_control.h>\n"
				      "kernel void both(global uint *words, uint turns)\n"
				      "{\n"
				      "	for (uint k = 0; k < turns; k++) {\n"
				      "		__lockstep_dispatch(k % 2, 3, (ulong)words);\n"
				      "		while (__lockstep_outstanding(LOCKSTEP_ALL_KERNELS))\n"
				      "			;\n"
				      "	}\n"
				      "}\n"
				      "kernel void wrong(global uint *words) { __lockstep_dispatch(1, 1, 0); }\n";
static const char kernel_source[] =
	"kernel void add(global uint *words) { words[get_global_id(0)] += get_num_groups(0) + 10 * get_local_size(0); "
	"}\n"
	"kernel void two(global uint *words, uint more) { words[get_global_id(0)] = more; }\n";
static const char other_source[] = "kernel void twice(global uint *words) { words[get_global_id(0)] *= 2; }\n";

enum { GROUP = 96, COUNT = 3 * GROUP };

static bool has_extension(const struct test *t)
{
	char names[4096];
	OK(clGetDeviceInfo(t->device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
	return strstr(names, "cl_lockstep_firmware");
}

/* Of a command that ends with this status; the queue is another one then. */
static void ends_with(
	struct test *t, cl_int status, clEnqueueFirmwareLOCKSTEP_fn enqueue, cl_kernel firmware, cl_kernel kernel)
{
	cl_int got = 0, why;
	cl_event event;
	OK(enqueue(t->queue, firmware, 1, &kernel, 0, 0, NULL, &event));
	GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
	OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof got, &got, NULL));
	CHECK(got == status);
	OK(clReleaseEvent(event));
	OK(clReleaseCommandQueue(t->queue));
	t->queue = clCreateCommandQueue(t->context, t->device, 0, &why);
	OK(why);
}

static void dispatches(const struct test *t, clEnqueueFirmwareLOCKSTEP_fn enqueue, cl_kernel firmware,
	const cl_kernel *kernels, cl_mem buffer)
{
	cl_uint words[COUNT];
	cl_command_type type = 0;
	cl_event event;
	OK(enqueue(t->queue, firmware, 2, kernels, GROUP, 0, NULL, &event));
	OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	CHECK(type == CL_COMMAND_FIRMWARE_LOCKSTEP);
	test_read(t, buffer, sizeof words, words);
	for (int k = 0; k < COUNT; k++) /* add, twice, add */
		CHECK(words[k] == 2 * (3 + 10 * GROUP) + 3 + 10 * GROUP);
	OK(clReleaseEvent(event));
}

/* Of work-groups of so many work-items, 0: of a wavefront. */
static void of_size(
	struct test *t, clEnqueueFirmwareLOCKSTEP_fn enqueue, cl_kernel firmware, cl_kernel kernel, size_t group)
{
	static cl_uint words[4 * 4096];
	const cl_uint one = 1;
	size_t wave = 0, size;
	cl_mem buffer;
	OK(clGetKernelWorkGroupInfo(
		kernel, t->device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof wave, &wave, NULL));
	size = group ? group : wave;
	CHECK(size <= 4096);
	memset(words, 0, sizeof words);
	buffer = test_buffer(t, sizeof words, words);
	test_set(firmware, 0, buffer);
	OK(clSetKernelArg(firmware, 1, sizeof one, &one));
	OK(enqueue(t->queue, firmware, 1, &kernel, group, 0, NULL, NULL));
	test_read(t, buffer, sizeof words, words);
	for (size_t k = 0; k < 4 * 4096; k++)
		CHECK(words[k] == (k < 3 * size ? 3 + 10 * size : 0));
	OK(clReleaseMemObject(buffer));
}

static void sizes(struct test *t, clEnqueueFirmwareLOCKSTEP_fn enqueue, cl_kernel firmware, cl_kernel kernel)
{
	size_t most = 0;
	OK(clGetKernelWorkGroupInfo(kernel, t->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
	of_size(t, enqueue, firmware, kernel, 0);
	of_size(t, enqueue, firmware, kernel, 1);
	of_size(t, enqueue, firmware, kernel, most);
	GIVES(CL_INVALID_WORK_GROUP_SIZE, enqueue(t->queue, firmware, 1, &kernel, most + 1, 0, NULL, NULL));
}

/* A kernel of another context, as the second of the list. */
static void of_another_context(
	struct test *t, clEnqueueFirmwareLOCKSTEP_fn enqueue, cl_kernel firmware, cl_kernel kernel)
{
	struct test other = test_open();
	cl_kernel kernels[] = {kernel, test_kernel(&other, kernel_source, "add")};
	GIVES(CL_INVALID_CONTEXT, enqueue(t->queue, firmware, 2, kernels, 0, 0, NULL, NULL));
	OK(clReleaseKernel(kernels[1]));
	test_close(&other);
}

int main(void)
{
	struct test t = test_open();
	const cl_uint turns = 3;
	cl_kernel both = test_kernel(&t, firmware_source, "both"), wrong = test_kernel(&t, firmware_source, "wrong");
	cl_kernel kernels[] = {test_kernel(&t, kernel_source, "add"), test_kernel(&t, other_source, "twice")};
	cl_kernel two = test_kernel(&t, kernel_source, "two"), none = NULL;
	cl_uint zero[COUNT] = {0};
	cl_mem buffer = test_buffer(&t, sizeof zero, zero);
	clEnqueueFirmwareLOCKSTEP_fn enqueue = (clEnqueueFirmwareLOCKSTEP_fn)clGetExtensionFunctionAddressForPlatform(
		t.platform, "clEnqueueFirmwareLOCKSTEP");
	CHECK(enqueue);
	GIVES(CL_INVALID_KERNEL_ARGS, enqueue(t.queue, both, 2, kernels, 0, 0, NULL, NULL));
	test_set(both, 0, buffer);
	OK(clSetKernelArg(both, 1, sizeof turns, &turns));
	test_set(wrong, 0, buffer);
	GIVES(CL_INVALID_COMMAND_QUEUE, enqueue(NULL, both, 2, kernels, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_KERNEL, enqueue(t.queue, NULL, 2, kernels, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, enqueue(t.queue, both, 0, kernels, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, enqueue(t.queue, both, 2, NULL, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_KERNEL, enqueue(t.queue, both, 1, &none, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_WORK_GROUP_SIZE, enqueue(t.queue, both, 2, kernels, 1 << 20, 0, NULL, NULL));
	of_another_context(&t, enqueue, both, kernels[0]);
	if (has_extension(&t)) {
		dispatches(&t, enqueue, both, kernels, buffer);
		sizes(&t, enqueue, both, kernels[0]);
		ends_with(
			&t, CL_OUT_OF_RESOURCES, enqueue, wrong, kernels[0]); /* dispatches a kernel that it has not */
		ends_with(&t, CL_OUT_OF_RESOURCES, enqueue, wrong, two);      /* two parameters */
		ends_with(&t, CL_OUT_OF_RESOURCES, enqueue, wrong, wrong);    /* firmware dispatches no firmware */
	} else {
		GIVES(CL_INVALID_OPERATION, enqueue(t.queue, both, 2, kernels, 0, 0, NULL, NULL));
	}
	OK(clReleaseKernel(both));
	OK(clReleaseKernel(wrong));
	OK(clReleaseKernel(two));
	OK(clReleaseKernel(kernels[0]));
	OK(clReleaseKernel(kernels[1]));
	OK(clReleaseMemObject(buffer));
	test_close(&t);
	return 0;
}
