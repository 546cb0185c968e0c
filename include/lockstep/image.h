/* Images: what textures and surfaces of a kernel stand for.  lockstep_image_create (lockstep.h) makes one of this description.
 *
 * Texels lie in global memory, row by row: texel (x, y, z) of a level is at
 *     address + z * slice_bytes + y * row_bytes + x * channels * channel_bits / 8
 * where z is a slice of a three-dimensional image, a layer, or a face of a cube (six to a cube, +x -x +y -y +z -z).
 * Words and rules are those of the CUDA C++ programming guide, "Texture Fetching", and of the PTX ISA, "Texture Instructions". */
#ifndef LOCKSTEP_IMAGE_H
#define LOCKSTEP_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define LOCKSTEP_IMAGE_LEVELS 16

enum lockstep_image_use { LOCKSTEP_TEXTURE, LOCKSTEP_SURFACE };
enum lockstep_channel { LOCKSTEP_CHANNEL_UNSIGNED, LOCKSTEP_CHANNEL_SIGNED, LOCKSTEP_CHANNEL_FLOAT };
/* What a coordinate outside means; the values are CUDA's. */
enum lockstep_addressing { LOCKSTEP_ADDRESS_WRAP, LOCKSTEP_ADDRESS_CLAMP, LOCKSTEP_ADDRESS_MIRROR, LOCKSTEP_ADDRESS_BORDER };

struct lockstep_image_level {
	uint64_t address;
	uint32_t width, height, depth;    /* texels; depth: slices, layers or faces; 1 in directions that the image lacks */
	uint64_t row_bytes, slice_bytes;
};

struct lockstep_image {
	enum lockstep_image_use use;
	uint8_t dimensions;               /* 1 2 3; of a cube 2 */
	bool layered, cube;               /* one- and two-dimensional layers; cubes, which may be layered too */
	bool buffer;                      /* one-dimensional memory: read by whole numbers, and zero outside */
	enum lockstep_channel channel;
	uint8_t channel_bits, channels;   /* 8 16 32; 1 2 4 */
	uint32_t level_count;             /* at least 1; the first is the largest */
	struct lockstep_image_level level[LOCKSTEP_IMAGE_LEVELS];

	/* Textures only */
	enum lockstep_addressing addressing[3]; /* wrap and mirror need normalized coordinates, and clamp without */
	bool linear;                      /* filtering between texels, else the nearest: of what is read as floating point */
	bool normalized;                  /* coordinates from 0 to 1 */
	bool normalized_float;            /* integers of 8 and 16 bits are read as 0 to 1 or -1 to 1 */
	bool srgb;                        /* with normalized_float of 8-bit unsigned: the first three channels are sRGB */
	bool linear_levels;               /* filtering between levels, else the nearest */
	float level_bias, level_min, level_max;
	float border[4];
};

#endif
