/* Texels by the conversion rules of OpenCL C 3.0, section 8.3, and the formats of its table of channel orders. */
#include "machine/lsu/texel.h"
#include "warp/lanes/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct lockstep_image image_of(enum lockstep_channel channel, uint8_t bits, bool normalized)
{
	return (struct lockstep_image){.channel = channel,
		.channel_bits = bits,
		.channels = 1,
		.normalized_float = normalized,
		.order = LOCKSTEP_ORDER_RGBA};
}

/* What is written for one component, as the bits of the channel. */
static uint32_t written(const struct lockstep_image *image, uint32_t component)
{
	uint8_t texel[TEXEL_BYTES];
	uint32_t value = 0;

	memset(texel, 0xa5, sizeof texel);
	texel_write(image, (uint32_t[]){component, 0, 0, 0}, texel);
	memcpy(&value, texel, image->channel_bits / 8u);
	for (uint32_t k = image->channel_bits / 8u; k < TEXEL_BYTES; k++)
		assert_int_equal(texel[k], 0xa5);
	return value;
}

/* 8.3.4: integers are written as the nearest that the channel holds. */
static void integers_saturate(void **state)
{
	(void)state;
	for (uint8_t bits = 8; bits <= 32; bits = (uint8_t)(2 * bits)) {
		struct lockstep_image natural = image_of(LOCKSTEP_CHANNEL_UNSIGNED, bits, false),
				      integer = image_of(LOCKSTEP_CHANNEL_SIGNED, bits, false);
		uint64_t size = UINT64_C(1) << bits;
		int64_t low = -(int64_t)(size / 2), high = (int64_t)(size / 2) - 1;
		static const int64_t around[] = {-2, -1, 0, 1, 2};

		for (size_t k = 0; k < 5; k++) {
			const int64_t values[] = {around[k], low + around[k], high + around[k]};
			const uint64_t numbers[] = {size / 2 + (uint64_t)around[k], size - 3 + (uint64_t)around[k],
				size + 2 + (uint64_t)around[k]};

			for (size_t n = 0; n < 3; n++) {
				int64_t wanted = values[n] < low ? low : values[n] > high ? high : values[n];

				if (values[n] >= INT32_MIN && values[n] <= INT32_MAX)
					assert_int_equal(
						written(&integer, (uint32_t)values[n]), (uint64_t)wanted & (size - 1));
				if (numbers[n] <= UINT32_MAX)
					assert_int_equal(written(&natural, (uint32_t)numbers[n]),
						numbers[n] < size ? numbers[n] : size - 1);
			}
		}
	}
}

/* 8.3.1: round to nearest even of the component times 255, 127, 65535 or 32767, and saturated. */
static void normalized_channels(void **state)
{
	(void)state;
	static const struct {
		bool is_signed;
		uint8_t bits;
		float component;
		uint32_t written;
	} cases[] = {
		{false, 8, 0, 0},
		{false, 8, 1, 255},
		{false, 8, 2, 255},
		{false, 8, -1, 0},
		{false, 8, 0.5f, 128},     /* 127.5 */
		{false, 8, 1.5f / 255, 2}, /* 1.5 */
		{false, 8, 1.25f / 255, 1},
		{false, 16, 1, 65535},
		{false, 16, 0.5f, 32768}, /* 32767.5 */
		{true, 8, 1, 127},
		{true, 8, 3, 127},
		{true, 8, -1, 0x81},      /* -127 */
		{true, 8, -1.004f, 0x80}, /* -127.5 goes to the even one, -128 */
		{true, 8, -5, 0x80},
		{true, 8, 0.5f, 64}, /* 63.5 */
		{true, 16, 1, 32767},
		{true, 16, -1, 0x8001},
		{true, 16, -2, 0x8000},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct lockstep_image image = image_of(
			cases[k].is_signed ? LOCKSTEP_CHANNEL_SIGNED : LOCKSTEP_CHANNEL_UNSIGNED, cases[k].bits, true);

		if (written(&image, bits_of(cases[k].component)) != cases[k].written)
			fail_msg("%f in %u bits: %u", cases[k].component, cases[k].bits,
				written(&image, bits_of(cases[k].component)));
		assert_int_equal(written(&image, 0x7fc00000), 0);
	}
	/* Read: v / 255, max(v / 127, -1). */
	struct lockstep_image natural = image_of(LOCKSTEP_CHANNEL_UNSIGNED, 8, true),
			      integer = image_of(LOCKSTEP_CHANNEL_SIGNED, 8, true);
	for (unsigned v = 0; v < 256; v++) {
		uint8_t texel[TEXEL_BYTES] = {(uint8_t)v};
		double value = (int8_t)v / 127.0;

		assert_true(texel_channel_value(&natural, texel, 0) == v / 255.0);
		assert_true(texel_channel_value(&integer, texel, 0) == (value < -1 ? -1 : value));
		assert_int_equal(texel_channel_bits(&natural, texel, 0), v);
		assert_int_equal(texel_channel_bits(&integer, texel, 0), (uint32_t)(int8_t)v);
		assert_int_equal(written(&natural, bits_of((float)(v / 255.0))), v);
	}
}

