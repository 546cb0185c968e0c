/* Texture fetches of a whole warp, in every variant that this processor can run, against the plain way to do it: one
 * lane after another, with the C library's functions. */
#include "util/text.h"
#include "warp/texture.h"
#include "warp/variants.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 2000

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	return (uint32_t)(splitmix64(&seed) % n);
}

static lane_mask any_mask(uint32_t lanes)
{
	lane_mask mask = below(3) ? splitmix64(&seed) : ~UINT64_C(0);
	return lanes == 64 ? mask : mask & UINT32_MAX;
}

static float any_float(void)
{
	static const float special[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 0x1p24f, -0x1p24f, 0x1p25f, 3e38f, -3e38f,
		1e9f, 2e9f, -2e9f, -1e-30f};
	if (below(8) == 0)
		return special[below(sizeof special / sizeof *special)];
	double whole = (double)below(4096) / 64 - 24;
	return (float)(below(2) ? whole : whole * 0.0371);
}

/* ---- Coordinates ---- */

static double scaled(const struct texture_axis *axis, uint32_t lane)
{
	double x = axis->whole ? (double)((const int32_t *)axis->coordinate)[lane]
			       : (double)((const float *)axis->coordinate)[lane];
	if (axis->normalized && axis->mode == LOCKSTEP_ADDRESS_WRAP)
		x = x - floor(x);
	if (axis->normalized && axis->mode == LOCKSTEP_ADDRESS_MIRROR)
		x = fmod(floor(x), 2) == 0 ? x - floor(x) : 1 - (x - floor(x));
	if (axis->normalized)
		x *= axis->size;
	return isnan(x) ? 0 : fmax(-TEXTURE_FAR, fmin(TEXTURE_FAR, x));
}

static int64_t inside(const struct texture_axis *axis, int64_t at)
{
	int64_t size = axis->size;
	if (at >= 0 && at < size)
		return at;
	if (axis->mode == LOCKSTEP_ADDRESS_BORDER)
		return TEXTURE_BORDER;
	if (axis->mode == LOCKSTEP_ADDRESS_WRAP)
		return (at % size + size) % size;
	return at < 0 ? 0 : size - 1;
}

static void check_direction(const struct texture_steps *steps, const struct texture_axis *axis, uint32_t lane)
{
	double x = scaled(axis, lane), first = floor(axis->linear ? x - 0.5 : x);
	double share = axis->linear ? floor((x - 0.5 - first) * 256 + 0.5) / 256 : 0;
	assert_int_equal(steps->at[0][lane], inside(axis, (int64_t)first));
	assert_true(steps->weight[0][lane] == 1 - share);
	if (!axis->linear)
		return;
	assert_int_equal(steps->at[1][lane], inside(axis, (int64_t)first + 1));
	assert_true(steps->weight[1][lane] == share);
}

static void check_steps(const struct lane_texture *texture, uint32_t lanes)
{
	static const enum lockstep_addressing modes[] = {
		LOCKSTEP_ADDRESS_WRAP, LOCKSTEP_ADDRESS_CLAMP, LOCKSTEP_ADDRESS_MIRROR, LOCKSTEP_ADDRESS_BORDER};
	union {
		float real[TEXTURE_LANES];
		int32_t whole[TEXTURE_LANES];
	} coordinate;
	for (uint32_t k = 0; k < ROUNDS; k++) {
		struct texture_axis axis = {
			.coordinate = &coordinate, .whole = below(4) == 0, .linear = below(2), .mode = modes[below(4)]};
		struct texture_steps steps;
		axis.size = below(4) ? 1 + below(40) : 1u << below(29);
		axis.normalized = !axis.whole && (below(2) || axis.mode == LOCKSTEP_ADDRESS_WRAP);
		if (axis.whole && axis.mode == LOCKSTEP_ADDRESS_WRAP)
			axis.mode = LOCKSTEP_ADDRESS_CLAMP;
		for (uint32_t l = 0; l < lanes; l++)
			if (axis.whole)
				coordinate.whole[l] = below(8) ? (int32_t)below(64) - 12 : (int32_t)splitmix64(&seed);
			else
				coordinate.real[l] = any_float();
		texture->steps(&steps, &axis);
		assert_int_equal(steps.count, axis.linear ? 2 : 1);
		for (uint32_t l = 0; l < lanes; l++)
			check_direction(&steps, &axis, l);
		axis = (struct texture_axis){
			.coordinate = below(2) ? &coordinate : NULL, .is_layer = true, .size = 1 + below(20)};
		texture->steps(&steps, &axis);
		assert_int_equal(steps.count, 1);
		for (uint32_t l = 0; l < lanes; l++) {
			uint32_t layer = axis.coordinate ? (uint32_t)coordinate.whole[l] : 0;
			assert_int_equal(steps.at[0][l], layer < axis.size ? layer : axis.size - 1);
			assert_true(steps.weight[0][l] == 1);
		}
	}
}

