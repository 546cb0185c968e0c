/* Reading, writing, copying and filling images. */
#include "host/device.h"
#include "host/host_race.h"
#include "host/opencl/image.h"
#include "host/opencl/memory.h"
#include "host/opencl/transfer.h"

#include <string.h>

static struct side side_of(cl_mem memory, const size_t origin[3])
{
	const struct image *image = memory->image;
	return (struct side){memory->contents + image_offset(image, origin), image->step[1], image->step[2]};
}

static void set_region(struct copy *copy, const struct image *image, const size_t region[3])
{
	copy->width = region[0] * image->texel;
	copy->height = region[1];
	copy->depth = region[2];
}

static cl_int check(cl_command_queue queue, cl_mem memory, const size_t *origin, const size_t *region, cl_uint count,
	const cl_event *list)
{
	cl_int why = command_check(queue, count, list);
	if (!why)
		why = image_check(queue, memory);
	return why ? why : image_check_region(memory->image, origin, region);
}

/* ---- With the host's memory ---- */

/* Pitches of the host's side: 0 means that there are no gaps between rows, or slices.  Images without slices have no
 * slice pitch. */
static cl_int make_host_side(
	struct side *side, const struct image *image, const size_t region[3], size_t row, size_t slice, void *pointer)
{
	bool rows_are_layers = image->layers && !image->height, has_slices = image->depth || image->layers;
	size_t width = region[0] * image->texel, rows = rows_are_layers ? 1 : region[1];
	if (!pointer || (row && row < width) || (slice && !has_slices))
		return CL_INVALID_VALUE;
	row = row ? row : width;
	if (slice && slice < row * rows)
		return CL_INVALID_VALUE;
	slice = slice ? slice : row * rows;
	*side = (struct side){pointer, rows_are_layers ? slice : row, slice};
	return CL_SUCCESS;
}

