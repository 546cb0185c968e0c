/* Images in kernels: every format read and written, queries, images that a kernel reads and writes, images on buffers.
 * What is expected comes from the OpenCL C specification 3.0, "Conversion Rules" and "Mapping Image Channels to Color
 * Values"; a write of a value between two representable ones is to the nearest, even at the middle. PoCL 3.1: not run;
 * its CPU device has fewer formats. */
#include "check.h"

#include <math.h>
#include <stdint.h>

enum { WIDTH = 7, HEIGHT = 5, TEXELS = WIDTH * HEIGHT };

static const char source[] =
	"kernel void read_f(read_only image2d_t i, global float4 *out) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	out[c.y * get_image_width(i) + c.x] = read_imagef(i, c);\n"
	"}\n"
	"kernel void read_i(read_only image2d_t i, global int4 *out) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	out[c.y * get_image_width(i) + c.x] = read_imagei(i, c);\n"
	"}\n"
	"kernel void read_u(read_only image2d_t i, global uint4 *out) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	out[c.y * get_image_width(i) + c.x] = read_imageui(i, c);\n"
	"}\n"
	"kernel void read_d(read_only image2d_depth_t i, global float4 *out) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	out[c.y * get_image_width(i) + c.x] = (float4)(read_imagef(i, c), 0, 0, 1);\n"
	"}\n"
	"kernel void write_f(write_only image2d_t i, global const float4 *in) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imagef(i, c, in[c.y * get_image_width(i) + c.x]);\n"
	"}\n"
	"kernel void write_i(write_only image2d_t i, global const int4 *in) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imagei(i, c, in[c.y * get_image_width(i) + c.x]);\n"
	"}\n"
	"kernel void write_u(write_only image2d_t i, global const uint4 *in) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imageui(i, c, in[c.y * get_image_width(i) + c.x]);\n"
	"}\n"
	"kernel void write_d(write_only image2d_depth_t i, global const float4 *in) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imagef(i, c, in[c.y * get_image_width(i) + c.x].x);\n"
	"}\n"
	"kernel void ask(read_only image1d_t a, read_only image1d_array_t b, write_only image2d_t c, read_only "
	"image2d_array_t d,\n"
	"	read_only image3d_t e, read_only image1d_buffer_t f, read_write image2d_t g, global int *out) {\n"
	"	out[0] = get_image_width(a);\n"
	"	out[1] = get_image_width(b), out[2] = get_image_array_size(b);\n"
	"	out[3] = get_image_width(c), out[4] = get_image_height(c);\n"
	"	int2 two = get_image_dim(d);\n"
	"	out[5] = two.x, out[6] = two.y, out[7] = get_image_array_size(d), out[8] = get_image_height(d);\n"
	"	int4 four = get_image_dim(e);\n"
	"	out[9] = four.x, out[10] = four.y, out[11] = four.z, out[12] = four.w, out[13] = get_image_depth(e);\n"
	"	out[14] = get_image_width(f);\n"
	"	out[15] = get_image_channel_data_type(a) == CLK_UNORM_INT8 && get_image_channel_order(a) == CLK_BGRA;\n"
	"	out[16] = get_image_channel_data_type(f) == CLK_SIGNED_INT16 && get_image_channel_order(f) == CLK_RG;\n"
	"	out[17] = get_image_channel_data_type(g) == CLK_FLOAT && get_image_channel_order(g) == CLK_R;\n"
	"}\n"
	"kernel void add(read_write image2d_t i) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imageui(i, c, read_imageui(i, c) + (uint4)(1, 2, 3, 4));\n"
	"	atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
	"	write_imageui(i, c, read_imageui(i, c) * 2);\n"
	"}\n"
	"kernel void buffer(read_only image1d_buffer_t i, write_only image1d_buffer_t o) {\n"
	"	int x = get_global_id(0);\n"
	"	write_imagei(o, x, read_imagei(i, get_image_width(i) - 1 - x));\n"
	"}\n"
	"kernel void others(write_only image1d_t a, write_only image1d_array_t b, write_only image2d_array_t c, "
	"write_only image3d_t d) {\n"
	"	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"	if (!y && !z) write_imageui(a, x, (uint4)(x));\n"
	"	if (!z) write_imageui(b, (int2)(x, y), (uint4)(10 * y + x));\n"
	"	write_imageui(c, (int4)(x, y, z, 0), (uint4)(100 * z + 10 * y + x));\n"
	"	write_imageui(d, (int4)(x, y, z, 0), (uint4)(1000 + 100 * z + 10 * y + x));\n"
	"}\n";

