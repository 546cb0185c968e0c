/* Reading, writing, copying and filling buffers, straight and in rectangles; migration. */
#include "host/opencl/transfer.h"

#include "host/device.h"
#include "host/host_race.h"
#include "host/opencl/memory.h"

#include <stdlib.h>
#include <string.h>

static struct host_box box_of(const struct copy *c, const struct side *side)
{
	return (struct host_box){.at = side->at,
		.width = c->width,
		.height = c->height,
		.depth = c->depth,
		.row = side->row,
		.slice = side->slice};
}

void transfer_carry_out(struct command *command, const struct copy *c)
{
	struct host_box to = box_of(c, &c->to), from = box_of(c, &c->from);
	host_race_copies(command);
	host_race_box(command, command_call(command), &from, false);
	host_race_box(command, command_call(command), &to, true);
	if (!c->to_host || !device_lost_host_memory())
		device_copy(&to, &from);
}

static int32_t run_copy(struct command *command, uint64_t *nanoseconds)
{
	const struct copy *c = command_event(command)->work;
	transfer_carry_out(command, c);
	*nanoseconds = device_copy_time(c->width * c->height * c->depth);
	return CL_SUCCESS;
}

static void copy_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	const struct copy *c = work;
	(void)arena;
	if (c->height * c->depth != 1 || c->to_host || !device_get()->shares_pointers)
		return;
	queued->address = (uint64_t)(uintptr_t)c->to.at;
	queued->bytes = c->width;
	queued->contents = c->from.at;
}

cl_int transfer_enqueue(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list,
	const struct copy *copy, cl_mem a, cl_mem b, bool blocking, cl_event *event)
{
	cl_event command = command_new_on(a, queue, type, count, list, run_copy, copy, sizeof *copy);
	if (!command)
		return CL_OUT_OF_HOST_MEMORY;
	command->queued = copy_queued;
	struct host_box from = box_of(copy, &copy->from);
	if (!blocking && (type == CL_COMMAND_WRITE_BUFFER || type == CL_COMMAND_WRITE_BUFFER_RECT ||
				 type == CL_COMMAND_WRITE_IMAGE))
		host_race_source(&command->command, command_call(&command->command), &from);
	if (!b || command_hold(command, b))
		return command_enqueue(command, blocking, event);
	command_discard(command);
	return CL_OUT_OF_HOST_MEMORY;
}

