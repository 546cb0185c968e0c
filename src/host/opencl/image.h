/* Images.  An image is a memory object (struct _cl_mem) with a struct image. */
#ifndef LOCKSTEP_HOST_OPENCL_IMAGE_H
#define LOCKSTEP_HOST_OPENCL_IMAGE_H

#include "host/opencl/objects.h"

/* The largest images: those that OpenCL 3.0's full profile asks for, but for buffers. */
enum image_limits {
	IMAGE_2D_MAX = 16384,
	IMAGE_3D_MAX = 2048,
	IMAGE_ARRAY_MAX = 2048,
	IMAGE_BUFFER_MAX = 1 << 27,
	IMAGE_READ_ARGUMENTS = 128,
	IMAGE_WRITE_ARGUMENTS = 64,
	IMAGE_SAMPLERS = 16,
};

struct image {
	cl_mem_object_type type;
	cl_image_format format;
	size_t texel;                        /* bytes */
	size_t width, height, depth, layers; /* 0 in directions that the type lacks, as clGetImageInfo has it */
	size_t row,
		/* bytes from row to row, and from slice to slice or layer to layer: on the device and in the
		   application's memory */
		slice;
	/* The same by the three directions in which regions count: of arrays the last is the layer. */
	size_t size[3], step[3];
	uint64_t handle; /* in kernels */
};

/* ---- image_format.c ---- */

/* What a channel format is to the simulator; false when there is no such format. */
bool image_format_read(const cl_image_format *format, struct lockstep_image *image);
/* Is the format a combination that the specification has, whether offered or not? */
bool image_format_valid(const cl_image_format *format);
/* May images of this type, with these flags, have it? */
bool image_format_offered(const cl_image_format *format, cl_mem_flags flags, cl_mem_object_type type);
/* Formats that a second image on the memory of a first may have instead of the first's. */
bool image_format_compatible(const cl_image_format *a, const cl_image_format *b);

/* ---- image.c ---- */

/* The type of image that a kernel's parameter of this name ("image2d_t") takes; 0: none. */
cl_mem_object_type image_type_named(const char *name);
/* An image of this queue's context?  CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT. */
cl_int image_check(cl_command_queue queue, cl_mem memory);
/* [origin, origin + region) within it?  CL_INVALID_VALUE. */
cl_int image_check_region(const struct image *image, const size_t *origin, const size_t *region);
/* Bytes from its first texel to this one. */
size_t image_offset(const struct image *image, const size_t origin[3]);

#endif
