/* Images: making them, and what applications ask of them. */
#include "host/opencl/image.h"

#include "host/device.h"
#include "host/opencl/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Types ---- */

struct image_type {
	cl_mem_object_type type;
	const char *name, *depth_name; /* of kernel parameters */
	uint8_t dimensions;
	bool layered;
};
static const struct image_type types[] = {
	{CL_MEM_OBJECT_IMAGE1D, "image1d_t", NULL, 1, false},
	{CL_MEM_OBJECT_IMAGE1D_BUFFER, "image1d_buffer_t", NULL, 1, false},
	{CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", NULL, 1, true},
	{CL_MEM_OBJECT_IMAGE2D, "image2d_t", "image2d_depth_t", 2, false},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "image2d_array_depth_t", 2, true},
	{CL_MEM_OBJECT_IMAGE3D, "image3d_t", NULL, 3, false},
};

static const struct image_type *find_type(cl_mem_object_type type)
{
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (types[k].type == type)
			return &types[k];
	return NULL;
}

cl_mem_object_type image_type_named(const char *name)
{
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (!strcmp(types[k].name, name) || (types[k].depth_name && !strcmp(types[k].depth_name, name)))
			return types[k].type;
	return 0;
}

/* ---- The descriptor ---- */

/* Sizes of the directions that the type has; the others are ignored. */
static cl_int read_size(struct image *image, const struct image_type *type, const cl_image_desc *d)
{
	size_t most = type->dimensions == 3 ? IMAGE_3D_MAX : IMAGE_2D_MAX;
	image->width = d->image_width;
	image->height = type->dimensions > 1 ? d->image_height : 0;
	image->depth = type->dimensions > 2 ? d->image_depth : 0;
	image->layers = type->layered ? d->image_array_size : 0;
	if (type->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		most = IMAGE_BUFFER_MAX;
	if (!image->width || (type->dimensions > 1 && !image->height) || (type->dimensions > 2 && !image->depth) ||
		(type->layered && !image->layers))
		return CL_INVALID_IMAGE_SIZE;
	if (image->width > most || image->height > most || image->depth > most || image->layers > IMAGE_ARRAY_MAX)
		return CL_INVALID_IMAGE_SIZE;
	return CL_SUCCESS;
}

/* Pitches: where they are not given, there are no gaps between rows and slices. */
static cl_int read_pitches(struct image *image, const struct image_type *type, const cl_image_desc *d)
{
	size_t row = image->width * image->texel, slice, given = d->image_row_pitch;
	if (given && (given < row || given % image->texel))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	image->row = given ? given : row;
	if (__builtin_mul_overflow(image->row, image->height ? image->height : 1, &slice))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	given = type->dimensions > 2 || type->layered ? d->image_slice_pitch : 0;
	if (given && (given < slice || given % image->row))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	image->slice = given ? given : slice;
	return CL_SUCCESS;
}

/* Slices or layers, at least one. */
static size_t slices_of(const struct image *image)
{
	if (image->depth)
		return image->depth;
	return image->layers ? image->layers : 1;
}

static void fill_directions(struct image *image, const struct image_type *type)
{
	size_t height = image->height ? image->height : 1, slices = slices_of(image);
	bool rows_are_layers = type->layered && type->dimensions == 1;
	image->size[0] = image->width;
	image->size[1] = rows_are_layers ? slices : height;
	image->size[2] = rows_are_layers ? 1 : slices;
	image->step[0] = image->texel;
	image->step[1] = rows_are_layers ? image->slice : image->row;
	image->step[2] = image->slice;
}

/* Size and layout of an image of this format: *bytes is what its memory takes. */
static cl_int read_shape(struct image *image, const cl_image_desc *d, const struct lockstep_image *what, size_t *bytes)
{
	const struct image_type *type = find_type(d->image_type);
	image->type = d->image_type;
	image->texel = (size_t)what->channels * what->channel_bits / 8;
	cl_int why = read_size(image, type, d);
	if (!why)
		why = read_pitches(image, type, d);
	if (why)
		return why;
	fill_directions(image, type);
	return __builtin_mul_overflow(image->slice, slices_of(image), bytes) ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
}

/* ---- Checks ---- */

static cl_int check_format(const cl_image_format *format, cl_mem_flags flags, cl_mem_object_type type)
{
	if (!image_format_valid(format))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	return image_format_offered(format, flags, type) ? CL_SUCCESS : CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

static cl_int check_descriptor(const cl_image_desc *d, const void *host_ptr)
{
	if (!d || !find_type(d->image_type) || d->num_mip_levels || d->num_samples)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	bool on_memory = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER || d->image_type == CL_MEM_OBJECT_IMAGE2D;
	if (d->mem_object ? !on_memory : d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (!host_ptr && !d->mem_object && (d->image_row_pitch || d->image_slice_pitch))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	return CL_SUCCESS;
}

/* A requested image. */
struct wanted {
	cl_mem_flags flags;
	struct image image;
	struct lockstep_image what; /* its format */
	size_t bytes;
	cl_mem parent; /* the object whose memory it shall use; may be null */
};

/* On another image: of the same shape, and so of its layout. */
static cl_int place_on_image(struct image *image, const struct image *of)
{
	if (image->type != CL_MEM_OBJECT_IMAGE2D || of->type != CL_MEM_OBJECT_IMAGE2D || image->width != of->width ||
		image->height != of->height)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (!image_format_compatible(&of->format, &image->format))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	image->row = of->row;
	image->slice = of->slice;
	memcpy(image->step, of->step, sizeof image->step);
	return CL_SUCCESS;
}

static cl_int check_parent(cl_context context, struct wanted *w, const void *host_ptr)
{
	struct image *image = &w->image;
	if (w->parent->object.context != context)
		return CL_INVALID_CONTEXT;
	if (host_ptr || w->flags & POINTER_FLAGS || !memory_inherit_flags(w->parent->flags, &w->flags))
		return CL_INVALID_VALUE;
	if (w->parent->image)
		return place_on_image(image, w->parent->image);
	size_t last = w->bytes - image->row + image->width * image->texel; /* of the last row only its texels */
	bool fits = last <= w->parent->bytes && w->parent->address % image->texel == 0;
	return fits ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
}

static cl_int check_own_memory(cl_mem_flags flags, size_t bytes, const void *host_ptr)
{
	size_t most;
	clGetDeviceInfo(device_object(), CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
	if (bytes > most)
		return CL_INVALID_IMAGE_SIZE;
	return !host_ptr == !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

/* ---- Making ---- */

/* The handle that kernels know the image by; false when there is none. */
static bool make_handle(cl_mem memory, struct lockstep_image what)
{
	struct image *image = memory->image;
	struct lockstep_error error;
	const struct image_type *type = find_type(image->type);
	what.use = LOCKSTEP_TEXTURE_AND_SURFACE;
	what.dimensions = type->dimensions;
	what.layered = type->layered;
	what.buffer = image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
	what.level_count = 1;
	what.level[0] = (struct lockstep_image_level){
		.address = memory->address,
		.width = (uint32_t)image->width,
		.height = image->height ? (uint32_t)image->height : 1,
		.depth = (uint32_t)slices_of(image),
		.row_bytes = image->row,
		.slice_bytes = image->slice,
	};
	for (int k = 0; k < 3; k++)
		what.addressing[k] = LOCKSTEP_ADDRESS_BORDER;
	device_lock();
	image->handle = lockstep_image_create(device_get()->gpu, &what, &error);
	device_unlock();
	if (!image->handle)
		device_complain("clCreateImage: %s", error.message);
	return image->handle;
}

static cl_mem create(
	cl_context context, const cl_mem_properties *properties, const struct wanted *w, void *host_ptr, cl_int *why)
{
	cl_mem memory = memory_new(context, properties, w->flags, w->bytes);
	if (!memory)
		return NULL;
	memory->image = malloc(sizeof *memory->image);
	if (memory->image)
		*memory->image = w->image;
	else
		*why = CL_OUT_OF_HOST_MEMORY;
	if (!*why && w->parent)
		memory_place_within(memory, w->parent, 0);
	else if (!*why && !memory_place(memory, host_ptr))
		*why = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (!*why && !make_handle(memory, w->what))
		*why = CL_OUT_OF_RESOURCES;
	if (!*why)
		return memory;
	object_release(memory);
	return NULL;
}

static cl_int read_wanted(cl_context context, struct wanted *w, const cl_image_format *format,
	const cl_image_desc *desc, const void *host_ptr)
{
	cl_int why = memory_check_flags(w->flags);
	if (!why)
		why = format ? check_descriptor(desc, host_ptr) : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (why)
		return why;
	w->parent = desc->mem_object;
	w->image.format = *format;
	if (w->parent && !object_is(w->parent, OBJECT_MEMORY))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (!(w->flags & ACCESS_FLAGS))
		w->flags |= w->parent ? w->parent->flags & ACCESS_FLAGS : CL_MEM_READ_WRITE;
	why = check_format(format, w->flags, desc->image_type);
	if (why)
		return why;
	image_format_read(format, &w->what);
	why = read_shape(&w->image, desc, &w->what, &w->bytes);
	if (why)
		return why;
	return w->parent ? check_parent(context, w, host_ptr) : check_own_memory(w->flags, w->bytes, host_ptr);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
	cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
	cl_int *errcode_ret)
{
	struct wanted w = {.flags = flags};
	cl_int why = object_is(context, OBJECT_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
	if (!why && properties && *properties)
		why = CL_INVALID_PROPERTY; /* OpenCL 3.0 knows none */
	if (!why)
		why = read_wanted(context, &w, format, desc, host_ptr);
	cl_mem memory = why ? NULL : create(context, properties, &w, host_ptr, &why);
	return created(memory, why, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
	const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
	return clCreateImageWithProperties(context, NULL, flags, format, desc, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
	size_t width, size_t height, size_t row_pitch, void *host_ptr, cl_int *errcode_ret)
{
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = width,
		.image_height = height,
		.image_row_pitch = row_pitch};
	cl_int why = CL_SUCCESS;
	cl_mem memory = clCreateImage(context, flags, format, &desc, host_ptr, &why);
	/* It has no descriptor: a bad pitch is a bad size. */
	return created(memory, why == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : why, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
	size_t width, size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr,
	cl_int *errcode_ret)
{
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
		.image_width = width,
		.image_height = height,
		.image_depth = depth,
		.image_row_pitch = row_pitch,
		.image_slice_pitch = slice_pitch};
	cl_int why = CL_SUCCESS;
	cl_mem memory = clCreateImage(context, flags, format, &desc, host_ptr, &why);
	return created(memory, why == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : why, errcode_ret);
}

/* ---- For the other files ---- */

cl_int image_check(cl_command_queue queue, cl_mem memory)
{
	return object_is(memory, OBJECT_MEMORY) && !memory->image ? CL_INVALID_MEM_OBJECT
								  : memory_check_any(queue, memory);
}

cl_int image_check_region(const struct image *image, const size_t *origin, const size_t *region)
{
	if (!origin || !region)
		return CL_INVALID_VALUE;
	for (int k = 0; k < 3; k++)
		if (!region[k] || origin[k] > image->size[k] || region[k] > image->size[k] - origin[k])
			return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

size_t image_offset(const struct image *image, const size_t origin[3])
{
	return origin[0] * image->step[0] + origin[1] * image->step[1] + origin[2] * image->step[2];
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem memory, cl_image_info param_name, size_t param_value_size,
	void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(memory, OBJECT_MEMORY) || !memory->image)
		return CL_INVALID_MEM_OBJECT;
	const struct image *image = memory->image;
	bool has_slices = image->depth || image->layers;
	switch (param_name) {
	case CL_IMAGE_FORMAT: return ANSWER_BYTES(&image->format, sizeof image->format);
	case CL_IMAGE_ELEMENT_SIZE: return ANSWER(size_t, image->texel);
	case CL_IMAGE_ROW_PITCH: return ANSWER(size_t, image->row);
	case CL_IMAGE_SLICE_PITCH: return ANSWER(size_t, has_slices ? image->slice : 0);
	case CL_IMAGE_WIDTH: return ANSWER(size_t, image->width);
	case CL_IMAGE_HEIGHT: return ANSWER(size_t, image->height);
	case CL_IMAGE_DEPTH: return ANSWER(size_t, image->depth);
	case CL_IMAGE_ARRAY_SIZE: return ANSWER(size_t, image->layers);
	case CL_IMAGE_BUFFER: return ANSWER(cl_mem, memory->parent && !memory->parent->image ? memory->parent : NULL);
	case CL_IMAGE_NUM_MIP_LEVELS:
	case CL_IMAGE_NUM_SAMPLES: return ANSWER(cl_uint, 0);
	default: return CL_INVALID_VALUE;
	}
}