static cl_int copy_with_host(cl_command_queue queue, cl_mem buffer, bool blocking, size_t offset, size_t size,
	const void *pointer, cl_uint count, const cl_event *list, cl_event *event, bool reads)
{
	cl_int why = memory_check_command(queue, buffer, count, list);
	if (!why)
		why = pointer ? memory_check_range(buffer, offset, size) : CL_INVALID_VALUE;
	if (!why && transfer_is_forbidden(buffer, reads))
		why = CL_INVALID_OPERATION;
	if (why)
		return why;
	const struct side device = {.at = buffer->contents + offset}, host = {.at = (uint8_t *)(uintptr_t)pointer};
	const struct copy copy = {
		reads ? device : host, reads ? host : device, size, 1, 1, .to_host = reads && !blocking};
	return transfer_enqueue(queue, reads ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER, count, list, &copy,
		buffer, NULL, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
	size_t offset, size_t size, void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
	return copy_with_host(queue, buffer, blocking, offset, size, pointer, count, list, event, true);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
	size_t offset, size_t size, const void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
	return copy_with_host(queue, buffer, blocking, offset, size, pointer, count, list, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
	size_t to_offset, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why = memory_check_command(queue, from, count, list);
	if (!why)
		why = memory_check(queue, to);
	if (!why)
		why = memory_check_range(from, from_offset, size);
	if (!why)
		why = memory_check_range(to, to_offset, size);
	if (!why && size && memory_overlaps(from, from_offset, to, to_offset, size))
		why = CL_MEM_COPY_OVERLAP;
	if (why)
		return why;
	struct copy copy = {{.at = from->contents + from_offset}, {.at = to->contents + to_offset}, size, 1, 1, false};
	return transfer_enqueue(queue, CL_COMMAND_COPY_BUFFER, count, list, &copy, from, to, false, event);
}

/* ---- Rectangles ---- */

/* Completes the pitches of one side: 0 means that there are no gaps between rows, or slices.  False when they are too
 * small. */
static bool complete_pitches(const size_t region[3], size_t *row, size_t *slice)
{
	if (!*row)
		*row = region[0];
	if (*row < region[0] || *row > SIZE_MAX / region[1])
		return false;
	if (!*slice)
		*slice = *row * region[1];
	return *slice >= *row * region[1] && *slice % *row == 0;
}

/* From the first byte of a rectangle to the end of its last row; false when that is beyond all memory. */
static bool rectangle_bytes(const size_t region[3], size_t row, size_t slice, size_t *bytes)
{
	size_t depth, height;
	return !__builtin_mul_overflow(region[2] - 1, slice, &depth) &&
	       !__builtin_mul_overflow(region[1] - 1, row, &height) && !__builtin_add_overflow(depth, height, bytes) &&
	       !__builtin_add_overflow(*bytes, region[0], bytes);
}

static bool rectangle_start(const size_t origin[3], size_t row, size_t slice, size_t *start)
{
	size_t depth, height;
	return !__builtin_mul_overflow(origin[2], slice, &depth) && !__builtin_mul_overflow(origin[1], row, &height) &&
	       !__builtin_add_overflow(depth, height, start) && !__builtin_add_overflow(*start, origin[0], start);
}

/* One side of a rectangle copy.  `buffer` null: host memory at `base`. */
static cl_int make_side(struct side *side, cl_mem buffer, uint8_t *base, const size_t origin[3], const size_t region[3],
	size_t row, size_t slice)
{
	size_t start, bytes;
	if (!complete_pitches(region, &row, &slice) || !rectangle_start(origin, row, slice, &start) ||
		!rectangle_bytes(region, row, slice, &bytes))
		return CL_INVALID_VALUE;
	if (buffer && memory_check_range(buffer, start, bytes))
		return CL_INVALID_VALUE;
	*side = (struct side){(buffer ? buffer->contents : base) + start, row, slice};
	return CL_SUCCESS;
}

static bool is_region(const size_t *region)
{
	return region && region[0] && region[1] && region[2];
}

/* A rectangle between a buffer and the host. */
struct host_rectangle {
	cl_mem buffer;
	const size_t *buffer_origin, *host_origin, *region;
	size_t buffer_row, buffer_slice, host_row, host_slice;
	void *pointer;
};

static cl_int copy_host_rectangle(cl_command_queue queue, const struct host_rectangle *r, bool blocking, cl_uint count,
	const cl_event *list, cl_event *event, bool reads)
{
	struct copy copy = {.to_host = reads && !blocking};
	cl_int why = memory_check_command(queue, r->buffer, count, list);
	if (!why && (!r->pointer || !r->buffer_origin || !r->host_origin || !is_region(r->region)))
		why = CL_INVALID_VALUE;
	if (!why)
		why = make_side(reads ? &copy.from : &copy.to, r->buffer, NULL, r->buffer_origin, r->region,
			r->buffer_row, r->buffer_slice);
	if (!why)
		why = make_side(reads ? &copy.to : &copy.from, NULL, r->pointer, r->host_origin, r->region, r->host_row,
			r->host_slice);
	if (!why && transfer_is_forbidden(r->buffer, reads))
		why = CL_INVALID_OPERATION;
	if (why)
		return why;
	copy.width = r->region[0], copy.height = r->region[1], copy.depth = r->region[2];
	return transfer_enqueue(queue, reads ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT, count, list,
		&copy, r->buffer, NULL, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
	const size_t *buffer_origin, const size_t *host_origin, const size_t *region, size_t buffer_row,
	size_t buffer_slice, size_t host_row, size_t host_slice, void *pointer, cl_uint count, const cl_event *list,
	cl_event *event)
{
	const struct host_rectangle r = {
		buffer, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice, pointer};
	return copy_host_rectangle(queue, &r, blocking, count, list, event, true);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
	const size_t *buffer_origin, const size_t *host_origin, const size_t *region, size_t buffer_row,
	size_t buffer_slice, size_t host_row, size_t host_slice, const void *pointer, cl_uint count,
	const cl_event *list, cl_event *event)
{
	const struct host_rectangle r = {buffer, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row,
		host_slice, (void *)(uintptr_t)pointer};
	return copy_host_rectangle(queue, &r, blocking, count, list, event, false);
}

/* Do two rectangles of one buffer with the same pitches share a byte?  With others: may they? */
static bool rectangles_overlap(const struct copy *c)
{
	const struct side *first = c->from.at < c->to.at ? &c->from : &c->to;
	const struct side *second = c->from.at < c->to.at ? &c->to : &c->from;
	int64_t row = (int64_t)first->row, slice = (int64_t)first->slice, distance = second->at - first->at;
	int64_t width = (int64_t)c->width, height = (int64_t)c->height, depth = (int64_t)c->depth;

	if (c->from.row != c->to.row || c->from.slice != c->to.slice)
		return distance < (depth - 1) * slice + (height - 1) * row + width;
	/* Rows that overlap are z slices and y rows apart; z is not below 0, since the second region is not before the
	 * first and a slice has at least `height` rows. */
	for (int64_t z = 0; z < depth; z++) {
		int64_t rest = distance - z * slice, above = rest / row - (rest % row < 0);
		for (int64_t y = above; y <= above + 1; y++)
			if (y > -height && y < height && llabs(rest - y * row) < width)
				return true;
	}
	return false;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
	const size_t *from_origin, const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
	size_t to_row, size_t to_slice, cl_uint count, const cl_event *list, cl_event *event)
{
	struct copy copy = {0};
	cl_int why = memory_check_command(queue, from, count, list);
	if (!why)
		why = memory_check(queue, to);
	if (!why && (!from_origin || !to_origin || !is_region(region)))
		why = CL_INVALID_VALUE;
	if (!why)
		why = make_side(&copy.from, from, NULL, from_origin, region, from_row, from_slice);
	if (!why)
		why = make_side(&copy.to, to, NULL, to_origin, region, to_row, to_slice);
	if (!why && from == to && (copy.from.row != copy.to.row || copy.from.slice != copy.to.slice))
		why = CL_INVALID_VALUE;
	if (why)
		return why;
	copy.width = region[0], copy.height = region[1], copy.depth = region[2];
	if ((from == to || from->parent || to->parent) && rectangles_overlap(&copy))
		return CL_MEM_COPY_OVERLAP;
	return transfer_enqueue(queue, CL_COMMAND_COPY_BUFFER_RECT, count, list, &copy, from, to, false, event);
}

/* ---- Filling ---- */

struct fill {
	uint8_t *at;
	size_t bytes, pattern_bytes;
	uint8_t pattern[128];
};

static int32_t run_fill(struct command *command, uint64_t *nanoseconds)
{
	const struct fill *f = command_event(command)->work;
	host_race_bytes(command, command_call(command), f->at, f->bytes, true);
	lockstep_fill(device_get()->gpu, f->at, f->bytes, f->pattern, f->pattern_bytes);
	*nanoseconds = device_copy_time(f->pattern_bytes); /* the device writes the rest itself */
	return CL_SUCCESS;
}

#define MOST_FILLED 4096 /* bytes that are worked out for an explanation */

static void fill_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	const struct fill *f = work;
	uint8_t *contents = f->bytes <= MOST_FILLED ? arena_alloc(arena, f->bytes) : NULL;
	if (!device_get()->shares_pointers)
		return;
	for (size_t at = 0; contents && at < f->bytes; at++)
		contents[at] = ((const uint8_t *)f->pattern)[at % f->pattern_bytes];
	queued->address = (uint64_t)(uintptr_t)f->at;
	queued->bytes = f->bytes;
	queued->contents = contents;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
	size_t pattern_size, size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why = memory_check_command(queue, buffer, count, list);
	if (!why)
		why = memory_check_range(buffer, offset, size);
	if (why)
		return why;
	if (!pattern || !pattern_size || pattern_size > 128 || pattern_size & (pattern_size - 1) ||
		offset % pattern_size || size % pattern_size)
		return CL_INVALID_VALUE;
	struct fill fill = {.at = buffer->contents + offset, .bytes = size, .pattern_bytes = pattern_size};
	memcpy(fill.pattern, pattern, pattern_size);
	cl_event command =
		command_new_on(buffer, queue, CL_COMMAND_FILL_BUFFER, count, list, run_fill, &fill, sizeof fill);
	if (command)
		command->queued = fill_queued;
	return command_enqueue(command, false, event);
}

/* ---- Migration: there is one device, and all memory is there. ---- */

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint memory_count,
	const cl_mem *memories, cl_mem_migration_flags flags, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why = command_check(queue, count, list);
	if (why)
		return why;
	if (!memory_count || !memories ||
		flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; !why && k < memory_count; k++)
		why = memory_check_any(queue, memories[k]);
	if (why)
		return why;
	return command_enqueue(
		command_new(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, count, list, ENGINE_NONE, NULL, NULL, 0), false,
		event);
}