/* sRGB as IEC 61966-2-1 has it: red, green and blue of 8 bits, never alpha.  0.04045 and 0.0031308 are where the
 * straight part ends; 188 is half of the light. */
static void srgb_is_curved(void **state)
{
	(void)state;
	struct lockstep_image image = image_of(LOCKSTEP_CHANNEL_UNSIGNED, 8, true);
	uint8_t texel[TEXEL_BYTES] = {10, 11, 188, 188}, back[TEXEL_BYTES];
	image.srgb = true;
	image.channels = 4;
	assert_true(texel_channel_value(&image, texel, 0) == 10 / 255.0 / 12.92);
	assert_true(
		texel_channel_value(&image, texel, 1) > 0.003346 && texel_channel_value(&image, texel, 1) < 0.003347);
	assert_true(texel_channel_value(&image, texel, 2) > 0.502 && texel_channel_value(&image, texel, 2) < 0.503);
	assert_true(texel_channel_value(&image, texel, 3) == 188 / 255.0);
	for (unsigned v = 0; v < 256; v++) { /* every value comes back */
		memset(texel, (int)v, 4);
		texel_write(&image,
			(uint32_t[]){bits_of((float)texel_channel_value(&image, texel, 0)),
				bits_of((float)texel_channel_value(&image, texel, 1)),
				bits_of((float)texel_channel_value(&image, texel, 2)), bits_of((float)(v / 255.0))},
			back);
		assert_memory_equal(back, texel, 4);
	}
	image.channel_bits = 16; /* only of 8 bits */
	memcpy(texel, (uint16_t[]){0x8000}, 2);
	assert_true(texel_channel_value(&image, texel, 0) == 0x8000 / 65535.0);
	image.channel_bits = 8;
	image.srgb = false;
	assert_true(texel_channel_value(&image, texel, 1) == 0x80 / 255.0);
}

static void floats_are_kept_or_narrowed(void **state)
{
	(void)state;
	struct lockstep_image single = image_of(LOCKSTEP_CHANNEL_FLOAT, 32, false),
			      half = image_of(LOCKSTEP_CHANNEL_FLOAT, 16, false);
	uint8_t texel[TEXEL_BYTES];
	assert_int_equal(written(&single, 0x7f800001), 0x7f800001);
	assert_int_equal(written(&half, bits_of(1.5f)), 0x3e00);
	assert_int_equal(written(&half, bits_of(65504)), 0x7bff);
	memcpy(texel, (uint16_t[]){0xc000}, 2);
	assert_true(texel_channel_value(&half, texel, 0) == -2);
	memcpy(texel, (float[]){0.1f}, 4);
	assert_true(texel_channel_value(&single, texel, 0) == 0.1f);
}

/* Where red, green, blue and alpha come from: channels 0 to 3, z: 0, o: 1. */
static void orders_of_channels(void **state)
{
	(void)state;
	static const struct {
		enum lockstep_order order;
		uint8_t channels;
		const char *from;
	} orders[] = {
		{LOCKSTEP_ORDER_RGBA, 4, "0123"},
		{LOCKSTEP_ORDER_RGBA, 2, "01zo"},
		{LOCKSTEP_ORDER_RGBA, 1, "0zzo"},
		{LOCKSTEP_ORDER_BGRA, 4, "2103"},
		{LOCKSTEP_ORDER_ARGB, 4, "1230"},
		{LOCKSTEP_ORDER_ABGR, 4, "3210"},
		{LOCKSTEP_ORDER_A, 1, "zzz0"},
		{LOCKSTEP_ORDER_RA, 2, "0zz1"},
		{LOCKSTEP_ORDER_INTENSITY, 1, "0000"},
		{LOCKSTEP_ORDER_LUMINANCE, 1, "000o"},
		{LOCKSTEP_ORDER_DEPTH, 1, "0zzo"},
	};
	for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
		struct lockstep_image image = image_of(LOCKSTEP_CHANNEL_UNSIGNED, 8, false);
		uint8_t texel[TEXEL_BYTES];

		image.order = orders[k].order;
		image.channels = orders[k].channels;
		for (uint32_t c = 0; c < 4; c++) {
			uint32_t source = texel_source(&image, c);

			assert_int_equal(source == TEXEL_ZERO  ? 'z'
					 : source == TEXEL_ONE ? 'o'
							       : (int)('0' + source),
				orders[k].from[c]);
		}
		/* The first of the components that are read from a channel is what is written to it. */
		memset(texel, 0, sizeof texel);
		texel_write(&image, (uint32_t[]){1, 2, 3, 4}, texel);
		for (uint32_t c = 0; c < 4; c++) {
			const char *first = strchr(orders[k].from, (int)('0' + c));

			assert_int_equal(texel[c], first ? first - orders[k].from + 1 : 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_saturate),
		cmocka_unit_test(normalized_channels),
		cmocka_unit_test(srgb_is_curved),
		cmocka_unit_test(floats_are_kept_or_narrowed),
		cmocka_unit_test(orders_of_channels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
