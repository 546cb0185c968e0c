/* Memory for the parameters of grids that kernels launch: see device_buffers.h. */
#include "machine/gpu/device_buffers.h"

#include <assert.h>
#include <string.h>

struct device_buffer {
	uint64_t address;
	struct child_grid grid;
};

struct device_buffers {
	VECTOR(struct device_buffer) taken;
};

uint64_t device_buffer_take(struct gpu *gpu, const struct child_grid *grid)
{
	uint64_t bytes = grid->parameter_bytes ? grid->parameter_bytes : 1;
	uint64_t address = space_allocate(&gpu->space, bytes, "parameters of a launch from the GPU");

	assert(!grid->parameters);
	if (!address)
		return 0;
	if (!gpu->device.buffers)
		gpu->device.buffers = arena_new(gpu->arena, struct device_buffers);
	*vector_push(gpu->arena, &gpu->device.buffers->taken) = (struct device_buffer){address, *grid};
	return address;
}

bool device_buffer_return(struct gpu *gpu, uint64_t address, struct arena *arena, struct child_grid *grid)
{
	struct device_buffers *buffers = gpu->device.buffers;
	uint32_t k = buffers ? buffers->taken.count : 0;
	uint8_t *parameters;

	while (k && buffers->taken.at[k - 1].address != address) /* mostly one of the last */
		k--;
	if (!k)
		return false;
	*grid = buffers->taken.at[k - 1].grid;
	assert(!grid->parameters);
	buffers->taken.at[k - 1] = buffers->taken.at[--buffers->taken.count];
	parameters = arena_array(arena, grid->parameter_bytes + 1, 1);
	memcpy(parameters, space_host(&gpu->space, address), grid->parameter_bytes);
	grid->parameters = parameters;
	space_free(&gpu->space, address);
	return true;
}

uint32_t device_buffers_taken(const struct gpu *gpu)
{
	return gpu->device.buffers ? gpu->device.buffers->taken.count : 0;
}
