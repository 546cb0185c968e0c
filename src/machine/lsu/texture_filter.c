/* Texture fetches: texels to the values of results. */
#include "machine/lsu/texture_fetch.h"

#include "warp/lanes/half.h"
#include "warp/memory.h"

#include <assert.h>
#include <string.h>

static uint32_t single_bits(double value)
{
	return bits_of((float)value);
}

/* --- One lane --- */

static void copy_texel(struct texture_fetch *fetch, uint32_t lane, uint32_t row, uint8_t texel[TEXEL_BYTES])
{
	assert(fetch->row[row].inside >> lane & 1);
	assert(fetch->words <= TEXEL_WORDS);
	for (uint32_t k = 0; k < fetch->words; k++)
		memcpy(texel + k * sizeof(uint32_t), &fetch_word(fetch, row, k)[lane], sizeof(uint32_t));
}

static double border_value(const struct lockstep_image *image, uint32_t component)
{
	assert(component < 4);
	return image->buffer ? 0 : (double)image->border[component];
}

static double texel_value(
	struct texture_fetch *fetch, uint32_t lane, uint32_t row, uint32_t component, uint32_t channel)
{
	const struct lockstep_image *image = fetch_image(fetch, lane);
	uint8_t texel[TEXEL_BYTES];

	assert(row < fetch->row_count);
	if (!(fetch->row[row].inside >> lane & 1))
		return border_value(image, component);
	copy_texel(fetch, lane, row, texel);
	return texel_channel_value(image, texel, channel);
}

static uint32_t integer_border(const struct lockstep_image *image, uint32_t component)
{
	float value = image->buffer ? 0 : image->border[component];

	assert(component < 4);
	assert(image->channel != LOCKSTEP_CHANNEL_FLOAT);
	if (image->channel == LOCKSTEP_CHANNEL_SIGNED)
		return value >= 2147483647.0f    ? INT32_MAX
		       : value <= -2147483648.0f ? (uint32_t)INT32_MIN
						 : (uint32_t)(int32_t)value;
	return value >= 4294967295.0f ? UINT32_MAX : value <= 0 ? 0 : (uint32_t)value;
}

static uint32_t constant_of(const struct lockstep_image *image, uint32_t channel)
{
	assert(channel == TEXEL_ZERO || channel == TEXEL_ONE);
	if (channel == TEXEL_ZERO)
		return 0;
	return texel_is_float(image) ? single_bits(1) : 1;
}

static uint32_t single_texel(struct texture_fetch *fetch, uint32_t lane, uint32_t row, uint32_t component)
{
	const struct lockstep_image *image = fetch_image(fetch, lane);
	uint32_t channel = texel_source(image, component);
	uint8_t texel[TEXEL_BYTES];

	assert(row < fetch->row_count);
	if (channel >= TEXEL_ZERO)
		return constant_of(image, channel);
	if (texel_is_float(image))
		return single_bits(texel_value(fetch, lane, row, component, channel));
	if (!(fetch->row[row].inside >> lane & 1))
		return integer_border(image, component);
	copy_texel(fetch, lane, row, texel);
	return texel_channel_bits(image, texel, channel);
}

static uint32_t filter_lane(struct texture_fetch *fetch, uint32_t lane, uint32_t component)
{
	uint32_t channel = texel_source(fetch_image(fetch, lane), component), count = 0, last = 0;
	double sum = 0;

	for (uint32_t k = 0; k < fetch->row_count; k++)
		if (fetch->row[k].present >> lane & 1) {
			count++;
			last = k;
		}
	if (count == 1 || channel >= TEXEL_ZERO)
		return single_texel(fetch, lane, last, component);
	assert(count > 1);
	for (uint32_t k = 0; k < fetch->row_count; k++)
		if (fetch->row[k].present >> lane & 1)
			sum += fetch_weight(fetch, k)[lane] * texel_value(fetch, lane, k, component, channel);
	return single_bits(sum);
}

/* --- All lanes, with the same image --- */

