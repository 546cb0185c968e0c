/* Mapping of buffers and images.  The host sees the GPU's memory as its own, so a mapped pointer is the object itself;
 * but an object on the application's memory (CL_MEM_USE_HOST_PTR) is mapped there, by copying. */
#include "host/debug.h"
#include "host/device.h"
#include "host/host_race.h"
#include "host/opencl/image.h"
#include "host/opencl/memory.h"
#include "host/opencl/transfer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct map {
	struct copy copy; /* from null: nothing to copy */
	size_t bytes;
	struct host_box region; /* of the object; nothing: its contents do not matter */
	bool writes;
};

static int32_t run(struct command *command, uint64_t *nanoseconds)
{
	const struct map *m = command_event(command)->work;
	if (m->copy.from.at)
		transfer_carry_out(command, &m->copy);
	else
		host_race_box(command, command_call(command), &m->region, m->writes);
	*nanoseconds = m->bytes ? device_copy_time(m->bytes) : 0;
	return CL_SUCCESS;
}

static cl_int check_flags(cl_mem memory, cl_map_flags flags)
{
	const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
	bool writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
	if (flags & ~known || (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)))
		return CL_INVALID_VALUE;
	if ((flags & CL_MAP_READ && transfer_is_forbidden(memory, true)) ||
		(writes && transfer_is_forbidden(memory, false)))
		return CL_INVALID_OPERATION;
	return CL_SUCCESS;
}

static bool has_own_host_memory(cl_mem memory)
{
	return memory->host_pointer && !memory->is_shared;
}

static void enlist(cl_mem memory, struct mapping *mapping)
{
	mutex_lock(&driver_lock);
	mapping->next = memory->mappings;
	memory->mappings = mapping;
	memory->map_count++;
	mutex_unlock(&driver_lock);
}

/* Remembers the mapping, for clEnqueueUnmapMemObject; its pointer, or null when there is no room. */
static void *remember(cl_mem memory, const struct mapping *what)
{
	struct mapping *mapping = malloc(sizeof *mapping);
	if (!mapping)
		return NULL;
	void *base = has_own_host_memory(memory) ? memory->host_pointer : memory->contents;
	*mapping = *what;
	mapping->pointer = (char *)base + what->offset;
	debug_link_shares();
	enlist(memory, mapping);
	return mapping->pointer;
}

/* Takes out the newest mapping with this pointer, which is the caller's to free; null: there is none. */
static struct mapping *take_out(cl_mem memory, const void *pointer)
{
	struct mapping *found = NULL;
	mutex_lock(&driver_lock);
	for (struct mapping **at = &memory->mappings; *at; at = &(*at)->next)
		if ((*at)->pointer == pointer) {
			found = *at;
			assert(memory->map_count);
			*at = found->next;
			memory->map_count--;
			break;
		}
	mutex_unlock(&driver_lock);
	return found;
}

/* Of the newest mapping with this pointer. */
static void set_point(cl_mem memory, const void *pointer, const struct command *command)
{
	mutex_lock(&driver_lock);
	struct mapping *mapping = memory->mappings;
	while (mapping && mapping->pointer != pointer)
		mapping = mapping->next;
	if (mapping) {
		mapping->point = command->point;
		mapping->enqueued = command->order.count ? command->order.at[0] : 0;
	}
	mutex_unlock(&driver_lock);
}

/* Until now the host has accessed what it has mapped, if it has waited for the mapping. */
static void note_host(cl_mem memory, const struct mapping *mapping)
{
	mutex_lock(&driver_lock);
	if (!memory->image && mapping->point.number && order_has(order_host(), mapping->point))
		host_race_call("the host, until clEnqueueUnmapMemObject", mapping->pointer, mapping->width,
			mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION), mapping->enqueued);
	mutex_unlock(&driver_lock);
}

