/* Images and samplers as objects: making them, what they say of themselves, copies in all directions, mapping, kernel
 * arguments, and the errors of each call as the OpenCL API specification 3.0 lists them. PoCL 3.1: not run. */
#include "check.h"

#include <stdint.h>

enum { X = 6, Y = 5, Z = 4 };

static const struct shape {
	cl_mem_object_type type;
	size_t size[3];
} shapes[] = {
	{CL_MEM_OBJECT_IMAGE1D, {X, 1, 1}},
	{CL_MEM_OBJECT_IMAGE1D_ARRAY, {X, Y, 1}},
	{CL_MEM_OBJECT_IMAGE2D, {X, Y, 1}},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, {X, Y, Z}},
	{CL_MEM_OBJECT_IMAGE3D, {X, Y, Z}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const cl_image_format plain = {CL_RG, CL_UNSIGNED_INT8}; /* two bytes a texel */
static const size_t zero[3];

static bool is_array(cl_mem_object_type type)
{
	return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static cl_image_desc desc_of(const struct shape *s)
{
	bool is_1d = s->type == CL_MEM_OBJECT_IMAGE1D || s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	return (cl_image_desc){.image_type = s->type,
		.image_width = s->size[0],
		.image_height = is_1d ? 0 : s->size[1],
		.image_depth = s->type == CL_MEM_OBJECT_IMAGE3D ? s->size[2] : 0,
		.image_array_size = is_array(s->type) ? s->size[is_1d ? 1 : 2] : 0};
}

static cl_mem make(
	const struct test *t, const struct shape *s, cl_mem_flags flags, const cl_image_format *format, void *texels)
{
	const cl_image_desc desc = desc_of(s);
	cl_int why;
	cl_mem image = clCreateImage(t->context, flags, format, &desc, texels, &why);
	OK(why);
	return image;
}

static size_t size_info(cl_mem image, cl_image_info what)
{
	size_t value = 99;
	OK(clGetImageInfo(image, what, sizeof value, &value, NULL));
	return value;
}

static uint16_t texel_at(size_t x, size_t y, size_t z)
{
	return (uint16_t)(1 + x + 10 * y + 100 * z);
}

/* A whole image, rows and slices one behind another. */
static void make_texels(const struct shape *s, uint16_t *texels)
{
	for (size_t z = 0; z < s->size[2]; z++)
		for (size_t y = 0; y < s->size[1]; y++)
			for (size_t x = 0; x < s->size[0]; x++)
				*texels++ = texel_at(x, y, z);
}

static void infos(const struct test *t, const struct shape *s)
{
	const cl_image_desc desc = desc_of(s);
	cl_image_format format;
	cl_mem_object_type type;
	cl_mem buffer = (cl_mem)1;
	cl_uint levels = 9;
	cl_mem image = make(t, s, CL_MEM_READ_ONLY, &plain, NULL);
	OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
	CHECK(!memcmp(&format, &plain, sizeof format));
	OK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
	CHECK(type == s->type);
	CHECK(size_info(image, CL_IMAGE_ELEMENT_SIZE) == 2 && size_info(image, CL_IMAGE_ROW_PITCH) == 2 * X);
	CHECK(size_info(image, CL_IMAGE_WIDTH) == X && size_info(image, CL_IMAGE_HEIGHT) == desc.image_height);
	CHECK(size_info(image, CL_IMAGE_DEPTH) == desc.image_depth &&
		size_info(image, CL_IMAGE_ARRAY_SIZE) == desc.image_array_size);
	CHECK(size_info(image, CL_IMAGE_SLICE_PITCH) ==
		(desc.image_depth || desc.image_array_size ? 2 * X * (desc.image_height ? desc.image_height : 1) : 0));
	OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof buffer, &buffer, NULL));
	OK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
	CHECK(!buffer && !levels);
	GIVES(CL_INVALID_VALUE, clGetImageInfo(image, 0, sizeof levels, &levels, NULL));
	OK(clReleaseMemObject(image));
}

