/* Formats of images: which there are, and what they are to the simulator. */
#include "host/opencl/image.h"

#include "host/opencl/memory.h"

/* How a channel's bits are read and written. */
struct channel_type {
	cl_channel_type type;
	enum lockstep_channel channel;
	uint8_t bits;
	bool normalized;
};
static const struct channel_type types[] = {
	{CL_SNORM_INT8, LOCKSTEP_CHANNEL_SIGNED, 8, true},
	{CL_SNORM_INT16, LOCKSTEP_CHANNEL_SIGNED, 16, true},
	{CL_UNORM_INT8, LOCKSTEP_CHANNEL_UNSIGNED, 8, true},
	{CL_UNORM_INT16, LOCKSTEP_CHANNEL_UNSIGNED, 16, true},
	{CL_SIGNED_INT8, LOCKSTEP_CHANNEL_SIGNED, 8, false},
	{CL_SIGNED_INT16, LOCKSTEP_CHANNEL_SIGNED, 16, false},
	{CL_SIGNED_INT32, LOCKSTEP_CHANNEL_SIGNED, 32, false},
	{CL_UNSIGNED_INT8, LOCKSTEP_CHANNEL_UNSIGNED, 8, false},
	{CL_UNSIGNED_INT16, LOCKSTEP_CHANNEL_UNSIGNED, 16, false},
	{CL_UNSIGNED_INT32, LOCKSTEP_CHANNEL_UNSIGNED, 32, false},
	{CL_HALF_FLOAT, LOCKSTEP_CHANNEL_FLOAT, 16, false},
	{CL_FLOAT, LOCKSTEP_CHANNEL_FLOAT, 32, false},
};
#define TYPES (sizeof types / sizeof *types)

/* Sets of types: bit k is types[k]. */
enum {
	ALL_TYPES = (1 << TYPES) - 1,
	BYTE_TYPES = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 7,
	GREY_TYPES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 10 | 1 << 11,
	DEPTH_TYPES = 1 << 3 | 1 << 11,
	SRGB_TYPES = 1 << 2,
};

/* An order of channels, and the types that the specification's table "Image channel data types" lets it have. */
struct channel_order {
	cl_channel_order order;
	enum lockstep_order is;
	uint8_t channels;
	bool srgb;
	uint32_t types;
};
static const struct channel_order orders[] = {
	{CL_R, LOCKSTEP_ORDER_RGBA, 1, false, ALL_TYPES},
	{CL_RG, LOCKSTEP_ORDER_RGBA, 2, false, ALL_TYPES},
	{CL_RGBA, LOCKSTEP_ORDER_RGBA, 4, false, ALL_TYPES},
	{CL_A, LOCKSTEP_ORDER_A, 1, false, ALL_TYPES},
	{CL_RA, LOCKSTEP_ORDER_RA, 2, false, ALL_TYPES},
	{CL_BGRA, LOCKSTEP_ORDER_BGRA, 4, false, BYTE_TYPES},
	{CL_ARGB, LOCKSTEP_ORDER_ARGB, 4, false, BYTE_TYPES},
	{CL_ABGR, LOCKSTEP_ORDER_ABGR, 4, false, BYTE_TYPES},
	{CL_INTENSITY, LOCKSTEP_ORDER_INTENSITY, 1, false, GREY_TYPES},
	{CL_LUMINANCE, LOCKSTEP_ORDER_LUMINANCE, 1, false, GREY_TYPES},
	{CL_DEPTH, LOCKSTEP_ORDER_DEPTH, 1, false, DEPTH_TYPES},
	{CL_sRGBA, LOCKSTEP_ORDER_RGBA, 4, true, SRGB_TYPES},
	{CL_sBGRA, LOCKSTEP_ORDER_BGRA, 4, true, SRGB_TYPES},
};
#define ORDERS (sizeof orders / sizeof *orders)

static const struct channel_order *find_order(const cl_image_format *format)
{
	for (size_t k = 0; k < ORDERS; k++)
		if (orders[k].order == format->image_channel_order)
			return &orders[k];
	return NULL;
}