/* What its channels are for the lanes' loops; false: for none of them. */
static bool describe(struct texture_channel *to, const struct lockstep_image *image)
{
	bool is_narrow = image->normalized_float && image->channel_bits <= 16 && !image->srgb;

	assert(image->channel_bits == 8 || image->channel_bits == 16 || image->channel_bits == 32);
	to->bits = image->channel_bits;
	if (image->channel == LOCKSTEP_CHANNEL_FLOAT)
		to->value = image->channel_bits == 32 ? TEXTURE_FLOAT : TEXTURE_HALF;
	else
		to->value = image->channel == LOCKSTEP_CHANNEL_SIGNED ? TEXTURE_SIGNED : TEXTURE_UNSIGNED;
	return image->channel == LOCKSTEP_CHANNEL_FLOAT || is_narrow;
}

static void filter_all(struct texture_fetch *fetch, uint32_t component, uint32_t channel, struct texture_channel *what,
	lane_mask lanes, uint32_t *to)
{
	struct texture_texels texel[TEXELS];
	const uint32_t *word[TEXELS];
	uint32_t bit = channel * what->bits;

	assert(bit / 32 < fetch->words);
	what->shift = bit % 32;
	what->border = border_value(fetch->image, component);
	for (uint32_t k = 0; k < fetch->row_count; k++) {
		texel[k] = (struct texture_texels){
			.weight = fetch_weight(fetch, k),
			.present = fetch->row[k].present,
			.inside = fetch->row[k].inside,
		};
		word[k] = fetch_word(fetch, k, bit / 32);
	}
	fetch->functions->texture->filter(to, lanes, texel, fetch->row_count, word, what);
}

/* What is not read as floating point is not filtered: a lane has one texel. */
static void read_integers(
	struct texture_fetch *fetch, uint32_t component, uint32_t channel, lane_mask lanes, uint32_t *to)
{
	const struct lockstep_image *image = fetch->image;
	uint32_t bit = channel * image->channel_bits;

	assert(fetch->row_count == 1 && bit / 32 < fetch->words);
	fetch->functions->texture->integers(to, lanes, fetch->row[0].inside, fetch_word(fetch, 0, bit / 32), bit % 32,
		image->channel_bits, image->channel == LOCKSTEP_CHANNEL_SIGNED, integer_border(image, component));
}

static void filter_component(struct texture_fetch *fetch, uint32_t component, lane_mask lanes, uint32_t *to)
{
	const struct lockstep_image *image = fetch->image;
	uint32_t channel = image ? texel_source(image, component) : TEXEL_ZERO;
	struct texture_channel what;

	assert(component < 4 && lanes);
	if (image && channel >= TEXEL_ZERO)
		fetch->functions->broadcast(to, lanes, constant_of(image, channel));
	else if (image && !texel_is_float(image))
		read_integers(fetch, component, channel, lanes, to);
	else if (image && describe(&what, image))
		filter_all(fetch, component, channel, &what, lanes, to);
	else
		EACH_LANE(l, lanes)
			to[l] = filter_lane(fetch, (uint32_t)l, component);
}

void texture_filter(struct texture_fetch *fetch, uint32_t *const bank[2], const struct kernel *kernel,
	const struct insn *i, lane_mask lanes)
{
	/* texels of tld4's results, from the lower left one */
	static const uint8_t counter_clockwise[4] = {2, 3, 1, 0};
	const struct insn_extra *extra = &kernel->extras[i->extra];
	uint32_t component = texture_gathered((enum op)i->op);

	assert(component <= 4);
	assert(component == 4 || fetch->row_count == 4);
	for (uint32_t k = 0; k < 4; k++) {
		uint32_t *to = extra->vector[k] == SLOT_NONE
				       ? NULL
				       : bank[extra->vector[k] >> 30] + (extra->vector[k] & SLOT_OFFSET);

		if (to && component == 4)
			filter_component(fetch, k, lanes, to);
		else if (to)
			EACH_LANE(l, lanes)
				to[l] = single_texel(fetch, (uint32_t)l, counter_clockwise[k], component);
	}
}