/* A part of every image, to and from memory with gaps behind rows and slices. */
static void host_copies(const struct test *t, const struct shape *s)
{
	enum { ROW = 40, SLICE = 5 * ROW };
	bool is_1d_array = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY, has_slices = is_array(s->type) || s->size[2] > 1;
	size_t origin[3], region[3], y_step = is_1d_array ? SLICE : ROW;
	uint16_t whole[X * Y * Z], back[X * Y * Z];
	static uint8_t host[SLICE * Y];
	for (int k = 0; k < 3; k++) {
		origin[k] = s->size[k] > 1 ? 1 : 0;
		region[k] = s->size[k] > 1 ? s->size[k] - 2 : 1;
	}
	make_texels(s, whole);
	cl_mem image = make(t, s, CL_MEM_COPY_HOST_PTR, &plain, whole);
	memset(host, 0xee, sizeof host);
	OK(clEnqueueReadImage(
		t->queue, image, CL_TRUE, origin, region, ROW, has_slices ? SLICE : 0, host, 0, NULL, NULL));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++) {
			uint8_t *row = host + y * y_step + z * SLICE;
			for (size_t x = 0; x < region[0]; x++) {
				uint16_t got, other = 7;
				memcpy(&got, row + 2 * x, 2);
				CHECK(got == texel_at(x + origin[0], y + origin[1], z + origin[2]));
				memcpy(row + 2 * x, &other, 2);
			}
			CHECK(row[2 * region[0]] == 0xee);
		}
	OK(clEnqueueWriteImage(
		t->queue, image, CL_FALSE, origin, region, ROW, has_slices ? SLICE : 0, host, 0, NULL, NULL));
	OK(clEnqueueReadImage(t->queue, image, CL_TRUE, zero, s->size, 0, 0, back, 0, NULL, NULL));
	for (size_t k = 0; k < s->size[0] * s->size[1] * s->size[2]; k++) {
		size_t at[3] = {k % X, k / X % s->size[1], k / X / s->size[1]};
		bool inside = true;
		for (int d = 0; d < 3; d++)
			inside &= at[d] >= origin[d] && at[d] < origin[d] + region[d];
		CHECK(back[k] == (inside ? 7 : whole[k]));
	}
	OK(clReleaseMemObject(image));
}

/* "The row pitch must be greater than or equal to the element size in bytes x width", the slice pitch to the row pitch
 * times the height, or of layers of one row to the row pitch; and it "must be 0 if image is a 1D or 2D image". */
static void host_pitches(const struct test *t, const struct shape *s)
{
	enum { ROW = 2 * X + 4, BYTES = 8 * ROW * Y };
	static uint8_t host[BYTES];
	bool has_slices = is_array(s->type) || s->size[2] > 1;
	size_t rows = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : s->size[1];
	cl_mem image = make(t, s, 0, &plain, NULL);
	const struct {
		size_t row, slice;
		bool good;
	} pitches[] = {{0, 0, true}, {2 * X - 1, 0, false}, {2 * X, 0, true}, {ROW, 0, true}, {1, 0, false},
		{ROW, ROW * rows - 1, false}, {ROW, 2 * X * rows, false}, {ROW, ROW * rows, has_slices},
		{ROW, ROW * rows + 1, has_slices}, {0, 2 * X * rows, has_slices}, {0, 2 * X * rows - 1, false}};
	for (size_t k = 0; k < sizeof pitches / sizeof *pitches; k++) {
		cl_int want = pitches[k].good ? CL_SUCCESS : CL_INVALID_VALUE;
		check_entry = (int)k;
		GIVES(want, clEnqueueWriteImage(t->queue, image, CL_TRUE, zero, s->size, pitches[k].row,
				    pitches[k].slice, host, 0, NULL, NULL));
		GIVES(want, clEnqueueReadImage(t->queue, image, CL_TRUE, zero, s->size, pitches[k].row,
				    pitches[k].slice, host, 0, NULL, NULL));
	}
	check_entry = 0;
	OK(clReleaseMemObject(image));
}