static const struct channel_type *find_type(const cl_image_format *format, const struct channel_order *order)
{
	for (size_t k = 0; k < TYPES; k++)
		if (types[k].type == format->image_channel_data_type)
			return order->types >> k & 1 ? &types[k] : NULL;
	return NULL;
}

bool image_format_read(const cl_image_format *format, struct lockstep_image *image)
{
	const struct channel_order *order = find_order(format);
	const struct channel_type *type = order ? find_type(format, order) : NULL;
	if (!type)
		return false;
	image->channel = type->channel;
	image->channel_bits = type->bits;
	image->normalized_float = type->normalized;
	image->channels = order->channels;
	image->order = order->is;
	image->srgb = order->srgb;
	return true;
}

/* Formats that are valid, and that no image here has: packed ones, and orders whose last channel means nothing. */
static const struct {
	cl_channel_order order;
	cl_channel_type type; /* 0: of the types above those of `like` */
	cl_channel_order like;
} absent[] = {
	{CL_RGB, CL_UNORM_SHORT_565, 0},
	{CL_RGB, CL_UNORM_SHORT_555, 0},
	{CL_RGB, CL_UNORM_INT_101010, 0},
	{CL_RGBx, CL_UNORM_SHORT_565, 0},
	{CL_RGBx, CL_UNORM_SHORT_555, 0},
	{CL_RGBx, CL_UNORM_INT_101010, 0},
	{CL_RGBA, CL_UNORM_INT_101010_2, 0},
	{CL_sRGB, CL_UNORM_INT8, 0},
	{CL_sRGBx, CL_UNORM_INT8, 0},
	{CL_Rx, 0, CL_R},
	{CL_RGx, 0, CL_RG},
};

bool image_format_valid(const cl_image_format *format)
{
	struct lockstep_image image;
	if (image_format_read(format, &image))
		return true;
	for (size_t k = 0; k < sizeof absent / sizeof *absent; k++) {
		cl_image_format like = {absent[k].like, format->image_channel_data_type};
		if (format->image_channel_order != absent[k].order)
			continue;
		if (absent[k].type == format->image_channel_data_type ||
			(!absent[k].type && image_format_read(&like, &image)))
			return true;
	}
	return false;
}

bool image_format_offered(const cl_image_format *format, cl_mem_flags flags, cl_mem_object_type type)
{
	struct lockstep_image image;
	bool writes = flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE | CL_MEM_KERNEL_READ_AND_WRITE);
	if (!image_format_read(format, &image))
		return false;
	if (image.order == LOCKSTEP_ORDER_DEPTH && type != CL_MEM_OBJECT_IMAGE2D && type != CL_MEM_OBJECT_IMAGE2D_ARRAY)
		return false;
	return !image.srgb || (!writes && type != CL_MEM_OBJECT_IMAGE1D_BUFFER); /* no cl_khr_srgb_image_writes */
}

bool image_format_compatible(const cl_image_format *a, const cl_image_format *b)
{
	static const cl_channel_order pairs[][2] = {{CL_RGBA, CL_sRGBA}, {CL_BGRA, CL_sBGRA}, {CL_R, CL_DEPTH}};
	cl_channel_order from = a->image_channel_order, to = b->image_channel_order;
	bool fits = false;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
		fits |= (from == pairs[k][0] && to == pairs[k][1]) || (from == pairs[k][1] && to == pairs[k][0]);
	return fits && a->image_channel_data_type == b->image_channel_data_type;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
	cl_mem_object_type type, cl_uint num_entries, cl_image_format *image_formats, cl_uint *num_image_formats)
{
	cl_uint count = 0;
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (!num_entries && image_formats))
		return CL_INVALID_VALUE;
	if (memory_check_flags(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE))
		return CL_INVALID_VALUE;
	if (!(flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE | CL_MEM_KERNEL_READ_AND_WRITE)))
		flags |= CL_MEM_READ_WRITE;
	for (size_t k = 0; k < ORDERS; k++)
		for (size_t t = 0; t < TYPES; t++) {
			cl_image_format format = {orders[k].order, types[t].type};
			if (!image_format_offered(&format, flags, type))
				continue;
			if (image_formats && count < num_entries)
				image_formats[count] = format;
			count++;
		}
	if (num_image_formats)
		*num_image_formats = count;
	return CL_SUCCESS;
}