/* ---- Formats ---- */

/* For each order, the components red, green, blue and alpha: the channel of each, z for 0, o for 1. */
static const struct {
	cl_channel_order order;
	const char *components;
	int channels;
} orders[] = {
	{CL_R, "0zzo", 1},
	{CL_RG, "01zo", 2},
	{CL_RGBA, "0123", 4},
	{CL_A, "zzz0", 1},
	{CL_RA, "0zz1", 2},
	{CL_BGRA, "2103", 4},
	{CL_ARGB, "1230", 4},
	{CL_ABGR, "3210", 4},
	{CL_INTENSITY, "0000", 1},
	{CL_LUMINANCE, "000o", 1},
	{CL_DEPTH, "0zzo", 1},
	{CL_sRGBA, "0123", 4},
	{CL_sBGRA, "2103", 4},
};

struct format {
	const char *components;
	int channels, bytes;
	char kind; /* f, i, u as the functions' names; d for depth */
	bool is_srgb;
	cl_channel_type type;
};

static struct format format_of(const cl_image_format *f)
{
	struct format format = {.type = f->image_channel_data_type, .kind = 'f'};
	for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
		if (orders[k].order == f->image_channel_order) {
			format.components = orders[k].components;
			format.channels = orders[k].channels;
		}
	CHECK(format.components);
	format.is_srgb = f->image_channel_order == CL_sRGBA || f->image_channel_order == CL_sBGRA;
	switch (f->image_channel_data_type) {
	case CL_SNORM_INT8:
	case CL_UNORM_INT8: format.bytes = 1; break;
	case CL_SNORM_INT16:
	case CL_UNORM_INT16:
	case CL_HALF_FLOAT: format.bytes = 2; break;
	case CL_FLOAT: format.bytes = 4; break;
	case CL_SIGNED_INT8: format.bytes = 1, format.kind = 'i'; break;
	case CL_SIGNED_INT16: format.bytes = 2, format.kind = 'i'; break;
	case CL_SIGNED_INT32: format.bytes = 4, format.kind = 'i'; break;
	case CL_UNSIGNED_INT8: format.bytes = 1, format.kind = 'u'; break;
	case CL_UNSIGNED_INT16: format.bytes = 2, format.kind = 'u'; break;
	case CL_UNSIGNED_INT32: format.bytes = 4, format.kind = 'u'; break;
	default: break;
	}
	CHECK(format.bytes);
	if (f->image_channel_order == CL_DEPTH)
		format.kind = 'd';
	return format;
}

static double half_value(unsigned int half)
{
	int exponent = half >> 10 & 31;
	double value = exponent ? ldexp(1024 + (half & 1023), exponent - 25) : ldexp(half & 1023, -24);
	return half >> 15 ? -value : value;
}

