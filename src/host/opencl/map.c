/* Mapping of buffers.  The host sees the GPU's memory as its own, so a mapped pointer is the buffer itself; but a buffer
 * on the application's memory (CL_MEM_USE_HOST_PTR) is mapped there, by copying. */
#include "host/device.h"
#include "host/opencl/command.h"
#include "host/opencl/memory.h"

#include <stdlib.h>
#include <string.h>

struct map {
	void *host; /* null: nothing to copy */
	uint8_t *device;
	size_t bytes;
};

static int32_t run_map(struct command *command, uint64_t *nanoseconds)
{
	const struct map *m = command_event(command)->work;
	if (m->host && !device_lost_host_memory())
		memcpy(m->host, m->device, m->bytes);
	*nanoseconds = m->bytes ? device_copy_time(m->bytes) : 0;
	return CL_SUCCESS;
}

static int32_t run_unmap(struct command *command, uint64_t *nanoseconds)
{
	const struct map *m = command_event(command)->work;
	if (m->host)
		memcpy(m->device, m->host, m->bytes);
	*nanoseconds = m->bytes ? device_copy_time(m->bytes) : 0;
	return CL_SUCCESS;
}

static cl_int check_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t offset, size_t size, cl_uint count,
	const cl_event *list)
{
	const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
	cl_int why = command_check(queue, count, list);
	if (!why)
		why = memory_check(queue, buffer);
	if (!why)
		why = memory_check_range(buffer, offset, size);
	if (why)
		return why;
	bool writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
	if (!size || flags & ~known || (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)))
		return CL_INVALID_VALUE;
	if ((flags & CL_MAP_READ && buffer->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) ||
		(writes && buffer->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
		return CL_INVALID_OPERATION;
	return CL_SUCCESS;
}

static bool has_own_host_memory(cl_mem buffer)
{
	return buffer->host_pointer && !buffer->is_shared;
}

/* Remembers the mapping, for clEnqueueUnmapMemObject. */
static void *remember(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size)
{
	struct mapping *mapping = calloc(1, sizeof *mapping);
	if (!mapping)
		return NULL;
	void *base = has_own_host_memory(buffer) ? buffer->host_pointer : buffer->contents;
	*mapping = (struct mapping){.pointer = (char *)base + offset, .offset = offset, .bytes = size, .flags = flags};
	pthread_mutex_lock(&driver_lock);
	mapping->next = buffer->mappings;
	buffer->mappings = mapping;
	buffer->map_count++;
	pthread_mutex_unlock(&driver_lock);
	return mapping->pointer;
}

/* Forgets the newest mapping with this pointer; false when there is none. */
static bool forget(cl_mem buffer, const void *pointer, struct mapping *what)
{
	struct mapping *found = NULL;
	pthread_mutex_lock(&driver_lock);
	for (struct mapping **at = &buffer->mappings; *at; at = &(*at)->next)
		if ((*at)->pointer == pointer) {
			found = *at;
			*at = found->next;
			buffer->map_count--;
			break;
		}
	pthread_mutex_unlock(&driver_lock);
	if (found)
		*what = *found;
	free(found);
	return found;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
	cl_map_flags flags, size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event,
	cl_int *errcode_ret)
{
	void *pointer = NULL;
	struct mapping forgotten;
	cl_int why = check_map(queue, buffer, flags, offset, size, count, list);
	cl_event command = NULL;
	if (!why)
		command = command_new(queue, CL_COMMAND_MAP_BUFFER, count, list, ENGINE_COPY, run_map, sizeof(struct map));
	if (!why && (!command || !command_hold(command, buffer) || !(pointer = remember(buffer, flags, offset, size))))
		why = CL_OUT_OF_HOST_MEMORY;
	if (!why) {
		/* Also for writing only: what the application does not write comes back with the rest. */
		bool fetch = !(flags & CL_MAP_WRITE_INVALIDATE_REGION);
		*(struct map *)command->work =
			(struct map){.host = has_own_host_memory(buffer) && fetch ? pointer : NULL,
				.device = buffer->contents + offset,
				.bytes = fetch ? size : 0};
		why = command_enqueue(command, blocking, event);
		if (why)
			forget(buffer, pointer, &forgotten);
	}
	if (errcode_ret)
		*errcode_ret = why;
	return why ? NULL : pointer;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(
	cl_command_queue queue, cl_mem buffer, void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
	struct mapping mapping;
	cl_int why = command_check(queue, count, list);
	if (!why)
		why = memory_check(queue, buffer);
	if (!why && !forget(buffer, pointer, &mapping))
		why = CL_INVALID_VALUE;
	if (why)
		return why;
	cl_event command = command_new(
		queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, list, ENGINE_COPY, run_unmap, sizeof(struct map));
	if (!command || !command_hold(command, buffer))
		return CL_OUT_OF_HOST_MEMORY;
	bool wrote = mapping.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
	*(struct map *)command->work = (struct map){
		.host = has_own_host_memory(buffer) && wrote ? pointer : NULL,
		.device = buffer->contents + mapping.offset,
		.bytes = wrote ? mapping.bytes : 0,
	};
	return command_enqueue(command, false, event);
}