/* Each part of an image into another image, a buffer and back; and colours. */
static void device_copies(const struct test *t)
{
	const struct shape *deep = &shapes[4], *flat = &shapes[2];
	const size_t slice[3] = {1, 1, 2}, corner[3] = {2, 3, 0}, region[3] = {3, 2, 1}, twice[3] = {3, 2, 2};
	uint16_t whole[X * Y * Z], back[X * Y * Z], list[32] = {0};
	make_texels(deep, whole);
	cl_mem from = make(t, deep, CL_MEM_COPY_HOST_PTR, &plain, whole), to = make(t, flat, 0, &plain, NULL);
	cl_mem buffer = test_buffer(t, sizeof list, list);
	OK(clEnqueueFillImage(t->queue, to, list, zero, flat->size, 0, NULL, NULL));
	OK(clEnqueueCopyImage(t->queue, from, to, slice, corner, region, 0, NULL, NULL));
	OK(clEnqueueReadImage(t->queue, to, CL_TRUE, zero, flat->size, 0, 0, back, 0, NULL, NULL));
	for (size_t k = 0; k < X * Y; k++) {
		size_t x = k % X, y = k / X;
		CHECK(back[k] == (x >= 2 && x < 5 && y >= 3 ? texel_at(x - 1, y - 2, 2) : 0));
	}
	OK(clEnqueueCopyImageToBuffer(t->queue, from, buffer, slice, twice, 4, 0, NULL, NULL));
	test_read(t, buffer, sizeof list, list);
	for (size_t k = 0; k < 12; k++)
		CHECK(list[k + 2] == texel_at(1 + k % 3, 1 + k / 3 % 2, 2 + k / 6));
	CHECK(list[1] == 0 && list[14] == 0);
	OK(clEnqueueCopyBufferToImage(t->queue, buffer, to, 4, zero, region, 0, NULL, NULL));
	OK(clEnqueueReadImage(t->queue, to, CL_TRUE, zero, region, 0, 0, back, 0, NULL, NULL));
	CHECK(!memcmp(back, list + 2, 12));
	GIVES(CL_MEM_COPY_OVERLAP,
		clEnqueueCopyImage(t->queue, from, from, zero, (size_t[3]){2, 1, 0}, region, 0, NULL, NULL));
	OK(clEnqueueCopyImage(t->queue, from, from, zero, (size_t[3]){3, 1, 0}, region, 0, NULL, NULL));
	OK(clReleaseMemObject(to));
	to = make(t, flat, 0, &(cl_image_format){CL_RG, CL_SIGNED_INT8}, NULL);
	GIVES(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(t->queue, from, to, zero, zero, region, 0, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(t->queue, from, buffer, zero, zero, region, 0, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(t->queue, from, buffer, 0, 0, 4, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(t->queue, from, buffer, zero, region, 60, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueReadImage(t->queue, to, CL_TRUE, zero, twice, 0, 0, back, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueReadImage(t->queue, from, CL_TRUE, zero, twice, 5, 0, back, 0, NULL, NULL));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	OK(clReleaseMemObject(buffer));
}

static void fill(const struct test *t, cl_channel_order order, cl_channel_type type, const void *colour,
	const void *want, size_t bytes)
{
	const size_t origin[3] = {1, 2, 0}, region[3] = {3, 2, 1};
	uint8_t back[X * Y * 16], none[16] = {0};
	cl_mem image = make(t, &shapes[2], 0, &(cl_image_format){order, type}, NULL);
	OK(clEnqueueFillImage(t->queue, image, none, zero, shapes[2].size, 0, NULL, NULL));
	OK(clEnqueueFillImage(t->queue, image, colour, origin, region, 0, NULL, NULL));
	OK(clEnqueueReadImage(t->queue, image, CL_TRUE, zero, shapes[2].size, 0, 0, back, 0, NULL, NULL));
	for (size_t k = 0; k < X * Y; k++) {
		size_t x = k % X, y = k / X;
		CHECK(!memcmp(back + k * bytes, x >= 1 && x < 4 && y >= 2 && y < 4 ? want : none, bytes));
	}
	OK(clReleaseMemObject(image));
}

/* Colours become texels as those that a kernel writes. */
static void fills(const struct test *t)
{
	const float colour[4] = {0, 0.5f, 1, 2};
	fill(t, CL_RGBA, CL_FLOAT, colour, colour, 16);
	fill(t, CL_RGBA, CL_UNORM_INT8, colour, (const uint8_t[]){0, 128, 255, 255},
		4); /* 127.5 goes to the even one */
	fill(t, CL_BGRA, CL_UNORM_INT8, colour, (const uint8_t[]){255, 128, 0, 255}, 4);
	fill(t, CL_RG, CL_SNORM_INT16, (const float[4]){-1, 1}, (const int16_t[]){-32767, 32767}, 4);
	fill(t, CL_R, CL_HALF_FLOAT, (const float[4]){-2}, (const uint16_t[]){0xc000}, 2);
	fill(t, CL_RGBA, CL_SIGNED_INT8, (const int[4]){1, -2, 300, -300}, (const int8_t[]){1, -2, 127, -128}, 4);
	fill(t, CL_R, CL_UNSIGNED_INT32, (const uint32_t[4]){0xfedcba98}, (const uint32_t[]){0xfedcba98}, 4);
	fill(t, CL_DEPTH, CL_FLOAT, &colour[1], &colour[1], 4);
}

static void maps(const struct test *t, const struct shape *s)
{
	uint16_t whole[X * Y * Z];
	size_t origin[3], region[3], row = 1, slice = 1;
	bool has_slices = is_array(s->type) || s->size[2] > 1;
	cl_int why;
	for (int k = 0; k < 3; k++) {
		origin[k] = s->size[k] > 1 ? 1 : 0;
		region[k] = s->size[k] - origin[k];
	}
	make_texels(s, whole);
	cl_mem image = make(t, s, CL_MEM_COPY_HOST_PTR, &plain, whole);
	uint8_t *p = clEnqueueMapImage(t->queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row,
		&slice, 0, NULL, NULL, &why);
	OK(why);
	CHECK(row == 2 * X && slice == (has_slices ? size_info(image, CL_IMAGE_SLICE_PITCH) : 0));
	size_t y_step = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row;
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++) {
			uint16_t got, other = 9;
			memcpy(&got, p + y * y_step + z * slice + 2, 2);
			CHECK(got == texel_at(2, y + origin[1], z + origin[2]));
			memcpy(p + y * y_step + z * slice + 2, &other, 2);
		}
	OK(clEnqueueUnmapMemObject(t->queue, image, p, 0, NULL, NULL));
	OK(clEnqueueReadImage(t->queue, image, CL_TRUE, zero, s->size, 0, 0, whole, 0, NULL, NULL));
	for (size_t k = 0; k < s->size[0] * s->size[1] * s->size[2]; k++)
		CHECK((whole[k] == 9) ==
			(k % X == 2 && k / X % s->size[1] >= origin[1] && k / X / s->size[1] >= origin[2]));
	GIVES(CL_INVALID_VALUE, (clEnqueueMapImage(t->queue, image, CL_TRUE, CL_MAP_READ, origin, region, NULL, &slice,
					 0, NULL, NULL, &why),
					why));
	OK(clReleaseMemObject(image));
}

/* An image in the application's memory, with gaps behind its rows: it is there while it is mapped. */
static void own_memory(const struct test *t, cl_kernel invert)
{
	enum { ROW = 8 }; /* texels */
	static uint8_t memory[Y * ROW];
	const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
	cl_image_desc desc = desc_of(&shapes[2]);
	size_t row, global[2] = {X, Y};
	cl_int why;
	for (int k = 0; k < Y * ROW; k++)
		memory[k] = (uint8_t)k;
	desc.image_row_pitch = ROW;
	cl_mem image = clCreateImage(t->context, CL_MEM_USE_HOST_PTR, &format, &desc, memory, &why);
	OK(why);
	CHECK(size_info(image, CL_IMAGE_ROW_PITCH) == ROW);
	test_set(invert, 0, image);
	OK(clEnqueueNDRangeKernel(t->queue, invert, 2, NULL, global, NULL, 0, NULL, NULL));
	uint8_t *p = clEnqueueMapImage(
		t->queue, image, CL_TRUE, CL_MAP_READ, zero, shapes[2].size, &row, NULL, 0, NULL, NULL, &why);
	OK(why);
	CHECK(p == memory && row == ROW);
	for (int k = 0; k < Y * ROW; k++)
		CHECK(memory[k] == (k % ROW < X ? 255 - k : k));
	OK(clEnqueueUnmapMemObject(t->queue, image, p, 0, NULL, NULL));
	OK(clReleaseMemObject(image));
}

/* Images on a buffer's memory, and on another image's: what is written to one is in the other. */
static void on_others(const struct test *t, cl_kernel invert)
{
	enum { ROW = 10 };
	uint8_t bytes[Y * ROW];
	cl_image_desc desc = desc_of(&shapes[2]);
	size_t global[2] = {X, Y};
	cl_int why;
	cl_mem of = NULL;
	for (int k = 0; k < Y * ROW; k++)
		bytes[k] = (uint8_t)k;
	cl_mem buffer = test_buffer(t, sizeof bytes, bytes);
	desc.mem_object = buffer;
	desc.image_row_pitch = ROW;
	cl_mem image = clCreateImage(t->context, 0, &(cl_image_format){CL_R, CL_UNSIGNED_INT8}, &desc, NULL, &why);
	OK(why);
	OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof of, &of, NULL));
	CHECK(of == buffer);
	test_set(invert, 0, image);
	OK(clEnqueueNDRangeKernel(t->queue, invert, 2, NULL, global, NULL, 0, NULL, NULL));
	test_read(t, buffer, sizeof bytes, bytes);
	for (int k = 0; k < Y * ROW; k++)
		CHECK(bytes[k] == (k % ROW < X ? 255 - k : k));
	OK(clReleaseMemObject(image));
	desc.image_height = Y + 1;
	CHECK(!clCreateImage(t->context, 0, &(cl_image_format){CL_R, CL_UNSIGNED_INT8}, &desc, NULL, &why));
	CHECK(why == CL_INVALID_IMAGE_DESCRIPTOR);
	OK(clReleaseMemObject(buffer));
	cl_mem linear = make(t, &shapes[2], CL_MEM_READ_ONLY, &(cl_image_format){CL_RGBA, CL_UNORM_INT8}, NULL);
	desc = desc_of(&shapes[2]);
	desc.mem_object = linear;
	cl_mem curved = clCreateImage(
		t->context, CL_MEM_READ_ONLY, &(cl_image_format){CL_sRGBA, CL_UNORM_INT8}, &desc, NULL, &why);
	OK(why);
	OK(clEnqueueFillImage(t->queue, linear, (const float[4]){1, 0, 1, 0}, zero, shapes[2].size, 0, NULL, NULL));
	uint8_t texel[4];
	OK(clEnqueueReadImage(t->queue, curved, CL_TRUE, zero, (size_t[3]){1, 1, 1}, 0, 0, texel, 0, NULL, NULL));
	CHECK(texel[0] == 255 && texel[1] == 0 && texel[2] == 255);
	OK(clReleaseMemObject(linear));
	OK(clReleaseMemObject(curved));
}

static void create_gives(const struct test *t, cl_int want, cl_mem_flags flags, const cl_image_format *format,
	const cl_image_desc *desc, void *host)
{
	cl_int why = 1;
	CHECK(!clCreateImage(t->context, flags, format, desc, host, &why));
	GIVES(want, why);
}

static void create_works(const struct test *t, const cl_image_desc *desc, void *host)
{
	cl_int why;
	cl_mem image = clCreateImage(t->context, host ? CL_MEM_COPY_HOST_PTR : 0, &plain, desc, host, &why);
	OK(why);
	OK(clReleaseMemObject(image));
}

/* The largest and one more in each direction, as the device's information has them. */
static void create_sizes(const struct test *t)
{
	static const struct {
		cl_mem_object_type type;
		size_t most[3];
	} list[] = {
		{CL_MEM_OBJECT_IMAGE1D, {16384, 0, 0}},
		{CL_MEM_OBJECT_IMAGE1D_ARRAY, {16384, 2048, 0}},
		{CL_MEM_OBJECT_IMAGE2D, {16384, 16384, 0}},
		{CL_MEM_OBJECT_IMAGE2D_ARRAY, {16384, 16384, 2048}},
		{CL_MEM_OBJECT_IMAGE3D, {2048, 2048, 2048}},
	};
	for (size_t k = 0; k < sizeof list / sizeof *list; k++)
		for (int d = 0; d < 3 && list[k].most[d]; d++) {
			struct shape s = {list[k].type, {1, 1, 1}};
			s.size[d] = list[k].most[d];
			cl_image_desc desc = desc_of(&s);
			create_works(t, &desc, NULL);
			s.size[d]++;
			desc = desc_of(&s);
			create_gives(t, CL_INVALID_IMAGE_SIZE, 0, &plain, &desc, NULL);
			s.size[d] = 0;
			desc = desc_of(&s);
			create_gives(t, CL_INVALID_IMAGE_SIZE, 0, &plain, &desc, NULL);
		}
}

/* Pitches: at least a row and a slice, of whole texels and of whole rows (OpenCL 3.0, "Image Descriptor"). */
static void create_pitches(const struct test *t)
{
	static uint8_t memory[4096];
	cl_image_desc deep = desc_of(&shapes[4]), desc = deep;
	cl_int why;
	for (size_t row = 2 * X - 1; row <= 2 * X + 2; row++) {
		desc.image_row_pitch = row;
		if (row >= 2 * X && row % 2 == 0)
			create_works(t, &desc, memory);
		else
			create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &plain, &desc, memory);
	}
	desc.image_row_pitch = 2 * X + 2;
	for (size_t slice = desc.image_row_pitch * (Y - 1); slice <= desc.image_row_pitch * (Y + 1); slice += 2) {
		desc.image_slice_pitch = slice;
		if (slice >= desc.image_row_pitch * Y && slice % desc.image_row_pitch == 0)
			create_works(t, &desc, memory);
		else
			create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &plain, &desc, memory);
	}
	desc = deep, desc.image_slice_pitch = 2 * X * Y;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &plain, &desc, NULL); /* without memory */
	cl_mem image = clCreateImage3D(
		t->context, CL_MEM_COPY_HOST_PTR, &plain, X, Y, Z, 2 * X + 2, (2 * X + 2) * (Y + 1), memory, &why);
	OK(why);
	CHECK(size_info(image, CL_IMAGE_ROW_PITCH) == 2 * X + 2);
	CHECK(size_info(image, CL_IMAGE_SLICE_PITCH) == (2 * X + 2) * (Y + 1));
	OK(clReleaseMemObject(image));
	/* These calls have no descriptor that could be wrong. */
	CHECK(!clCreateImage3D(t->context, CL_MEM_COPY_HOST_PTR, &plain, X, Y, Z, 2, 0, memory, &why));
	CHECK(why == CL_INVALID_IMAGE_SIZE);
	CHECK(!clCreateImage2D(t->context, CL_MEM_COPY_HOST_PTR, &plain, X, Y, 2, memory, &why));
	CHECK(why == CL_INVALID_IMAGE_SIZE);
	desc = deep, desc.num_mip_levels = 1;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &plain, &desc, NULL);
	desc = deep, desc.num_samples = 1;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &plain, &desc, NULL);
}

