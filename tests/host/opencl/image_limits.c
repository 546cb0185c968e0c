/* What images may be asked for: sizes, pitches, images on other memory, regions, lists of formats.  Errors by the API
 * specification 3.0 (5.3.1 and clEnqueueReadImage), limits by the device's own answers. PoCL 3.1: not run. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>

static const cl_image_format bytes_2 = {CL_RG, CL_UNSIGNED_INT8}; /* two bytes a texel */
static const size_t zero[3];

static cl_int make(
	const struct test *t, cl_mem_flags flags, const cl_image_format *format, cl_image_desc desc, void *texels)
{
	cl_int why;
	cl_mem image = clCreateImage(t->context, flags, format, &desc, texels, &why);
	CHECK(!image == !!why);
	if (image)
		OK(clReleaseMemObject(image));
	return why;
}

static size_t most(const struct test *t, cl_device_info what)
{
	size_t size;
	OK(clGetDeviceInfo(t->device, what, sizeof size, &size, NULL));
	return size;
}

static void sizes(const struct test *t)
{
	static const struct {
		cl_device_info limit;
		cl_image_desc desc;
		size_t at; /* of the size that is limited, in the descriptor */
	} cases[] = {
#define SIZE(field) offsetof(cl_image_desc, field)
		{CL_DEVICE_IMAGE2D_MAX_WIDTH, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_height = 1},
			SIZE(image_width)},
		{CL_DEVICE_IMAGE2D_MAX_HEIGHT, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1},
			SIZE(image_height)},
		{CL_DEVICE_IMAGE3D_MAX_WIDTH,
			{.image_type = CL_MEM_OBJECT_IMAGE3D, .image_height = 1, .image_depth = 1}, SIZE(image_width)},
		{CL_DEVICE_IMAGE3D_MAX_HEIGHT,
			{.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_depth = 1}, SIZE(image_height)},
		{CL_DEVICE_IMAGE3D_MAX_DEPTH,
			{.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = 1}, SIZE(image_depth)},
		{CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 1},
			SIZE(image_array_size)},
		{CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
			{.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 1, .image_height = 1},
			SIZE(image_array_size)},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		cl_image_desc desc = cases[k].desc;
		size_t size = most(t, cases[k].limit);
		check_entry = (int)k;
		memcpy((char *)&desc + cases[k].at, &size, sizeof size);
		OK(make(t, 0, &bytes_2, desc, NULL));
		size++;
		memcpy((char *)&desc + cases[k].at, &size, sizeof size);
		GIVES(CL_INVALID_IMAGE_SIZE, make(t, 0, &bytes_2, desc, NULL));
	}
}

/* An image on a buffer may be as wide as CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, far wider than other images, where there is
 * memory for it. */
static void wide(const struct test *t)
{
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 100000};
	size_t limit = most(t, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
	desc.mem_object = test_buffer(t, 200000, NULL);
	OK(make(t, 0, &bytes_2, desc, NULL));
	desc.image_width++;
	GIVES(CL_INVALID_IMAGE_DESCRIPTOR, make(t, 0, &bytes_2, desc, NULL));
	desc.image_width = limit + 1;
	GIVES(CL_INVALID_IMAGE_SIZE, make(t, 0, &bytes_2, desc, NULL));
	desc.image_width = 0;
	GIVES(CL_INVALID_IMAGE_SIZE, make(t, 0, &bytes_2, desc, NULL));
	OK(clReleaseMemObject(desc.mem_object));
}

