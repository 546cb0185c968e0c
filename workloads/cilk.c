/* Programs that spawn and sync, as cilk.h says. */
#include "cilk.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const variants[] = {"efficient", "baseline", "padded", NULL};

struct cilk cilk_open(int argc, char **argv, const char *what, const char *file, struct number *numbers, size_t count,
	uint32_t most, uint64_t *seed)
{
	struct choice variant = {"variant", "of the channels (paper 5, Figure 17)", variants, 0};
	struct cilk c = {0};
	char options[160];

	*seed = options_read_choice(argc, argv, what, numbers, count, &variant);
	c.width = (uint32_t)numbers[CILK_WIDTH].value;
	c.done = (uint32_t)numbers[CILK_DONE].value;
	c.group = (uint32_t)numbers[CILK_GROUP].value;
	c.padded = variant.value == 2;
	if (!CH_FITS(c.width, c.done, most))
		options_refuse("--width %u --done %u: expected powers of two, and --done at most --width - %u", c.width,
			c.done, most - 1);
	snprintf(options, sizeof options, "%s %s", gpu_atomics_standard(),
		variant.value == 1 ? "-DLOCKSTEP_CHANNELS_BASELINE" : "");
	c.gpu = gpu_open(file, options);
	return c;
}

void cilk_close(struct cilk *c)
{
	for (uint32_t k = 0; k < c->graph.table.nodes; k++)
		if (clReleaseKernel((cl_kernel)c->graph.kernel[k]))
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
	cl_int why;
	cl_kernel kernel = clCreateKernel(c->gpu.program, name, &why);
	if (why)
		fail("clCreateKernel: %s: %d", name, why);
	fl_kernel(&c->graph, node, kernel, flags);
}

void cilk_build(struct cilk *c)
{
	c->memory = allocate(fl_bytes(&c->graph), 1);
	fl_build(&c->graph, c->memory);
}

void cilk_argument(struct cilk *c, uint32_t node, uint32_t number, struct argument argument)
{
	if (clSetKernelArg((cl_kernel)c->graph.kernel[node], FL_OWN + number, argument.bytes, argument.at))
		fail("clSetKernelArg: %u of kernel node %u", FL_OWN + number, node);
}

void cilk_run(struct cilk *c)
{
	c->device = gpu_buffer(&c->gpu, fl_bytes(&c->graph), c->memory);
	double before = gpu_time(&c->gpu);
	cl_int status = fl_execute(&c->graph, c->memory, c->gpu.queue, c->device, c->group);
	if (status == FL_LEFT)
		fail("%lu tasks are left", fl_left(c->memory));
	if (status)
		fail("fl_execute gives %d", status);
	printf("%.0f ns, launches: %lu, tasks: %lu, warps: %lu, elements of a channel: %lu of %u at most\n",
		gpu_time(&c->gpu) - before, c->graph.launches, c->graph.tasks, c->graph.warps, c->graph.peak, c->width);
}
