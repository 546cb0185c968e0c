/* Programs of one persistent kernel, as persistent.h says. */
#include "persistent.h"

#include "../device/lockstep_barrier.h"

#include <stdio.h>

const char *const persistent_forms[] = {"portable", "assume", NULL};

static uint32_t units(const struct gpu *gpu)
{
	cl_uint count;
	if (clGetDeviceInfo(gpu->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof count, &count, NULL))
		fail("clGetDeviceInfo: CL_DEVICE_MAX_COMPUTE_UNITS");
	return count;
}

struct persistent persistent_open(
	const char *file, const char *options, enum persistent_form form, const struct number *numbers)
{
	struct persistent p = {.groups = (uint32_t)numbers[PERSISTENT_GROUPS].value,
		.threads = (uint32_t)numbers[PERSISTENT_THREADS].value};
	char words[256];
	snprintf(words, sizeof words, "%s %s %s", gpu_atomics_standard(), form == PERSISTENT_ASSUME ? "-DTRUST" : "",
		options);
	p.gpu = gpu_open(file, words);
	if (numbers[PERSISTENT_PER_UNIT].value)
		p.groups = (uint32_t)numbers[PERSISTENT_PER_UNIT].value * units(&p.gpu);
	p.state = gpu_filled(&p.gpu, P_STATE_WORDS((size_t)p.groups), 0);
	p.taking = gpu_filled(&p.gpu, 1, 0);
	return p;
}

void persistent_finish(const struct persistent *p)
{
	uint32_t taking;
	if (clFinish(p->gpu.queue))
		fail("the launch did not end");
	double ns = gpu_time(&p->gpu) - p->began;
	gpu_read(&p->gpu, p->taking, sizeof taking, &taking);
	if (taking < 1 || taking > p->groups)
		fail("%u of %u groups take part", taking, p->groups);
	printf("work-groups: %u of %u\nkernel: %.0f ns\n", taking, p->groups, ns);
}

void persistent_close(struct persistent *p)
{
	gpu_free(p->state);
	gpu_free(p->taking);
	gpu_close(&p->gpu);
}

struct device_graph device_graph(const struct gpu *gpu, const struct graph *graph)
{
	size_t edges = graph->edges ? graph->edges : 1; /* a buffer has a word; the arrays have one, too */
	return (struct device_graph){
		gpu_buffer(gpu, ((size_t)graph->vertices + 1) * sizeof *graph->first, graph->first),
		gpu_buffer(gpu, edges * sizeof *graph->to, graph->to),
		gpu_buffer(gpu, edges * sizeof *graph->weight, graph->weight),
	};
}

void device_graph_free(struct device_graph *device)
{
	gpu_free(device->first);
	gpu_free(device->to);
	gpu_free(device->weight);
}
