/* Texels: what their bytes mean, when they are read and written.  The rules are those of the OpenCL C specification,
 * "Conversion Rules", which CUDA's textures also follow. */
#ifndef LOCKSTEP_MACHINE_LSU_TEXEL_H
#define LOCKSTEP_MACHINE_LSU_TEXEL_H

#include "memory/image.h"

#define TEXEL_BYTES 16 /* of the largest */

/* Red, green, blue and alpha are components 0 to 3; channels are numbered as they lie in memory. */
enum texel_source { TEXEL_CHANNEL_0, TEXEL_ZERO = 4, TEXEL_ONE };
/* The channel that a component is read from, or TEXEL_ZERO or TEXEL_ONE. */
uint32_t texel_source(const struct lockstep_image *image, uint32_t component);

/* Is it read and written as floating point? */
static inline bool texel_is_float(const struct lockstep_image *image)
{
	return image->channel == LOCKSTEP_CHANNEL_FLOAT || image->normalized_float;
}

/* A channel as an integer of 32 bits, or a float's bits. */
uint32_t texel_channel_bits(const struct lockstep_image *image, const uint8_t *texel, uint32_t channel);
/* A channel as floating point. */
double texel_channel_value(const struct lockstep_image *image, const uint8_t *texel, uint32_t channel);
/* The bytes of a texel from four components, each a float's bits or an integer as the image's channels want them. */
void texel_write(const struct lockstep_image *image, const uint32_t component[4], uint8_t texel[TEXEL_BYTES]);

#endif