/* Of the last row on a buffer only the texels need memory; an image on another has its size, its layout and, unless
 * others are asked for, its flags. */
static void create_on_others(const struct test *t)
{
	enum { ROW = 16 };
	static uint8_t memory[2 * ROW * Y];
	cl_image_desc desc = desc_of(&shapes[2]);
	cl_mem_flags flags;
	cl_int why;
	desc.image_row_pitch = ROW;
	for (size_t less = 0; less < 2; less++) {
		cl_mem buffer = clCreateBuffer(t->context, CL_MEM_READ_ONLY, ROW * (Y - 1) + 2 * X - less, NULL, &why);
		OK(why);
		desc.mem_object = buffer;
		cl_mem image = clCreateImage(t->context, 0, &plain, &desc, NULL, &why);
		GIVES(less ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS, why);
		if (image) {
			OK(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
			CHECK(flags == CL_MEM_READ_ONLY);
			OK(clReleaseMemObject(image));
		}
		OK(clReleaseMemObject(buffer));
	}
	const cl_image_format linear = {CL_RGBA, CL_UNORM_INT8}, curved = {CL_sRGBA, CL_UNORM_INT8};
	for (int k = 0; k < 2 * ROW * Y; k++)
		memory[k] = (uint8_t)k;
	desc.mem_object = NULL;
	desc.image_row_pitch = 2 * ROW;
	cl_mem of = clCreateImage(t->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &linear, &desc, memory, &why);
	OK(why);
	cl_mem image, parent = (cl_mem)1;
	desc = desc_of(&shapes[2]);
	desc.mem_object = of;
	image = clCreateImage(t->context, 0, &curved, &desc, NULL, &why);
	OK(why);
	CHECK(size_info(image, CL_IMAGE_ROW_PITCH) == 2 * ROW);
	OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof parent, &parent, NULL));
	CHECK(!parent); /* an image is no buffer */
	uint8_t texel[4];
	OK(clEnqueueReadImage(
		t->queue, image, CL_TRUE, (size_t[3]){3, 2, 0}, (size_t[3]){1, 1, 1}, 0, 0, texel, 0, NULL, NULL));
	CHECK(!memcmp(texel, memory + 2 * 2 * ROW + 3 * 4, 4));
	OK(clReleaseMemObject(image));
	create_gives(t, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &plain, &desc, NULL);
	desc.image_width = X - 1;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &curved, &desc, NULL);
	desc.image_width = X, desc.image_height = Y - 1;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &curved, &desc, NULL);
	OK(clReleaseMemObject(of));
}

