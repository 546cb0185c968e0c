/* Programs that spawn and sync, as cilk.h says. */
#include "cilk.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const variants[] = {"efficient", "baseline", "padded", NULL};

static cl_kernel kernel_of(const struct cilk *c, const char *name)
{
	cl_int why;
	cl_kernel kernel = clCreateKernel(c->gpu.program, name, &why);
	if (why)
		fail("clCreateKernel: %s: %d", name, why);
	return kernel;
}

struct cilk cilk_open(int argc, char **argv, const char *what, const char *file, struct number *numbers, size_t count,
	uint32_t most, const struct number *parts, uint64_t *seed)
{
	struct choice variant = {"variant", "of the channels (paper 5, Figure 17)", variants, 0};
	struct cilk c = {0};
	static const char *const schedules[] = {
		"", "-DLOCKSTEP_FLOW_FIRMWARE", "-DLOCKSTEP_FLOW_FIRMWARE -DLOCKSTEP_FLOW_SPINS"};
	char options[240], define[32] = "";

	uint32_t lanes;

	*seed = options_read_choice(argc, argv, what, numbers, count, &variant);
	c.width = (uint32_t)numbers[CILK_WIDTH].value;
	c.done = (uint32_t)numbers[CILK_DONE].value;
	c.group = (uint32_t)numbers[CILK_GROUP].value;
	lanes = numbers[CILK_LANES].value ? (uint32_t)numbers[CILK_LANES].value : gpu_lanes();
	c.padded = variant.value == 2;
	c.schedule = (uint32_t)numbers[CILK_SCHEDULE].value;
	if (!CH_FITS(c.width, c.done, most))
		options_refuse("--width %u --done %u: expected powers of two, and --done at most --width - %u", c.width,
			c.done, most - 1);
	if (parts && parts->value > 1) {
		if (c.schedule == CILK_HOST)
			options_refuse("--parts %u: expected 1, or --firmware 1 or 2", (uint32_t)parts->value);
		snprintf(define, sizeof define, "-DPARTS=%u", (uint32_t)parts->value);
	}
	snprintf(options, sizeof options, "%s %s %s %s%s", gpu_atomics_standard(),
		variant.value == 1 ? "-DLOCKSTEP_CHANNELS_BASELINE" : "", schedules[c.schedule], define,
		lanes == 64 ? " -DLOCKSTEP_CHANNELS_WAVE" : "");
	c.gpu = gpu_open(file, options);
	if (c.schedule != CILK_HOST)
		c.firmware = kernel_of(&c, "schedule");
	return c;
}

void cilk_close(struct cilk *c)
{
	for (uint32_t k = 0; k < c->graph.table.nodes; k++)
		if (clReleaseKernel((cl_kernel)c->graph.kernel[k]))
			fail("clReleaseKernel");
	if (c->firmware && clReleaseKernel(c->firmware))
		fail("clReleaseKernel");
	gpu_free(c->device);
	free(c->memory);
	gpu_close(&c->gpu);
}

uint32_t cilk_stack(struct cilk *c, uint32_t levels, size_t element, uint32_t most)
{
	size_t size = c->padded ? (element + 127) / 128 * 128 : element; /* no two elements in a line */
	return fl_stack(&c->graph, levels, c->width, c->done, (uint32_t)size, most);
}

void cilk_kernel(struct cilk *c, uint32_t node, const char *name, uint32_t flags)
{
	fl_kernel(&c->graph, node, kernel_of(c, name), flags);
}

void cilk_build(struct cilk *c)
{
	c->memory = allocate(fl_bytes(&c->graph), 1);
	fl_build(&c->graph, c->memory);
}

static void set(cl_kernel kernel, uint32_t first, const struct argument *arguments, size_t count)
{
	for (uint32_t k = 0; k < count; k++)
		if (clSetKernelArg(kernel, first + k, arguments[k].bytes, arguments[k].at))
			fail("clSetKernelArg: %u", first + k);
}

void cilk_arguments(struct cilk *c, uint32_t node, const struct argument *arguments, size_t count)
{
	if (c->schedule == CILK_HOST)
		set((cl_kernel)c->graph.kernel[node], FL_OWN, arguments, count);
}

void cilk_firmware_arguments(struct cilk *c, const struct argument *arguments, size_t count)
{
	if (c->schedule != CILK_HOST)
		set(c->firmware, FL_FIRMWARE_OWN, arguments, count);
}

/* The extension's function; there is none on other devices. */
static clEnqueueFirmwareLOCKSTEP_fn enqueue_firmware(const struct cilk *c)
{
	cl_platform_id platform;
	void *function = NULL;
	if (!clGetDeviceInfo(c->gpu.device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, NULL))
		function = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueFirmwareLOCKSTEP");
	if (!function)
		fail("the device has no cl_lockstep_firmware");
	return (clEnqueueFirmwareLOCKSTEP_fn)function;
}

void cilk_run(struct cilk *c)
{
	c->device = gpu_buffer(&c->gpu, fl_bytes(&c->graph), c->memory);
	double before = gpu_time(&c->gpu);
	cl_int status = c->schedule == CILK_HOST ? fl_execute(&c->graph, c->memory, c->gpu.queue, c->device, c->group)
						 : fl_execute_firmware(&c->graph, c->memory, c->gpu.queue, c->device,
							   c->group, c->firmware, enqueue_firmware(c));
	if (status == FL_LEFT)
		fail("%lu tasks are left", fl_left(c->memory));
	if (status)
		fail("executing the graph gives %d", status);
	printf("%.0f ns, launches: %lu, tasks: %lu, warps: %lu, elements of a channel: %lu of %u at most",
		gpu_time(&c->gpu) - before, c->graph.launches, c->graph.tasks, c->graph.warps, c->graph.peak, c->width);
	if (c->schedule != CILK_HOST)
		printf(", yields: %lu", c->graph.yields);
	printf("\n");
}