static cl_int copy_with_host(cl_command_queue queue, cl_mem image, bool blocking, const size_t *origin,
	const size_t *region, size_t row, size_t slice, const void *pointer, cl_uint count, const cl_event *list,
	cl_event *event, bool reads)
{
	struct copy copy = {.to_host = reads && !blocking};
	cl_int why = check(queue, image, origin, region, count, list);
	if (!why)
		why = make_host_side(
			reads ? &copy.to : &copy.from, image->image, region, row, slice, (void *)(uintptr_t)pointer);
	if (!why && transfer_is_forbidden(image, reads))
		why = CL_INVALID_OPERATION;
	if (why)
		return why;
	*(reads ? &copy.from : &copy.to) = side_of(image, origin);
	set_region(&copy, image->image, region);
	return transfer_enqueue(queue, reads ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, count, list, &copy,
		image, NULL, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
	const size_t *origin, const size_t *region, size_t row, size_t slice, void *pointer, cl_uint count,
	const cl_event *list, cl_event *event)
{
	return copy_with_host(queue, image, blocking, origin, region, row, slice, pointer, count, list, event, true);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
	const size_t *origin, const size_t *region, size_t row, size_t slice, const void *pointer, cl_uint count,
	const cl_event *list, cl_event *event)
{
	return copy_with_host(queue, image, blocking, origin, region, row, slice, pointer, count, list, event, false);
}

/* ---- On the device ---- */

static bool regions_overlap(const size_t a[3], const size_t b[3], const size_t region[3])
{
	for (int k = 0; k < 3; k++)
		if (a[k] >= b[k] + region[k] || b[k] >= a[k] + region[k])
			return false;
	return true;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
	const size_t *from_origin, const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *list,
	cl_event *event)
{
	struct copy copy = {0};
	cl_int why = check(queue, from, from_origin, region, count, list);
	if (!why)
		why = check(queue, to, to_origin, region, count, list);
	if (why)
		return why;
	if (memcmp(&from->image->format, &to->image->format, sizeof from->image->format))
		return CL_IMAGE_FORMAT_MISMATCH;
	if (from == to && regions_overlap(from_origin, to_origin, region))
		return CL_MEM_COPY_OVERLAP;
	copy.from = side_of(from, from_origin);
	copy.to = side_of(to, to_origin);
	set_region(&copy, from->image, region);
	return transfer_enqueue(queue, CL_COMMAND_COPY_IMAGE, count, list, &copy, from, to, false, event);
}

/* The texels of a region in a buffer, without gaps. */
static cl_int make_buffer_side(struct side *side, cl_mem buffer, size_t offset, const struct copy *copy)
{
	cl_int why = memory_check_range(buffer, offset, copy->width * copy->height * copy->depth);
	*side = (struct side){buffer->contents + offset, copy->width, copy->width * copy->height};
	return why;
}

/* Between an image and a buffer. */
static cl_int copy_between(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin, const size_t *region,
	size_t offset, cl_uint count, const cl_event *list, cl_event *event, bool to_image)
{
	struct copy copy = {0};
	cl_mem image = to_image ? to : from, buffer = to_image ? from : to;
	cl_int why = check(queue, image, origin, region, count, list);
	if (!why)
		why = memory_check(queue, buffer);
	if (why)
		return why;
	*(to_image ? &copy.to : &copy.from) = side_of(image, origin);
	set_region(&copy, image->image, region);
	why = make_buffer_side(to_image ? &copy.from : &copy.to, buffer, offset, &copy);
	return why ? why
		   : transfer_enqueue(queue,
			     to_image ? CL_COMMAND_COPY_BUFFER_TO_IMAGE : CL_COMMAND_COPY_IMAGE_TO_BUFFER, count, list,
			     &copy, from, to, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
	const size_t *origin, const size_t *region, size_t offset, cl_uint count, const cl_event *list, cl_event *event)
{
	return copy_between(queue, from, to, origin, region, offset, count, list, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to,
	size_t offset, const size_t *origin, const size_t *region, cl_uint count, const cl_event *list, cl_event *event)
{
	return copy_between(queue, from, to, origin, region, offset, count, list, event, true);
}

/* ---- Filling ---- */

struct fill {
	struct side to;
	size_t region[3], texel;
	uint8_t data[16];
};

static void put_texel(const struct fill *f, uint8_t *at)
{
	memcpy(at, f->data, f->texel);
	device_wrote(at, f->texel);
}

static int32_t run_fill(struct command *command, uint64_t *nanoseconds)
{
	const struct fill *f = command_event(command)->work;
	const struct host_box to = {.at = f->to.at,
		.width = f->region[0] * f->texel,
		.height = f->region[1],
		.depth = f->region[2],
		.row = f->to.row,
		.slice = f->to.slice};
	host_race_box(command, command_call(command), &to, true);
	for (size_t z = 0; z < f->region[2]; z++)
		for (size_t y = 0; y < f->region[1]; y++)
			for (size_t x = 0; x < f->region[0]; x++)
				put_texel(f, f->to.at + z * f->to.slice + y * f->to.row + x * f->texel);
	*nanoseconds = device_copy_time(f->texel); /* the device writes the rest itself */
	return CL_SUCCESS;
}

/* The colour is of four components, but of depths one. */
static void make_texel(uint8_t data[16], const struct image *image, const void *colour)
{
	struct lockstep_image what = {0};
	uint32_t component[4] = {0};
	image_format_read(&image->format, &what);
	memcpy(component, colour, what.order == LOCKSTEP_ORDER_DEPTH ? sizeof *component : sizeof component);
	lockstep_image_texel(&what, component, data);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour,
	const size_t *origin, const size_t *region, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why = check(queue, image, origin, region, count, list);
	if (!why && !colour)
		why = CL_INVALID_VALUE;
	if (why)
		return why;
	struct fill fill = {.to = side_of(image, origin), .texel = image->image->texel};
	memcpy(fill.region, region, sizeof fill.region);
	make_texel(fill.data, image->image, colour);
	return command_enqueue(
		command_new_on(image, queue, CL_COMMAND_FILL_IMAGE, count, list, run_fill, &fill, sizeof fill), false,
		event);
}
