/* Values as text: every half-precision float and many others come back from their digits exactly. */
#include "report/values.h"
#include "util/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct value_type *type_of(const char *name)
{
	const struct value_type *type = value_type_find(name, strlen(name));
	assert_non_null(type);
	return type;
}

static void every_half_comes_back(void **state)
{
	(void)state;
	const struct value_type *type = type_of("f16");
	char text[VALUE_TEXT_BYTES];
	for (uint32_t bits = 0; bits < 0x10000; bits++) {
		bool is_nan = (bits & 0x7c00) == 0x7c00 && bits & 0x3ff;
		double value = half_to_double((uint16_t)bits);
		assert_int_equal(isnan(value), is_nan);
		if (is_nan || isinf(value))
			continue;
		assert_int_equal(half_from_double(value), bits);
		value_json(type, bits, text);
		assert_int_equal(half_from_double(strtod(text, NULL)), bits);
		value_plain(type, bits, text);
		assert_int_equal(half_from_double(strtod(text, NULL)), bits);
	}
}

static void halves_round_to_even(void **state)
{
	(void)state;
	assert_int_equal(half_from_double(1 + 0x1p-11), 0x3c00);
	assert_int_equal(half_from_double(1 + 0x3p-11), 0x3c02);
	assert_int_equal(half_from_double(1 + 0x1p-11 + 0x1p-40), 0x3c01);
	assert_int_equal(half_from_double(0x1p-25), 0);
	assert_int_equal(half_from_double(0x1.8p-25), 1);
	assert_int_equal(half_from_double(65519.99), 0x7bff);
	assert_int_equal(half_from_double(-INFINITY), 0xfc00);
	assert_int_equal(half_from_double(NAN) & 0x7e00, 0x7e00);
}

static void floats_come_back(void **state)
{
	(void)state;
	const struct value_type *single = type_of("f32"), *wide = type_of("f64");
	char text[VALUE_TEXT_BYTES];
	uint64_t seed = 1;
	for (int k = 0; k < 200000; k++) {
		uint64_t bits = splitmix64(&seed);
		double value = value_double_of_bits(wide, bits);
		if (isfinite(value)) {
			value_json(wide, bits, text);
			assert_true(value_bits_of_double(wide, strtod(text, NULL)) == bits);
		}
		value = value_double_of_bits(single, bits >> 32);
		if (isfinite(value)) {
			value_json(single, bits >> 32, text);
			assert_true(strtod(text, NULL) == value); /* also as a double */
			value_plain(single, bits >> 32, text);
			assert_true(value_bits_of_double(single, strtod(text, NULL)) == bits >> 32);
		}
	}
}

static void words_of_values(void **state)
{
	(void)state;
	static const struct {
		const char *type;
		uint64_t bits;
		const char *json, *plain;
	} rows[] = {
		{"u64", UINT64_MAX, "18446744073709551615", "18446744073709551615"},
		{"s64", (uint64_t)INT64_MIN, "-9223372036854775808", "-9223372036854775808"},
		{"s8", 0xff, "-1", "-1"},
		{"u8", 0xff, "255", "255"},
		{"s32", 0x80000000, "-2147483648", "-2147483648"},
		{"f32", 0x3dcccccd, "0.10000000149011612", "0.1"},
		{"f32", 0x80000000, "-0.0", "-0.0"},
		{"f32", 0x40400000, "3.0", "3.0"},
		{"f32", 0x7fc00000, "\"nan\"", "nan"},
		{"f32", 0x7f800000, "\"inf\"", "inf"},
		{"f16", 0xfc00, "\"-inf\"", "-inf"},
		{"f64", 0x3fb999999999999a, "0.1", "0.1"},
		{"f64", 0x7e37e43c8800759c, "1e+300", "1e+300"},
	};
	char text[VALUE_TEXT_BYTES];
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		int length = value_json(type_of(rows[k].type), rows[k].bits, text);
		assert_string_equal(text, rows[k].json);
		assert_int_equal(length, strlen(text));
		value_plain(type_of(rows[k].type), rows[k].bits, text);
		assert_string_equal(text, rows[k].plain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_half_comes_back),
		cmocka_unit_test(halves_round_to_even),
		cmocka_unit_test(floats_come_back),
		cmocka_unit_test(words_of_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
