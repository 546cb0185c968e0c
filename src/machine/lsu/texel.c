/* Orders of channels, and conversions between channels and what kernels read and write. */
#include "machine/lsu/texel.h"

#include "warp/lanes/half.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* By order: where red, green, blue and alpha are read from. */
static const uint8_t sources[][4] = {
	[LOCKSTEP_ORDER_RGBA] = {0, 1, 2, 3},
	[LOCKSTEP_ORDER_BGRA] = {2, 1, 0, 3},
	[LOCKSTEP_ORDER_ARGB] = {1, 2, 3, 0},
	[LOCKSTEP_ORDER_ABGR] = {3, 2, 1, 0},
	[LOCKSTEP_ORDER_A] = {TEXEL_ZERO, TEXEL_ZERO, TEXEL_ZERO, 0},
	[LOCKSTEP_ORDER_RA] = {0, TEXEL_ZERO, TEXEL_ZERO, 1},
	[LOCKSTEP_ORDER_INTENSITY] = {0, 0, 0, 0},
	[LOCKSTEP_ORDER_LUMINANCE] = {0, 0, 0, TEXEL_ONE},
	[LOCKSTEP_ORDER_DEPTH] = {0, TEXEL_ZERO, TEXEL_ZERO, TEXEL_ONE},
};

uint32_t texel_source(const struct lockstep_image *image, uint32_t component)
{
	uint32_t source = sources[image->order][component];

	assert(component < 4);
	return source >= TEXEL_ZERO || source < image->channels ? source : component < 3 ? TEXEL_ZERO : TEXEL_ONE;
}

/* --- Reading --- */

/* sRGB to linear (IEC 61966-2-1). */
static double linear_of(double c)
{
	assert(c >= 0 && c <= 1);
	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

uint32_t texel_channel_bits(const struct lockstep_image *image, const uint8_t *texel, uint32_t channel)
{
	uint32_t bytes = image->channel_bits / 8u, value = 0, shift = 32 - image->channel_bits;

	assert(channel < image->channels);
	memcpy(&value, texel + channel * bytes, bytes);
	if (image->channel == LOCKSTEP_CHANNEL_SIGNED && shift)
		value = (uint32_t)((int32_t)(value << shift) >> shift);
	return value;
}

/* The largest integer of a channel, which is read as 1. */
static uint32_t unit_of(const struct lockstep_image *image)
{
	assert(image->channel_bits - (image->channel == LOCKSTEP_CHANNEL_SIGNED) < 32);
	return (1u << (image->channel_bits - (image->channel == LOCKSTEP_CHANNEL_SIGNED))) - 1;
}

static bool is_srgb(const struct lockstep_image *image, uint32_t channel)
{
	assert(channel < image->channels);
	return image->srgb && image->channel_bits == 8 && image->channel == LOCKSTEP_CHANNEL_UNSIGNED &&
	       texel_source(image, 3) != channel;
}

double texel_channel_value(const struct lockstep_image *image, const uint8_t *texel, uint32_t channel)
{
	uint32_t bits = texel_channel_bits(image, texel, channel);
	double value;

	if (image->channel == LOCKSTEP_CHANNEL_FLOAT)
		return image->channel_bits == 32 ? float_of(bits) : half_to_float(bits);
	if (image->channel == LOCKSTEP_CHANNEL_SIGNED) {
		value = (int32_t)bits / (double)unit_of(image);
		return value < -1 ? -1 : value;
	}
	value = bits / (double)unit_of(image);
	return is_srgb(image, channel) ? linear_of(value) : value;
}

/* --- Writing --- */

/* Linear to sRGB. */
static double curved(double c)
{
	assert(c >= 0 && c <= 1);
	return c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

/* The nearest integer, ties to even, within the ends; not a number: 0.  The product is a float's, as OpenCL C has
 * it. */
static uint32_t normalized_bits(const struct lockstep_image *image, uint32_t channel, float value)
{
	double unit = unit_of(image), scaled, least = image->channel == LOCKSTEP_CHANNEL_SIGNED ? -unit - 1 : 0;

	assert(image->normalized_float && channel < image->channels);
	if (is_srgb(image, channel))
		value = value > 0 ? (float)curved(value < 1 ? value : 1) : 0;
	scaled = rint((double)(value * (float)unit));
	return isnan(scaled) ? 0 : (uint32_t)(int32_t)(scaled < least ? least : scaled > unit ? unit : scaled);
}

/* The nearest that fits. */
static uint32_t saturated(const struct lockstep_image *image, uint32_t bits)
{
	uint32_t most = image->channel_bits == 32 ? UINT32_MAX : (1u << image->channel_bits) - 1;
	int32_t value = (int32_t)bits, limit = (int32_t)(most >> 1);

	assert(image->channel != LOCKSTEP_CHANNEL_FLOAT);
	if (image->channel == LOCKSTEP_CHANNEL_UNSIGNED)
		return bits < most ? bits : most;
	return (uint32_t)(value > limit ? limit : value < -limit - 1 ? -limit - 1 : value);
}

static uint32_t channel_of(const struct lockstep_image *image, uint32_t channel, uint32_t component)
{
	assert(channel < image->channels);
	if (image->channel == LOCKSTEP_CHANNEL_FLOAT)
		return image->channel_bits == 32 ? component : float_to_half(float_of(component));
	return image->normalized_float ? normalized_bits(image, channel, float_of(component))
				       : saturated(image, component);
}

void texel_write(const struct lockstep_image *image, const uint32_t component[4], uint8_t texel[TEXEL_BYTES])
{
	uint32_t bytes = image->channel_bits / 8u;

	assert(bytes * image->channels <= TEXEL_BYTES);
	for (uint32_t k = 4; k-- > 0;) { /* where several are read from one channel, the first is what is written */
		uint32_t channel = texel_source(image, k), bits;

		if (channel >= TEXEL_ZERO)
			continue;
		bits = channel_of(image, channel, component[k]);
		memcpy(texel + channel * bytes, &bits, bytes);
	}
}