/* Of the application's memory, 4 x 3 x 2 texels of 2 bytes. */
static void pitches(const struct test *t)
{
	static uint8_t texels[256];
	static const struct {
		size_t row, slice;
		cl_int why;
	} cases[] = {
		{0, 0, CL_SUCCESS},
		{8, 24, CL_SUCCESS},
		{10, 30, CL_SUCCESS},
		{10, 40, CL_SUCCESS},
		{6, 0, CL_INVALID_IMAGE_DESCRIPTOR},
		{9, 0, CL_INVALID_IMAGE_DESCRIPTOR},
		{8, 16, CL_INVALID_IMAGE_DESCRIPTOR},
		{8, 28, CL_INVALID_IMAGE_DESCRIPTOR},
	};
	cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 3, .image_depth = 2};
	cl_int why;
	size_t slice = 0;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		check_entry = (int)k;
		desc.image_row_pitch = cases[k].row;
		desc.image_slice_pitch = cases[k].slice;
		GIVES(cases[k].why, make(t, CL_MEM_COPY_HOST_PTR, &bytes_2, desc, texels));
		GIVES(cases[k].row ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS, make(t, 0, &bytes_2, desc, NULL));
	}
	desc.image_row_pitch = 0, desc.image_slice_pitch = 24; /* a pitch without memory that has it */
	GIVES(CL_INVALID_IMAGE_DESCRIPTOR, make(t, 0, &bytes_2, desc, NULL));
	desc.image_slice_pitch = 0;
	desc.num_samples = 1;
	GIVES(CL_INVALID_IMAGE_DESCRIPTOR, make(t, 0, &bytes_2, desc, NULL));
	/* The older calls know no descriptor. */
	cl_mem image = clCreateImage3D(t->context, CL_MEM_COPY_HOST_PTR, &bytes_2, 4, 3, 2, 10, 40, texels, &why);
	OK(why);
	OK(clGetImageInfo(image, CL_IMAGE_SLICE_PITCH, sizeof slice, &slice, NULL));
	CHECK(slice == 40);
	OK(clReleaseMemObject(image));
	CHECK(!clCreateImage3D(t->context, CL_MEM_COPY_HOST_PTR, &bytes_2, 4, 3, 2, 6, 0, texels, &why) &&
		why == CL_INVALID_IMAGE_SIZE);
	CHECK(!clCreateImage2D(t->context, CL_MEM_COPY_HOST_PTR, &bytes_2, 4, 3, 6, texels, &why) &&
		why == CL_INVALID_IMAGE_SIZE);
}

/* An image of two dimensions on a buffer, whose last row may end with its texels, and on another image, whose layout it
 * has. */
static void on_others(const struct test *t)
{
	const cl_image_format colour = {CL_RGBA, CL_UNORM_INT8}, srgb = {CL_sRGBA, CL_UNORM_INT8},
			      other = {CL_RGBA, CL_SNORM_INT8};
	cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3, .image_row_pitch = 64};
	uint32_t texels[3 * 16], got;
	cl_int why;
	cl_mem parent = NULL;
	desc.mem_object = test_buffer(t, 2 * 64 + 4 * 4, NULL);
	OK(make(t, 0, &colour, desc, NULL));
	OK(clReleaseMemObject(desc.mem_object));
	desc.mem_object = test_buffer(t, 2 * 64 + 4 * 4 - 1, NULL);
	GIVES(CL_INVALID_IMAGE_DESCRIPTOR, make(t, 0, &colour, desc, NULL));
	OK(clReleaseMemObject(desc.mem_object));
	for (uint32_t k = 0; k < 3 * 16; k++)
		texels[k] = 0x01010101 * k;
	desc.mem_object = NULL;
	cl_mem image = clCreateImage(t->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, &srgb, &desc, texels, &why);
	OK(why);
	desc.mem_object = image;
	desc.image_row_pitch = 0;
	cl_mem view = clCreateImage(t->context, 0, &colour, &desc, NULL, &why);
	OK(why);
	OK(clEnqueueReadImage(
		t->queue, view, CL_TRUE, (size_t[3]){1, 2, 0}, (size_t[3]){1, 1, 1}, 0, 0, &got, 0, NULL, NULL));
	CHECK(got == texels[2 * 16 + 1]);
	cl_mem_flags flags = 0;
	OK(clGetMemObjectInfo(view, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
	CHECK(flags & CL_MEM_READ_ONLY && !(flags & CL_MEM_READ_WRITE));
	OK(clGetImageInfo(view, CL_IMAGE_BUFFER, sizeof parent, &parent, NULL));
	CHECK(!parent); /* it is on no buffer */
	GIVES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, make(t, CL_MEM_READ_ONLY, &other, desc, NULL));
	desc.image_width = 3;
	GIVES(CL_INVALID_IMAGE_DESCRIPTOR, make(t, CL_MEM_READ_ONLY, &colour, desc, NULL));
	desc.image_width = 4, desc.image_height = 2;
	GIVES(CL_INVALID_IMAGE_DESCRIPTOR, make(t, CL_MEM_READ_ONLY, &colour, desc, NULL));
	OK(clReleaseMemObject(view));
	OK(clReleaseMemObject(image));
	/* The other way. */
	desc.image_height = 3, desc.mem_object = NULL;
	image = clCreateImage(t->context, CL_MEM_READ_ONLY, &colour, &desc, NULL, &why);
	OK(why);
	desc.mem_object = image;
	OK(make(t, CL_MEM_READ_ONLY, &srgb, desc, NULL));
	OK(clReleaseMemObject(image));
}