/* Regions end within the image, whatever overflows; pitches of memory are at least a row and a slice, which only images
 * with slices have. */
static void region_errors(const struct test *t)
{
	static uint8_t host[4096];
	const size_t all[3] = {X, Y, Z}, flat[3] = {X, Y, 1}, one[3] = {1, 1, 1};
	cl_mem deep = make(t, &shapes[4], 0, &plain, NULL), plane = make(t, &shapes[2], 0, &plain, NULL);
	for (int k = 0; k < 3; k++) {
		size_t origin[3] = {0}, region[3] = {1, 1, 1};
		origin[k] = all[k];
		GIVES(CL_INVALID_VALUE,
			clEnqueueReadImage(t->queue, deep, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
		origin[k] = all[k] + 1;
		region[k] = SIZE_MAX;
		GIVES(CL_INVALID_VALUE,
			clEnqueueReadImage(t->queue, deep, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
		origin[k] = 1;
		GIVES(CL_INVALID_VALUE,
			clEnqueueReadImage(t->queue, deep, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
		region[k] = 0;
		GIVES(CL_INVALID_VALUE,
			clEnqueueReadImage(t->queue, deep, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
	}
	OK(clEnqueueReadImage(t->queue, deep, CL_TRUE, zero, all, 2 * X, 2 * X * Y, host, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadImage(t->queue, deep, CL_TRUE, zero, all, 2 * X - 1, 0, host, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadImage(t->queue, deep, CL_TRUE, zero, all, 2 * X, 2 * X * Y - 1, host, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadImage(t->queue, plane, CL_TRUE, zero, flat, 2 * X, 2 * X * Y, host, 0, NULL, NULL));
	/* Without a slice pitch slices follow each other in rows of the pitch that is given. */
	uint8_t texels[2 * X * Y * Z];
	for (size_t k = 0; k < sizeof texels; k++)
		texels[k] = (uint8_t)(7 * k + 1);
	OK(clEnqueueWriteImage(t->queue, deep, CL_TRUE, zero, all, 0, 0, texels, 0, NULL, NULL));
	OK(clEnqueueReadImage(t->queue, deep, CL_TRUE, zero, all, 2 * X + 6, 0, host, 0, NULL, NULL));
	for (size_t row = 0; row < Y * Z; row++)
		CHECK(!memcmp(host + row * (2 * X + 6), texels + row * 2 * X, 2 * X));
	/* Neighbours are no overlap. */
	for (int k = 0; k < 2; k++) {
		size_t beside[3] = {0};
		beside[k] = 1;
		OK(clEnqueueCopyImage(t->queue, plane, plane, zero, beside, one, 0, NULL, NULL));
		OK(clEnqueueCopyImage(t->queue, plane, plane, beside, zero, one, 0, NULL, NULL));
		GIVES(CL_MEM_COPY_OVERLAP,
			clEnqueueCopyImage(t->queue, plane, plane, zero, beside, (size_t[3]){2, 2, 1}, 0, NULL, NULL));
	}
	OK(clReleaseMemObject(deep));
	OK(clReleaseMemObject(plane));
}

static void create_errors(const struct test *t)
{
	static uint8_t memory[1024];
	cl_image_desc good = desc_of(&shapes[2]), bad = good;
	cl_int why;
	create_gives(t, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, NULL, &good, NULL);
	create_gives(t, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &(cl_image_format){CL_BGRA, CL_FLOAT}, &good, NULL);
	create_gives(t, CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, &(cl_image_format){CL_RGB, CL_UNORM_SHORT_565}, &good, NULL);
	create_gives(t, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_WRITE_ONLY, &(cl_image_format){CL_sRGBA, CL_UNORM_INT8},
		&good, NULL);
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &plain, NULL, NULL);
	create_gives(t, CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &plain, &good, NULL);
	create_gives(t, CL_INVALID_HOST_PTR, 0, &plain, &good, memory);
	create_gives(t, CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, &plain, &good, NULL);
	bad.image_width = 16385;
	create_gives(t, CL_INVALID_IMAGE_SIZE, 0, &plain, &bad, NULL);
	bad = good, bad.image_row_pitch = 2 * X;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &plain, &bad, NULL); /* a pitch without memory */
	bad.image_row_pitch = 2 * X - 2;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &plain, &bad, memory);
	bad = good, bad.image_type = CL_MEM_OBJECT_BUFFER;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &plain, &bad, NULL);
	bad.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
	create_gives(t, CL_INVALID_IMAGE_DESCRIPTOR, 0, &plain, &bad, NULL); /* without a buffer */
	CHECK(!clCreateImage2D(t->context, 0, &plain, 0, 3, 0, NULL, &why) && why == CL_INVALID_IMAGE_SIZE);
	cl_mem image = clCreateImage3D(t->context, 0, &plain, 3, 4, 5, 0, 0, NULL, &why);
	OK(why);
	CHECK(size_info(image, CL_IMAGE_DEPTH) == 5);
	GIVES(CL_INVALID_MEM_OBJECT,
		(clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &why), why));
	OK(clReleaseMemObject(image));
}

static void samplers(const struct test *t)
{
	const cl_sampler_properties properties[] = {
		CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_NONE, 0};
	const cl_sampler_properties twice[] = {
		CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, 0};
	cl_sampler_properties back[8];
	cl_addressing_mode mode;
	cl_filter_mode filter;
	cl_bool is_normalized;
	cl_uint references;
	size_t bytes;
	cl_int why;
	cl_sampler sampler = clCreateSamplerWithProperties(t->context, properties, &why);
	OK(why);
	OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL));
	OK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL));
	OK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof is_normalized, &is_normalized, NULL));
	OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof back, back, &bytes));
	CHECK(mode == CL_ADDRESS_NONE && filter == CL_FILTER_NEAREST && !is_normalized);
	CHECK(bytes == sizeof properties && !memcmp(back, properties, bytes));
	OK(clRetainSampler(sampler));
	OK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof references, &references, NULL));
	CHECK(references == 2);
	OK(clReleaseSampler(sampler));
	OK(clReleaseSampler(sampler));
	CHECK(!clCreateSamplerWithProperties(t->context, twice, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateSampler(t->context, CL_TRUE, 0, CL_FILTER_NEAREST, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &why) && why == CL_INVALID_CONTEXT);
	GIVES(CL_INVALID_SAMPLER, clRetainSampler(NULL));
}