/* ---- Texels ---- */

static void any_steps(struct texture_steps *steps, uint32_t lanes)
{
	steps->count = 1 + below(2);
	for (uint32_t l = 0; l < lanes; l++) {
		double share = steps->count > 1 ? below(4) ? below(257) / 256.0 : below(2) : 0;
		for (uint32_t k = 0; k < 2; k++)
			steps->at[k][l] = below(8) ? (int32_t)below(1000) : TEXTURE_BORDER;
		steps->weight[0][l] = 1 - share;
		steps->weight[1][l] = share;
	}
}

static void check_texel(const struct texture_texels *texel, const struct texture_steps step[3], const uint32_t of[3],
	const struct texture_level *level, uint32_t lane)
{
	uint64_t address = level->address;
	double weight = 1;
	bool in = true;
	for (uint32_t k = 0; k < 3; k++) {
		int32_t at = step[k].at[of[k]][lane];
		address += (uint64_t)at * level->bytes[k];
		weight *= step[k].weight[of[k]][lane];
		in &= at >= 0;
	}
	assert_int_equal(texel->inside >> lane & 1, in);
	assert_int_equal(texel->present >> lane & 1, weight > 0);
	assert_true(texel->weight[lane] == weight);
	if (in)
		assert_true(texel->address[lane] == address);
}

static void check_texels(const struct lane_texture *texture, uint32_t lanes)
{
	static uint64_t address[8][TEXTURE_LANES];
	static double weight[8][TEXTURE_LANES];
	struct texture_texels texel[8];
	struct texture_steps step[3];
	for (uint32_t k = 0; k < 8; k++)
		texel[k] = (struct texture_texels){.address = address[k], .weight = weight[k]};
	for (uint32_t round = 0; round < ROUNDS; round++) {
		const struct texture_level level = {.address = UINT64_C(0x7000000000),
			.bytes = {1u << below(5), below(1u << 20), UINT32_MAX - below(9)}};
		uint32_t k = 0;
		for (uint32_t d = 0; d < 3; d++)
			any_steps(&step[d], lanes);
		assert_int_equal(texture->texels(texel, step, &level), step[0].count * step[1].count * step[2].count);
		for (uint32_t z = 0; z < step[2].count; z++)
			for (uint32_t y = 0; y < step[1].count; y++)
				for (uint32_t x = 0; x < step[0].count; x++, k++)
					for (uint32_t l = 0; l < lanes; l++)
						check_texel(&texel[k], step, (uint32_t[]){x, y, z}, &level, l);
	}
}

/* ---- Lines ---- */