/* Regions and pitches of a 4 x 3 image and of one with slices; copies within an image, side by side and one over the
 * other. */
static void regions(const struct test *t)
{
	static uint8_t host[256];
	const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
	const cl_image_desc deep = {
		.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 3, .image_depth = 2};
	const size_t all[3] = {4, 3, 1}, both[3] = {4, 3, 2}, half[3] = {2, 3, 1}, right[3] = {2, 0, 0},
		     middle[3] = {1, 0, 0};
	cl_int why;
	size_t row;
	cl_mem image = clCreateImage(t->context, 0, &bytes_2, &flat, NULL, &why), slices;
	OK(why);
	slices = clCreateImage(t->context, 0, &bytes_2, &deep, NULL, &why);
	OK(why);
#define READ(image, origin, region, row, slice)                                                                        \
	clEnqueueReadImage(t->queue, image, CL_TRUE, origin, region, row, slice, host, 0, NULL, NULL)
	OK(READ(image, zero, all, 8, 0));
	OK(READ(image, right, half, 0, 0));
	GIVES(CL_INVALID_VALUE, READ(image, middle, all, 0, 0));
	GIVES(CL_INVALID_VALUE, READ(image, ((size_t[3]){5, 0, 0}), half, 0, 0));
	GIVES(CL_INVALID_VALUE, READ(image, zero, all, 7, 0));
	GIVES(CL_INVALID_VALUE, READ(image, zero, all, 8, 24)); /* it has no slices */
	OK(READ(slices, zero, both, 8, 24));
	GIVES(CL_INVALID_VALUE, READ(slices, zero, both, 8, 23));
	OK(clEnqueueCopyImage(t->queue, image, image, zero, right, half, 0, NULL, NULL));
	OK(clEnqueueCopyImage(t->queue, image, image, right, zero, half, 0, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(t->queue, image, image, zero, middle, half, 0, NULL, NULL));
	CHECK(!clEnqueueMapImage(t->queue, slices, CL_TRUE, CL_MAP_READ, zero, both, &row, NULL, 0, NULL, NULL, &why) &&
		why == CL_INVALID_VALUE);
	OK(clReleaseMemObject(image));
	OK(clReleaseMemObject(slices));
}

static bool is_offered(const struct test *t, cl_mem_flags flags, cl_mem_object_type type, cl_channel_order order)
{
	cl_image_format formats[256];
	cl_uint count;
	OK(clGetSupportedImageFormats(t->context, flags, type, 256, formats, &count));
	for (cl_uint k = 0; k < count; k++)
		if (formats[k].image_channel_order == order)
			return true;
	return false;
}

static void formats(const struct test *t)
{
	cl_image_format list[3] = {{0, 0}, {0, 0}, {0, 0}};
	cl_uint count = 0;
	GIVES(CL_INVALID_VALUE,
		clGetSupportedImageFormats(t->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, list, NULL));
	OK(clGetSupportedImageFormats(t->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 2, list, &count));
	CHECK(count > 2 && list[1].image_channel_order && !list[2].image_channel_order);
	CHECK(is_offered(t, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_sRGBA));
	CHECK(!is_offered(t, 0, CL_MEM_OBJECT_IMAGE2D, CL_sRGBA)); /* 0 is CL_MEM_READ_WRITE */
	CHECK(!is_offered(t, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_sRGBA));
	CHECK(is_offered(t, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_DEPTH));
	CHECK(!is_offered(t, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE3D, CL_DEPTH));
	/* Valid, but of no image here; and not valid: a packed type has an order of its own. */
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 1};
	GIVES(CL_IMAGE_FORMAT_NOT_SUPPORTED, make(t, 0, &(cl_image_format){CL_Rx, CL_UNORM_INT8}, desc, NULL));
	GIVES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
		make(t, 0, &(cl_image_format){CL_Rx, CL_UNORM_SHORT_565}, desc, NULL));
}

static void sampler(const struct test *t)
{
	cl_int why;
	cl_addressing_mode mode = 0;
	cl_sampler sampler = clCreateSamplerWithProperties(t->context, NULL, &why);
	OK(why);
	OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL));
	CHECK(mode == CL_ADDRESS_CLAMP); /* where the list does not say it */
	OK(clReleaseSampler(sampler));
}

int main(void)
{
	struct test t = test_open();
	sizes(&t);
	pitches(&t);
	on_others(&t);
	regions(&t);
	wide(&t);
	formats(&t);
	sampler(&t);
	test_close(&t);
	return 0;
}