/* One channel of a texel as a component: a float's value, or an integer. */
static double channel_value(const struct format *f, const unsigned char *texel, int channel)
{
	unsigned char bytes[4] = {0};
	uint32_t u;
	float single;
	memcpy(bytes, texel + channel * f->bytes, (size_t)f->bytes);
	memcpy(&u, bytes, 4);
	memcpy(&single, bytes, 4);
	switch (f->type) {
	case CL_UNORM_INT8: {
		double c = u / 255.0;
		return !f->is_srgb || channel == 3 ? c : c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
	}
	case CL_UNORM_INT16: return u / 65535.0;
	case CL_SNORM_INT8: return fmax((int8_t)u / 127.0, -1);
	case CL_SNORM_INT16: return fmax((int16_t)u / 32767.0, -1);
	case CL_SIGNED_INT8: return (int8_t)u;
	case CL_SIGNED_INT16: return (int16_t)u;
	case CL_SIGNED_INT32: return (int32_t)u;
	case CL_HALF_FLOAT: return half_value(u);
	case CL_FLOAT: return single;
	default: return u;
	}
}

static uint32_t state = 12345;

static uint32_t draw(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

/* Texels of any bits, but for infinities and what is not a number. */
static void fill_texels(const struct format *f, unsigned char *texels)
{
	for (int k = 0; k < TEXELS * f->channels; k++) {
		float single = (float)((int)(draw() % 20001) - 10000) / 64;
		uint32_t bits = draw() ^ draw() << 16;
		if (f->type == CL_HALF_FLOAT)
			bits &= 0xbbff;
		memcpy(texels + k * f->bytes, f->type == CL_FLOAT ? (void *)&single : (void *)&bits, (size_t)f->bytes);
	}
}

static cl_mem image_2d(const struct test *t, cl_mem_flags flags, const cl_image_format *format, void *texels)
{
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
	cl_int why;
	cl_mem image =
		clCreateImage(t->context, flags | (texels ? CL_MEM_COPY_HOST_PTR : 0u), format, &shape, texels, &why);
	OK(why);
	return image;
}

static void launch_2d(const struct test *t, cl_kernel kernel, cl_mem first, cl_mem second)
{
	const size_t global[2] = {WIDTH, HEIGHT};
	test_set(kernel, 0, first);
	if (second)
		test_set(kernel, 1, second);
	OK(clEnqueueNDRangeKernel(t->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
}

static cl_kernel kernel_for(cl_program program, const char *what, char kind)
{
	char name[16];
	cl_int why;
	snprintf(name, sizeof name, "%s_%c", what, kind);
	cl_kernel kernel = clCreateKernel(program, name, &why);
	OK(why);
	return kernel;
}

static void reads(const struct test *t, cl_program program, const cl_image_format *format)
{
	struct format f = format_of(format);
	unsigned char texels[TEXELS * 16];
	float got[TEXELS * 4];
	cl_kernel kernel = kernel_for(program, "read", f.kind);
	fill_texels(&f, texels);
	cl_mem image = image_2d(t, CL_MEM_READ_ONLY, format, texels), out = test_buffer(t, sizeof got, NULL);
	launch_2d(t, kernel, image, out);
	test_read(t, out, sizeof got, got);
	for (int k = 0; k < TEXELS; k++)
		for (int c = 0; c < 4; c++) {
			char component = f.components[c];
			double want = component == 'z' ? 0
				      : component == 'o'
					      ? 1
					      : channel_value(&f, texels + k * f.channels * f.bytes, component - '0');
			uint32_t integer;
			memcpy(&integer, &got[4 * k + c], 4);
			double value = f.kind == 'i'   ? (double)(int32_t)integer
				       : f.kind == 'u' ? (double)integer
						       : (double)got[4 * k + c];
			if (fabs(value - want) > fabs(want) * 0x1.8p-23) { /* 1.5 units in the last place */
				fprintf(stderr, "format 0x%x 0x%x, texel %d, component %d: %.9g, not %.9g\n",
					format->image_channel_order, format->image_channel_data_type, k, c, value,
					want);
				exit(1);
			}
		}
	OK(clReleaseMemObject(image));
	OK(clReleaseMemObject(out));
	OK(clReleaseKernel(kernel));
}

/* The bits of a channel for a component as it is given to write_image. */
static uint32_t channel_bits(const struct format *f, float value, int32_t integer)
{
	float most = f->type == CL_UNORM_INT8    ? 255
		     : f->type == CL_UNORM_INT16 ? 65535
		     : f->type == CL_SNORM_INT8  ? 127
						 : 32767;
	uint32_t bits = (uint32_t)integer;
	switch (f->type) {
	case CL_UNORM_INT8:
	case CL_UNORM_INT16: return (uint32_t)rintf(fminf(fmaxf(value * most, 0), most));
	case CL_SNORM_INT8:
	case CL_SNORM_INT16: return (uint32_t)(int32_t)rintf(fminf(fmaxf(value * most, -most - 1), most));
	case CL_SIGNED_INT8: return (uint32_t)(integer < -128 ? -128 : integer > 127 ? 127 : integer);
	case CL_SIGNED_INT16: return (uint32_t)(integer < -32768 ? -32768 : integer > 32767 ? 32767 : integer);
	case CL_UNSIGNED_INT8: return bits > 255 ? 255 : bits;
	case CL_UNSIGNED_INT16: return bits > 65535 ? 65535 : bits;
	case CL_FLOAT: memcpy(&bits, &value, 4); return bits;
	case CL_HALF_FLOAT: /* those that are drawn are all exact */
		for (bits = 0; half_value(bits) != (double)value; bits++)
			CHECK(bits < 0xfbff);
		return bits;
	default: return bits;
	}
}

static void writes(const struct test *t, cl_program program, const cl_image_format *format)
{
	struct format f = format_of(format);
	unsigned char texels[TEXELS * 16], *texel = texels;
	float values[TEXELS * 4];
	int32_t integers[TEXELS * 4];
	const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
	for (int k = 0; k < TEXELS * 4; k++) {
		values[k] = (float)((int)(draw() % 769) - 256) / 256; /* from -1 to 2 */
		integers[k] = (int32_t)(draw() ^ draw() << 16) >> draw() % 32;
	}
	bool is_integer = f.kind == 'i' || f.kind == 'u';
	cl_kernel kernel = kernel_for(program, "write", f.kind);
	cl_mem image = image_2d(t, CL_MEM_WRITE_ONLY, format, NULL);
	cl_mem in = test_buffer(t, sizeof values, is_integer ? (void *)integers : (void *)values);
	launch_2d(t, kernel, image, in);
	OK(clEnqueueReadImage(t->queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
	for (int k = 0; k < TEXELS; k++, texel += f.channels * f.bytes)
		for (int channel = 0; channel < f.channels; channel++) {
			int c = (int)(strchr(f.components, '0' + channel) - f.components);
			uint32_t want = channel_bits(&f, values[4 * k + c], integers[4 * k + c]), got = 0;
			memcpy(&got, texel + channel * f.bytes, (size_t)f.bytes);
			want &= (uint32_t)(0xffffffffull >> (32 - 8 * f.bytes));
			if (got != want) {
				fprintf(stderr, "format 0x%x 0x%x, texel %d, channel %d: 0x%x, not 0x%x for %g or %d\n",
					format->image_channel_order, format->image_channel_data_type, k, channel, got,
					want, values[4 * k + c], integers[4 * k + c]);
				exit(1);
			}
		}
	OK(clReleaseMemObject(image));
	OK(clReleaseMemObject(in));
	OK(clReleaseKernel(kernel));
}

static void formats(const struct test *t, cl_program program)
{
	static cl_image_format list[256];
	cl_uint count;
	OK(clGetSupportedImageFormats(t->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, list, &count));
	for (cl_uint k = 0; k < count; k++)
		reads(t, program, &list[k]);
	OK(clGetSupportedImageFormats(t->context, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, list, &count));
	for (cl_uint k = 0; k < count; k++)
		writes(t, program, &list[k]);
}

/* OpenCL API 3.0, "Minimum List of Supported Image Formats", for kernels that read or write, and for those that do
 * both. */
static void required_formats(const struct test *t)
{
	static const cl_channel_order three[] = {CL_R, CL_RG, CL_RGBA};
	static const cl_channel_type types[] = {CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16,
		CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
		CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT};
	static const cl_mem_flags uses[] = {
		CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_MEM_KERNEL_READ_AND_WRITE};
	static cl_image_format list[256];
	for (cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D; type <= CL_MEM_OBJECT_IMAGE1D_BUFFER; type++)
		for (int use = 0; use < 4; use++) {
			cl_uint count;
			int found = 0, bgra = 0, srgb = 0;
			OK(clGetSupportedImageFormats(t->context, uses[use], type, 256, list, &count));
			for (cl_uint k = 0; k < count; k++) {
				for (int o = 0; o < 3; o++)
					for (int c = 0; c < 12; c++)
						found += list[k].image_channel_order == three[o] &&
							 list[k].image_channel_data_type == types[c];
				bgra += list[k].image_channel_order == CL_BGRA &&
					list[k].image_channel_data_type == CL_UNORM_INT8;
				srgb += list[k].image_channel_order == CL_sRGBA &&
					list[k].image_channel_data_type == CL_UNORM_INT8;
			}
			CHECK(found == 36 && bgra == 1);
			CHECK(srgb == 1 || uses[use] != CL_MEM_READ_ONLY || type == CL_MEM_OBJECT_IMAGE1D_BUFFER);
		}
}

/* ---- Types ---- */

static cl_mem make(const struct test *t, cl_mem_object_type type, cl_channel_order order, cl_channel_type channel,
	size_t width, size_t height, size_t depth, size_t layers, cl_mem buffer)
{
	const cl_image_format format = {order, channel};
	const cl_image_desc shape = {.image_type = type,
		.image_width = width,
		.image_height = height,
		.image_depth = depth,
		.image_array_size = layers,
		.mem_object = buffer};
	cl_int why;
	cl_mem image = clCreateImage(t->context, 0, &format, &shape, NULL, &why);
	OK(why);
	return image;
}

static void queries(const struct test *t, cl_program program)
{
	static const int want[18] = {9, 8, 3, 7, 6, 5, 4, 11, 4, 3, 2, 6, 0, 6, 10, 1, 1, 1};
	cl_mem memory = test_buffer(t, 40, NULL), out = test_buffer(t, sizeof want, NULL);
	cl_mem images[7] = {
		make(t, CL_MEM_OBJECT_IMAGE1D, CL_BGRA, CL_UNORM_INT8, 9, 0, 0, 0, NULL),
		make(t, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_R, CL_FLOAT, 8, 0, 0, 3, NULL),
		make(t, CL_MEM_OBJECT_IMAGE2D, CL_R, CL_FLOAT, 7, 6, 0, 0, NULL),
		make(t, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_R, CL_FLOAT, 5, 4, 0, 11, NULL),
		make(t, CL_MEM_OBJECT_IMAGE3D, CL_R, CL_FLOAT, 3, 2, 6, 0, NULL),
		make(t, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_RG, CL_SIGNED_INT16, 10, 0, 0, 0, memory),
		make(t, CL_MEM_OBJECT_IMAGE2D, CL_R, CL_FLOAT, 3, 3, 0, 0, NULL),
	};
	int got[18];
	cl_int why;
	cl_kernel kernel = clCreateKernel(program, "ask", &why);
	OK(why);
	for (cl_uint k = 0; k < 7; k++)
		test_set(kernel, k, images[k]);
	test_set(kernel, 7, out);
	test_launch(t, kernel, 1, 1);
	test_read(t, out, sizeof got, got);
	for (int k = 0; k < 18; k++)
		CHECK(got[k] == want[k]);
	for (int k = 0; k < 7; k++)
		OK(clReleaseMemObject(images[k]));
	OK(clReleaseMemObject(memory));
	OK(clReleaseMemObject(out));
	OK(clReleaseKernel(kernel));
}

/* What a kernel has written it reads, behind a fence. */
static void reads_and_writes(const struct test *t, cl_program program)
{
	static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT16};
	const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
	uint16_t texels[TEXELS * 4], got[TEXELS * 4];
	cl_int why;
	cl_kernel kernel = clCreateKernel(program, "add", &why);
	OK(why);
	for (int k = 0; k < TEXELS * 4; k++)
		texels[k] = (uint16_t)(3 * k);
	cl_mem image = image_2d(t, CL_MEM_READ_WRITE, &format, texels);
	launch_2d(t, kernel, image, NULL);
	OK(clEnqueueReadImage(t->queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
	for (int k = 0; k < TEXELS * 4; k++)
		CHECK(got[k] == (texels[k] + k % 4 + 1) * 2);
	OK(clReleaseMemObject(image));
	OK(clReleaseKernel(kernel));
}

static void on_buffers(const struct test *t, cl_program program)
{
	int16_t texels[40], got[40];
	for (int k = 0; k < 40; k++)
		texels[k] = (int16_t)(-100 * k);
	cl_int why;
	cl_mem from = test_buffer(t, sizeof texels, texels), to = test_buffer(t, sizeof got, NULL);
	cl_mem in = make(t, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_RG, CL_SIGNED_INT16, 20, 0, 0, 0, from);
	cl_mem out = make(t, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_RG, CL_SIGNED_INT16, 20, 0, 0, 0, to);
	cl_kernel kernel = clCreateKernel(program, "buffer", &why);
	OK(why);
	test_set(kernel, 0, in);
	test_set(kernel, 1, out);
	test_launch(t, kernel, 20, 0);
	test_read(t, to, sizeof got, got);
	for (int k = 0; k < 40; k++)
		CHECK(got[k] == texels[2 * (19 - k / 2) + k % 2]);
	OK(clReleaseMemObject(in));
	OK(clReleaseMemObject(out));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	OK(clReleaseKernel(kernel));
}

static void writes_of_all_types(const struct test *t, cl_program program)
{
	enum { X = 5, Y = 4, Z = 3 };
	const size_t global[3] = {X, Y, Z}, origin[3] = {0};
	const size_t regions[4][3] = {{X, 1, 1}, {X, Y, 1}, {X, Y, Z}, {X, Y, Z}};
	cl_mem images[4] = {
		make(t, CL_MEM_OBJECT_IMAGE1D, CL_R, CL_UNSIGNED_INT32, X, 0, 0, 0, NULL),
		make(t, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_R, CL_UNSIGNED_INT32, X, 0, 0, Y, NULL),
		make(t, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_R, CL_UNSIGNED_INT32, X, Y, 0, Z, NULL),
		make(t, CL_MEM_OBJECT_IMAGE3D, CL_R, CL_UNSIGNED_INT32, X, Y, Z, 0, NULL),
	};
	cl_int why;
	cl_kernel kernel = clCreateKernel(program, "others", &why);
	OK(why);
	for (cl_uint k = 0; k < 4; k++)
		test_set(kernel, k, images[k]);
	OK(clEnqueueNDRangeKernel(t->queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL));
	for (int k = 0; k < 4; k++) {
		uint32_t got[X * Y * Z];
		OK(clEnqueueReadImage(t->queue, images[k], CL_TRUE, origin, regions[k], 0, 0, got, 0, NULL, NULL));
		for (uint32_t at = 0; at < regions[k][0] * regions[k][1] * regions[k][2]; at++)
			CHECK(got[at] == (k == 3 ? 1000 : 0) + at / (X * Y) * 100 + at / X % Y * 10 + at % X);
		OK(clReleaseMemObject(images[k]));
	}
	OK(clReleaseKernel(kernel));
}

int main(void)
{
	struct test t = test_open();
	cl_program program = test_build(&t, source, "-cl-std=CL3.0");
	required_formats(&t);
	formats(&t, program);
	queries(&t, program);
	reads_and_writes(&t, program);
	on_buffers(&t, program);
	writes_of_all_types(&t, program);
	OK(clReleaseProgram(program));
	test_close(&t);
}