static void check_lines(const struct lane_texture *texture, uint32_t lanes)
{
	const uint64_t line = UINT64_C(0x7000000080);
	const struct texture_block block = {.address = line, .bytes = TEXTURE_LINE};
	uint64_t address[TEXTURE_LANES];
	uint32_t to[TEXTURE_LANES];
	uint8_t data[TEXTURE_LINE];
	for (uint32_t round = 0; round < ROUNDS; round++) {
		lane_mask among = any_mask(lanes), in = 0, equal = 0;
		uint32_t bytes = 1u << below(5), words = 0, seen = 0;
		for (uint32_t b = 0; b < TEXTURE_LINE; b++)
			data[b] = (uint8_t)splitmix64(&seed);
		for (uint32_t l = 0; l < lanes; l++) {
			address[l] = line - (below(3) ? 0 : TEXTURE_LINE) + below(2 * TEXTURE_LINE) / bytes * bytes;
			address[l] += below(16) ? 0 : UINT64_C(1) << 32;
			to[l] = l;
			equal |= (lane_mask)(address[l] == address[0]) << l;
			if (among >> l & 1 && address[l] >= line && address[l] < line + TEXTURE_LINE) {
				in |= UINT64_C(1) << l;
				words |= 1u << (address[l] - line) / 4;
			}
		}
		assert_true(texture->same(address, address[0]) == equal);
		assert_true(texture->in_line(address, among, &block, &seen) == in);
		assert_int_equal(seen, words);
		uint32_t word = bytes > 4 ? below(bytes / 4) : 0;
		texture->pick(to, address, in, data, word);
		for (uint32_t l = 0; l < lanes; l++) {
			uint32_t read = 0, mask = bytes < 4 ? (1u << 8 * bytes) - 1 : UINT32_MAX;
			if (in >> l & 1)
				memcpy(&read, data + (address[l] - line) + 4 * word, bytes < 4 ? bytes : 4);
			assert_int_equal(to[l] & (in >> l & 1 ? mask : UINT32_MAX), in >> l & 1 ? read : l);
		}
	}
}

/* ---- Values ---- */

static double value_of(uint32_t word, const struct texture_channel *channel)
{
	uint32_t bits = word >> channel->shift;
	float real;
	if (channel->value == TEXTURE_FLOAT) {
		memcpy(&real, &word, sizeof real);
		return real;
	}
	if (channel->value == TEXTURE_HALF) {
		double magnitude = bits >> 10 & 31 ? ldexp(1024 + (bits & 1023), (int)(bits >> 10 & 31) - 25)
						   : ldexp(bits & 1023, -24);
		return bits & 0x8000 ? -magnitude : magnitude;
	}
	bits &= (1u << channel->bits) - 1;
	if (channel->value == TEXTURE_UNSIGNED)
		return bits / (ldexp(1, (int)channel->bits) - 1);
	return fmax(-1, ((double)bits - (bits >> (channel->bits - 1) ? ldexp(1, (int)channel->bits) : 0)) /
				(ldexp(1, (int)channel->bits - 1) - 1));
}

/* Numbers only: what a sum of several that are none is, is the processor's. */
static uint32_t any_word(const struct texture_channel *channel)
{
	uint32_t word = (uint32_t)splitmix64(&seed);
	float real = (float)((double)below(20000) / 1024 - 10);
	if (channel->value == TEXTURE_HALF)
		return word & 0xbfffbfff;
	if (channel->value == TEXTURE_FLOAT)
		memcpy(&word, below(8) ? &real : &(float){-0.0f}, sizeof word);
	return word;
}

static uint32_t expected(const struct texture_texels *texel, uint32_t count, uint32_t (*word)[TEXTURE_LANES],
	const struct texture_channel *channel, uint32_t lane)
{
	double sum = 0, value = 0;
	uint32_t of_lane = 0, bits;
	for (uint32_t k = 0; k < count; k++)
		if (texel[k].present >> lane & 1) {
			value = texel[k].inside >> lane & 1 ? value_of(word[k][lane], channel) : channel->border;
			sum += value * texel[k].weight[lane];
			of_lane++;
		}
	float rounded = (float)(of_lane == 1 ? value : sum);
	memcpy(&bits, &rounded, sizeof bits);
	return bits;
}

