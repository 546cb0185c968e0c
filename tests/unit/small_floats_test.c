/* cvt to and from floats of 8, 6 and 4 bits: every half, every code, and numbers around the middle between two codes.
 * The nearest number is looked for among all values of a format, as OCP's "Microscaling Formats" and "8-bit Floating
 * Point" specifications list them. */
#include "lanes_harness.h"

#include <math.h>

/* One of a pair. */
static const struct format {
	const char *name;
	unsigned mantissa, exponent;
	bool has_nan, has_infinity;
} formats[] = {
	{"e4m3x2", 3, 4, true, false},
	{"e5m2x2", 2, 5, true, true},
	{"e2m3x2", 3, 2, false, false},
	{"e3m2x2", 2, 3, false, false},
	{"e2m1x2", 1, 2, false, false},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static unsigned bits_of_format(const struct format *f)
{
	return 1 + f->mantissa + f->exponent;
}

/* In a pair, one of 6 bits has 8. */
static unsigned part_of(const struct format *f)
{
	return bits_of_format(f) == 4 ? 4 : 8;
}

static double value_of(const struct format *f, uint32_t code)
{
	uint32_t field = code >> f->mantissa & ((1u << f->exponent) - 1), fraction = code & ((1u << f->mantissa) - 1);
	int bias = (1 << (f->exponent - 1)) - 1;
	double part = fraction / (double)(1u << f->mantissa);
	double value = field ? ldexp(1 + part, (int)field - bias) : ldexp(part, 1 - bias);
	if (f->has_infinity && field == (1u << f->exponent) - 1)
		value = fraction ? NAN : INFINITY;
	else if (f->has_nan && !f->has_infinity && field == (1u << f->exponent) - 1 && part == 0.875)
		value = NAN;
	return code >> (f->mantissa + f->exponent) & 1 ? -value : value;
}

/* The code of the number next to a value; of two, the even code.  Too large ones and NaN as .satfinite says. */
static uint32_t nearest(const struct format *f, double value, bool relu)
{
	uint32_t half = 1u << (f->mantissa + f->exponent), best = 0;
	if (isnan(value))
		return half - 1; /* which is NaN, or the largest number */
	if (relu && signbit(value))
		return 0;
	for (uint32_t code = 0; code < half; code++) {
		double distance = fabs(value_of(f, code) - fabs(value)), least = fabs(value_of(f, best) - fabs(value));
		if (!isfinite(value_of(f, code)))
			continue;
		if (distance < least || isinf(value) || (distance == least && !(code & 1)))
			best = code;
	}
	return best | (signbit(value) ? half : 0);
}

static double half_value(uint32_t half)
{
	static const struct format f16 = {"f16", 10, 5, true, true};
	return value_of(&f16, half);
}

static uint32_t half_of(double value)
{
	double magnitude = fabs(value);
	uint32_t sign = signbit(value) ? 0x8000 : 0;
	if (isnan(value))
		return 0x7fff;
	if (magnitude >= 65520) /* halfway from the largest one to the next */
		return sign | 0x7c00;
	int exponent = magnitude > 0 && ilogb(magnitude) > -14 ? ilogb(magnitude) : -14;
	return sign | (((uint32_t)(exponent + 14) << 10) + (uint32_t)nearbyint(ldexp(magnitude, 10 - exponent)));
}

static uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* 32 lanes of one instruction. */
static void run(struct call *call, const char *text)
{
	call->text = text;
	call->lanes = 32;
	call->active = UINT32_MAX;
	call_run(call);
}

static void every_half_narrows(void **state)
{
	static const unsigned with_halves[] = {0, 1, 4};
	(void)state;
	for (size_t k = 0; k < 3; k++) {
		const struct format *f = &formats[with_halves[k]];
		for (uint32_t first = 0; first < 0x10000; first += 32) {
			struct call call = {0}, relu = {0};
			char text[64], of_relu[64];
			for (unsigned lane = 0; lane < 32; lane++) {
				uint32_t low = first + lane, high = 0xffff - low;
				call.source[0][lane] = relu.source[0][lane] = low | high << 16;
			}
			snprintf(text, sizeof text, "cvt.rn.satfinite.%s.f16x2", f->name);
			snprintf(of_relu, sizeof of_relu, "cvt.rn.satfinite.relu.%s.f16x2", f->name);
			run(&call, text);
			run(&relu, of_relu);
			for (unsigned lane = 0; lane < 32; lane++) {
				double low = half_value(first + lane), high = half_value(0xffff - first - lane);
				assert_int_equal(
					call.d[lane], nearest(f, low, false) | nearest(f, high, false) << part_of(f));
				assert_int_equal(
					relu.d[lane], nearest(f, low, true) | nearest(f, high, true) << part_of(f));
			}
		}
	}
}

/* All pairs of codes; the unused bits of one of 6 bits are not looked at. */
static void every_code_widens(void **state)
{
	(void)state;
	for (const struct format *f = formats; f < formats + FORMATS; f++) {
		uint32_t codes = 1u << bits_of_format(f), noise = part_of(f) > bits_of_format(f) ? 0xc0 : 0;
		for (uint32_t first = 0; first < codes; first += 32) {
			struct call call = {0}, relu = {0};
			char text[64], of_relu[64];
			for (unsigned lane = 0; lane < 32; lane++) {
				uint32_t low = (first + lane) & (codes - 1), high = codes - 1 - low;
				call.source[0][lane] = relu.source[0][lane] = (low | noise) | high << part_of(f);
			}
			snprintf(text, sizeof text, "cvt.rn.f16x2.%s", f->name);
			snprintf(of_relu, sizeof of_relu, "cvt.rn.relu.f16x2.%s", f->name);
			run(&call, text);
			run(&relu, of_relu);
			for (unsigned lane = 0; lane < 32; lane++) {
				uint32_t code = (first + lane) & (codes - 1);
				double low = value_of(f, code), high = value_of(f, codes - 1 - code);
				assert_int_equal(call.d[lane], half_of(low) | half_of(high) << 16);
				assert_int_equal(
					relu.d[lane], half_of(signbit(low) && !isnan(low) ? 0 : low) |
							      half_of(signbit(high) && !isnan(high) ? 0 : high) << 16);
			}
		}
	}
}

/* Each number, the middle to the next, and the neighbours of that. */
static void singles_round_to_the_nearest(void **state)
{
	(void)state;
	for (const struct format *f = formats; f < formats + FORMATS; f++)
		for (uint32_t code = 0; code < 1u << (bits_of_format(f) - 1) && isfinite(value_of(f, code)); code++) {
			struct call call = {0};
			char text[64];
			float low = (float)value_of(f, code), high = (float)value_of(f, code + 1);
			float middle = isfinite(high) ? (low + high) / 2 : low * 1.0625f;
			const float inputs[] = {low, -low, middle, -middle, nextafterf(middle, INFINITY),
				nextafterf(middle, 0), 1e9f, -INFINITY, NAN, -NAN, 1e-30f, -0x1p-149f};
			for (unsigned lane = 0; lane < 32; lane++) {
				call.source[0][lane] = bits_of(inputs[lane % 12]);
				call.source[1][lane] = bits_of(inputs[(lane + 5) % 12]);
			}
			snprintf(text, sizeof text, "cvt.rn.satfinite.%s.f32", f->name);
			run(&call, text);
			for (unsigned lane = 0; lane < 32; lane++)
				assert_int_equal(call.d[lane], nearest(f, inputs[lane % 12], false) << part_of(f) |
								       nearest(f, inputs[(lane + 5) % 12], false));
		}
}

/* The exponent of the power of two at or below a magnitude, or at or above it. */
static uint32_t exponent_of(double value, bool up, bool satfinite)
{
	int exponent;
	if (isnan(value))
		return 0xff;
	double fraction = frexp(fabs(value), &exponent);
	exponent += up && fraction != 0.5 ? 127 : 126;
	if (isinf(value) || exponent > 254)
		return satfinite ? 254 : 255;
	return value == 0 || exponent < 0 ? 0 : (uint32_t)exponent;
}

static void exponents(void **state)
{
	static const char *const of_pairs[] = {"cvt.rz.ue8m0x2.bf16x2", "cvt.rz.satfinite.ue8m0x2.bf16x2",
		"cvt.rp.ue8m0x2.bf16x2", "cvt.rp.satfinite.ue8m0x2.bf16x2"};
	static const char *const of_singles[] = {"cvt.rz.ue8m0x2.f32", "cvt.rz.satfinite.ue8m0x2.f32",
		"cvt.rp.ue8m0x2.f32", "cvt.rp.satfinite.ue8m0x2.f32"};
	static const struct format bf16 = {"bf16", 7, 8, true, true};
	(void)state;
	for (unsigned form = 0; form < 4; form++)
		for (uint32_t first = 0; first < 0x10000; first += 32) {
			struct call pairs = {0}, singles = {0};
			for (unsigned lane = 0; lane < 32; lane++) {
				uint32_t low = first + lane, high = 0xffff - low;
				pairs.source[0][lane] = low | high << 16;
				singles.source[0][lane] = high << 16;
				singles.source[1][lane] = low << 16;
			}
			run(&pairs, of_pairs[form]);
			run(&singles, of_singles[form]);
			for (unsigned lane = 0; lane < 32; lane++) {
				double low = value_of(&bf16, first + lane),
				       high = value_of(&bf16, 0xffff - first - lane);
				uint32_t expected = exponent_of(low, form & 2, form & 1) |
						    exponent_of(high, form & 2, form & 1) << 8;
				assert_int_equal(pairs.d[lane], expected);
				assert_int_equal(singles.d[lane], expected);
			}
		}
	/* Just beside a power of two. */
	struct call call = {0};
	call.source[0][0] = bits_of(nextafterf(4, 0));
	call.source[1][0] = bits_of(nextafterf(4, 5));
	run(&call, "cvt.rp.ue8m0x2.f32");
	assert_int_equal(call.d[0], 129 << 8 | 130);
	for (uint32_t code = 0; code < 256; code += 32) {
		for (unsigned lane = 0; lane < 32; lane++)
			call.source[0][lane] = (code + lane) | (255 - code - lane) << 8;
		run(&call, "cvt.rn.bf16x2.ue8m0x2");
		for (unsigned lane = 0; lane < 32; lane++) {
			uint32_t low = code + lane, high = 255 - low;
			float values[2] = {ldexpf(1, (int)low - 127), ldexpf(1, (int)high - 127)};
			assert_int_equal(call.d[lane] & 0xffff, low == 255 ? 0x7fff : bits_of(values[0]) >> 16);
			assert_int_equal(call.d[lane] >> 16, high == 255 ? 0x7fff : bits_of(values[1]) >> 16);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_half_narrows),
		cmocka_unit_test(every_code_widens),
		cmocka_unit_test(singles_round_to_the_nearest),
		cmocka_unit_test(exponents),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