/* The defaults: "CL_TRUE", "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST"; each property leaves the others alone. */
static void sampler_defaults(const struct test *t)
{
	static const cl_sampler_properties lists[][3] = {{0}, {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE},
		{CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT}, {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR}};
	for (int k = -1; k < 4; k++) { /* -1: no list */
		cl_addressing_mode mode;
		cl_filter_mode filter;
		cl_bool is_normalized;
		size_t bytes;
		cl_int why;
		cl_sampler sampler = clCreateSamplerWithProperties(t->context, k < 0 ? NULL : lists[k], &why);
		check_entry = k;
		OK(why);
		OK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof is_normalized, &is_normalized, NULL));
		OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL));
		OK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL));
		OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &bytes));
		CHECK(is_normalized == (k == 1 ? CL_FALSE : CL_TRUE));
		CHECK(mode == (k == 2 ? CL_ADDRESS_REPEAT : CL_ADDRESS_CLAMP));
		CHECK(filter == (k == 3 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST));
		CHECK(bytes == sizeof **lists * (k < 0 ? 0 : k == 0 ? 1 : 3));
		OK(clReleaseSampler(sampler));
	}
	check_entry = 0;
}

static void arguments(const struct test *t, cl_program program)
{
	cl_int why;
	cl_kernel kernel = clCreateKernel(program, "takes", &why);
	OK(why);
	cl_mem in = make(t, &shapes[2], CL_MEM_READ_ONLY, &plain, NULL),
	       out = make(t, &shapes[4], CL_MEM_WRITE_ONLY, &plain, NULL);
	cl_mem buffer = test_buffer(t, 64, NULL);
	cl_sampler sampler = clCreateSampler(t->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &why);
	cl_kernel_arg_access_qualifier access;
	char type[32];
	OK(why);
	OK(clSetKernelArg(kernel, 0, sizeof in, &in));
	OK(clSetKernelArg(kernel, 1, sizeof out, &out));
	OK(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
	OK(clSetKernelArg(kernel, 3, sizeof buffer, &buffer));
	GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &in));
	GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof in, NULL));
	GIVES(CL_INVALID_ARG_VALUE,
		clSetKernelArg(kernel, 0, sizeof out, &out)); /* of three dimensions, and not to be read */
	GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof in, &in));
	GIVES(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof in, &in));
	GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 4, &sampler));
	GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 3, sizeof in, &in));
	OK(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
	OK(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
	CHECK(access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY && !strcmp(type, "image3d_t"));
	OK(clReleaseMemObject(in));
	OK(clReleaseMemObject(out));
	OK(clReleaseMemObject(buffer));
	OK(clReleaseSampler(sampler));
	OK(clReleaseKernel(kernel));
}

/* OpenCL API 3.0, "Device Queries": the least of the full profile. */
static void limits(const struct test *t)
{
	static const struct {
		cl_device_info name;
		uint64_t least;
		size_t bytes;
	} list[] = {
		{CL_DEVICE_IMAGE_SUPPORT, CL_TRUE, 4},
		{CL_DEVICE_MAX_READ_IMAGE_ARGS, 128, 4},
		{CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64, 4},
		{CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64, 4},
		{CL_DEVICE_MAX_SAMPLERS, 16, 4},
		{CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384, 8},
		{CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384, 8},
		{CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048, 8},
		{CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048, 8},
		{CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048, 8},
		{CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536, 8},
		{CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048, 8},
		{CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1, 4},
		{CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1, 4},
	};
	for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
		uint64_t value = 0;
		size_t bytes;
		OK(clGetDeviceInfo(t->device, list[k].name, sizeof value, &value, &bytes));
		CHECK(bytes == list[k].bytes && value >= list[k].least);
	}
}