static void check_filter(const struct lane_texture *texture, uint32_t lanes)
{
	static const struct texture_channel channels[] = {{TEXTURE_FLOAT, 0, 32, 0}, {TEXTURE_HALF, 0, 16, 0},
		{TEXTURE_HALF, 16, 16, 0}, {TEXTURE_UNSIGNED, 0, 8, 0}, {TEXTURE_UNSIGNED, 24, 8, 0},
		{TEXTURE_UNSIGNED, 16, 16, 0}, {TEXTURE_SIGNED, 8, 8, 0}, {TEXTURE_SIGNED, 0, 16, 0},
		{TEXTURE_SIGNED, 16, 16, 0}};
	static double weight[8][TEXTURE_LANES];
	static uint32_t word[8][TEXTURE_LANES];
	struct texture_texels texel[8];
	const uint32_t *words[8];
	uint32_t to[TEXTURE_LANES];
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct texture_channel channel = channels[below(9)];
		uint32_t count = 1 + below(8);
		lane_mask taken = any_mask(lanes), some = 0;
		channel.border = below(2) ? -0.0 : 2.5;
		for (uint32_t k = 0; k < count; k++) {
			texel[k] = (struct texture_texels){
				.weight = weight[k], .present = any_mask(lanes), .inside = any_mask(lanes)};
			texel[k].present &= below(8) ? ~UINT64_C(0) : 0;
			words[k] = word[k];
			some |= texel[k].present;
		}
		for (uint32_t l = 0; l < lanes; l++) {
			if (!(some >> l & 1))
				texel[0].present |= UINT64_C(1) << l;
			for (uint32_t k = 0; k < count; k++) {
				weight[k][l] = (1 + below(255)) / 256.0;
				word[k][l] = any_word(&channel);
			}
			to[l] = l;
			/* a single texel has the weight 1 */
			uint32_t of_lane = 0, last = 0;
			for (uint32_t k = 0; k < count; k++)
				if (texel[k].present >> l & 1)
					of_lane++, last = k;
			if (of_lane == 1)
				weight[last][l] = 1;
		}
		texture->filter(to, taken, texel, count, words, &channel);
		for (uint32_t l = 0; l < lanes; l++)
			assert_int_equal(to[l], taken >> l & 1 ? expected(texel, count, word, &channel, l) : l);
	}
}

static void check_integers(const struct lane_texture *texture, uint32_t lanes)
{
	uint32_t word[TEXTURE_LANES], to[TEXTURE_LANES];
	for (uint32_t round = 0; round < ROUNDS; round++) {
		lane_mask taken = any_mask(lanes), in = any_mask(lanes);
		uint32_t bits = 8u << below(3), shift = below(32 / bits) * bits;
		bool is_signed = below(2);
		for (uint32_t l = 0; l < lanes; l++) {
			word[l] = (uint32_t)splitmix64(&seed);
			to[l] = l;
		}
		texture->integers(to, taken, in, word, shift, bits, is_signed, 77);
		for (uint32_t l = 0; l < lanes; l++) {
			int64_t value = (int64_t)((uint64_t)word[l] >> shift & ((UINT64_C(1) << bits) - 1));
			if (is_signed && value >> (bits - 1))
				value -= INT64_C(1) << bits;
			assert_int_equal(to[l], !(taken >> l & 1) ? l : in >> l & 1 ? (uint32_t)value : 77);
		}
	}
}

static void test_all_variants(void **state)
{
	(void)state;
#define CHECK(name, lanes, usable)                                                                                     \
	if (usable) {                                                                                                  \
		check_steps(&lane_texture_##name, lanes);                                                              \
		check_texels(&lane_texture_##name, lanes);                                                             \
		check_lines(&lane_texture_##name, lanes);                                                              \
		check_filter(&lane_texture_##name, lanes);                                                             \
		check_integers(&lane_texture_##name, lanes);                                                           \
	}
	LANE_VARIANTS(CHECK)
#undef CHECK
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_variants)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