/* What moves between the application's memory and the device's, if it has its own: towards the application or back. */
static struct map make_map(cl_mem memory, const struct mapping *mapping, void *pointer, bool moves, bool to_host)
{
	size_t row = memory->image ? memory->image->step[1] : 0, slice = memory->image ? memory->image->step[2] : 0;
	struct side host = {pointer, row, slice}, device = {memory->contents + mapping->offset, row, slice};
	struct map map = {.bytes = moves ? mapping->width * mapping->height * mapping->depth : 0, .writes = !to_host};
	if (moves)
		map.region = (struct host_box){device.at, mapping->width, mapping->height, mapping->depth, row, slice};
	if (has_own_host_memory(memory) && moves)
		map.copy = (struct copy){to_host ? device : host, to_host ? host : device, mapping->width,
			mapping->height, mapping->depth, to_host};
	return map;
}

static void *enqueue_map(cl_command_queue queue, cl_command_type type, cl_mem memory, cl_bool blocking,
	const struct mapping *what, cl_uint count, const cl_event *list, cl_event *event, cl_int *why)
{
	void *pointer = remember(memory, what);
	if (!pointer)
		return NULL;
	/* Also for writing only: what the application does not write comes back with the rest. */
	struct map map = make_map(memory, what, pointer, !(what->flags & CL_MAP_WRITE_INVALIDATE_REGION), true);
	cl_event command = command_new_on(memory, queue, type, count, list, run, &map, sizeof map);
	if (command)
		object_hold(command);
	/* The host may write there from now on, and says nothing. */
	if (!memory->image)
		device_wrote(pointer, what->width);
	*why = command_enqueue(command, blocking, event);
	if (*why)
		free(take_out(memory, pointer));
	else
		set_point(memory, pointer, &command->command);
	object_drop(command);
	return *why ? NULL : pointer;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
	cl_map_flags flags, size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event,
	cl_int *errcode_ret)
{
	struct mapping what = {.offset = offset, .width = size, .height = 1, .depth = 1, .flags = flags};
	void *pointer = NULL;
	cl_int why = memory_check_command(queue, buffer, count, list);
	if (!why)
		why = size ? memory_check_range(buffer, offset, size) : CL_INVALID_VALUE;
	if (!why)
		why = check_flags(buffer, flags);
	if (!why)
		pointer = enqueue_map(queue, CL_COMMAND_MAP_BUFFER, buffer, blocking, &what, count, list, event, &why);
	return created(pointer, why, errcode_ret);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem memory, cl_bool blocking,
	cl_map_flags flags, const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
	cl_uint count, const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
	void *pointer = NULL;
	cl_int why = command_check(queue, count, list);
	if (!why)
		why = image_check(queue, memory);
	if (!why)
		why = image_check_region(memory->image, origin, region);
	bool has_slices = !why && (memory->image->depth || memory->image->layers);
	if (!why && (!row_pitch || (has_slices && !slice_pitch)))
		why = CL_INVALID_VALUE;
	if (!why)
		why = check_flags(memory, flags);
	if (!why) {
		const struct image *image = memory->image;
		struct mapping what = {.offset = image_offset(image, origin),
			.width = region[0] * image->texel,
			.height = region[1],
			.depth = region[2],
			.flags = flags};
		pointer = enqueue_map(queue, CL_COMMAND_MAP_IMAGE, memory, blocking, &what, count, list, event, &why);
		*row_pitch = image->row;
		if (slice_pitch)
			*slice_pitch = has_slices ? image->slice : 0;
	}
	return created(pointer, why, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(
	cl_command_queue queue, cl_mem memory, void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why = command_check(queue, count, list);
	if (!why)
		why = memory_check_any(queue, memory);
	if (why)
		return why;
	struct mapping *mapping = take_out(memory, pointer);
	if (!mapping)
		return CL_INVALID_VALUE;
	note_host(memory, mapping);
	bool wrote = mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
	struct map map = make_map(memory, mapping, pointer, wrote, false);
	why = command_enqueue(
		command_new_on(memory, queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, list, run, &map, sizeof map), false,
		event);
	if (why)
		enlist(memory, mapping); /* it is mapped still */
	else
		free(mapping);
	return why;
}