static const char source[] =
	"kernel void invert(read_write image2d_t i) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imageui(i, c, (uint4)(255) - read_imageui(i, c));\n"
	"}\n"
	"kernel void takes(read_only image2d_t i, write_only image3d_t o, sampler_t s, global float *p) {\n"
	"	write_imageui(o, (int4)(0), read_imageui(i, s, (int2)(0)) + (uint4)(*p));\n"
	"}\n";

int main(void)
{
	struct test t = test_open();
	cl_program program = test_build(&t, source, "-cl-std=CL3.0");
	cl_int why;
	cl_kernel invert = clCreateKernel(program, "invert", &why);
	OK(why);
	limits(&t);
	for (int k = 0; k < SHAPES; k++) {
		infos(&t, &shapes[k]);
		host_copies(&t, &shapes[k]);
		host_pitches(&t, &shapes[k]);
		maps(&t, &shapes[k]);
	}
	device_copies(&t);
	fills(&t);
	own_memory(&t, invert);
	on_others(&t, invert);
	create_errors(&t);
	create_sizes(&t);
	create_pitches(&t);
	create_on_others(&t);
	region_errors(&t);
	samplers(&t);
	sampler_defaults(&t);
	arguments(&t, program);
	OK(clReleaseKernel(invert));
	OK(clReleaseProgram(program));
	test_close(&t);
}
