/* Images: what textures and surfaces of a kernel stand for.  lockstep_image_create (lockstep.h) makes one of this
 * description.
 *
 * Texels lie in global memory, row by row: texel (x, y, z) of a level is at
 *     address + z * slice_bytes + y * row_bytes + x * channels * channel_bits / 8
 * where z is a slice of a three-dimensional image, a layer, or a face of a cube (six to a cube, +x -x +y -y +z -z).
 * Words and rules are those of the CUDA C++ programming guide, "Texture Fetching", and of the PTX ISA, "Texture
 * Instructions". */
#ifndef LOCKSTEP_IMAGE_H
#define LOCKSTEP_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define LOCKSTEP_IMAGE_LEVELS 16

enum lockstep_image_use { LOCKSTEP_TEXTURE, LOCKSTEP_SURFACE, LOCKSTEP_TEXTURE_AND_SURFACE };
enum lockstep_channel { LOCKSTEP_CHANNEL_UNSIGNED, LOCKSTEP_CHANNEL_SIGNED, LOCKSTEP_CHANNEL_FLOAT };
/* What the channels are, as OpenCL names them: where each of red, green, blue and alpha lies, and what is read of one
 * that is not there. RGBA means R and RG as well, by the number of channels. */
enum lockstep_order {
	LOCKSTEP_ORDER_RGBA,
	LOCKSTEP_ORDER_BGRA,
	LOCKSTEP_ORDER_ARGB,
	LOCKSTEP_ORDER_ABGR,
	LOCKSTEP_ORDER_A,
	LOCKSTEP_ORDER_RA,
	LOCKSTEP_ORDER_INTENSITY,
	LOCKSTEP_ORDER_LUMINANCE,
	LOCKSTEP_ORDER_DEPTH
};
/* What a coordinate outside means; the values are CUDA's. */
enum lockstep_addressing {
	LOCKSTEP_ADDRESS_WRAP,
	LOCKSTEP_ADDRESS_CLAMP,
	LOCKSTEP_ADDRESS_MIRROR,
	LOCKSTEP_ADDRESS_BORDER
};

struct lockstep_image_level {
	uint64_t address;
	/* texels; depth: slices, layers or faces; 1 in directions that the image lacks */
	uint32_t width, height, depth;
	uint64_t row_bytes, slice_bytes;
};

struct lockstep_image {
	enum lockstep_image_use use;
	uint8_t dimensions; /* 1 2 3; of a cube 2 */
	bool layered, cube; /* one- and two-dimensional layers; cubes, which may be layered too */
	bool buffer;        /* one-dimensional memory: read by whole numbers, and zero outside */
	enum lockstep_channel channel;
	uint8_t channel_bits, channels; /* 8 16 32; 1 2 4 */
	enum lockstep_order order;
	uint32_t level_count; /* at least 1; the first is the largest */
	struct lockstep_image_level level[LOCKSTEP_IMAGE_LEVELS];

	bool normalized_float; /* integers of 8 and 16 bits are read as 0 to 1 or -1 to 1, and written so by sust.p */
	bool srgb;             /* with normalized_float of 8-bit unsigned: all channels but alpha are sRGB */

	/* Textures only.  Where the instruction has a sampler, that says the first three. */
	enum lockstep_addressing addressing[3]; /* wrap and mirror need normalized coordinates, and clamp without */
	/* filtering between texels, else the nearest: of what is read as floating point */
	bool linear;
	bool normalized;    /* coordinates from 0 to 1 */
	bool linear_levels; /* filtering between levels, else the nearest */
	float level_bias, level_min, level_max;
	float border[4];
};

/* Samplers, which tex of modules with .target texmode_independent takes apart from the image.  A sampler's handle is
 * all of its state: one value of each group, added.  The numbers are those of sampler constants that compilers of
 * OpenCL C make. */
enum lockstep_sampler {
	LOCKSTEP_SAMPLER_NORMALIZED = 1, /* coordinates from 0 to 1 */
	LOCKSTEP_SAMPLER_NONE = 0 << 1,  /* coordinates are inside; outside is the border */
	LOCKSTEP_SAMPLER_CLAMP = 1 << 1,
	LOCKSTEP_SAMPLER_BORDER = 2 << 1,
	LOCKSTEP_SAMPLER_WRAP = 3 << 1,
	LOCKSTEP_SAMPLER_MIRROR = 4 << 1,
	LOCKSTEP_SAMPLER_NEAREST = 1 << 4,
	LOCKSTEP_SAMPLER_LINEAR = 2 << 4,
};

#endif
