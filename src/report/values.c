/* The typed values of buffers and arguments: names, sizes, from bits to text. */
#include "report/values.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct value_type value_types[] = {
	{"u8", VALUE_UNSIGNED, 1},
	{"s8", VALUE_SIGNED, 1},
	{"u16", VALUE_UNSIGNED, 2},
	{"s16", VALUE_SIGNED, 2},
	{"u32", VALUE_UNSIGNED, 4},
	{"s32", VALUE_SIGNED, 4},
	{"u64", VALUE_UNSIGNED, 8},
	{"s64", VALUE_SIGNED, 8},
	{"f16", VALUE_FLOAT, 2},
	{"f32", VALUE_FLOAT, 4},
	{"f64", VALUE_FLOAT, 8},
};
const size_t value_type_count = sizeof value_types / sizeof *value_types;
const char value_type_names[] = "u8, s8, u16, s16, u32, s32, u64, s64, f16, f32 or f64";

const struct value_type *value_type_find(const char *name, size_t length)
{
	for (size_t k = 0; k < value_type_count; k++)
		if (strlen(value_types[k].name) == length && !memcmp(value_types[k].name, name, length))
			return &value_types[k];
	return NULL;
}

/* Half precision: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits. */
uint16_t half_from_double(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double size = fabs(value);
	if (isnan(value))
		return sign | 0x7e00;
	if (size >= 65520.0) /* half-way beyond the largest, 65504 */
		return sign | 0x7c00;
	int exponent = 0;
	frexp(size, &exponent);
	if (exponent < -13 || size == 0) /* subnormal: multiples of 2^-24 */
		exponent = -13;
	/* Eleven significant bits; nearbyint rounds to nearest even, and a carry runs into the exponent as it
	 * should. */
	uint16_t scaled = (uint16_t)nearbyint(ldexp(size, 11 - exponent));
	return (uint16_t)(sign | (uint16_t)(((exponent + 13) << 10) + scaled));
}

double half_to_double(uint16_t half)
{
	int exponent = half >> 10 & 31, fraction = half & 1023;
	double size;
	if (exponent == 31)
		size = fraction ? NAN : INFINITY;
	else if (exponent)
		size = ldexp(1024 + fraction, exponent - 25);
	else
		size = ldexp(fraction, -24);
	return half & 0x8000 ? -size : size;
}

uint64_t value_bits_of_double(const struct value_type *type, double value)
{
	assert(type->kind == VALUE_FLOAT);
	uint64_t bits = 0;
	float single = (float)value;
	if (type->bytes == 2)
		return half_from_double(value);
	memcpy(&bits, type->bytes == 4 ? (const void *)&single : (const void *)&value, type->bytes);
	return bits;
}

double value_double_of_bits(const struct value_type *type, uint64_t bits)
{
	assert(type->kind == VALUE_FLOAT);
	float single;
	double value;
	if (type->bytes == 2)
		return half_to_double((uint16_t)bits);
	if (type->bytes == 4) {
		memcpy(&single, &bits, sizeof single);
		return (double)single;
	}
	memcpy(&value, &bits, sizeof value);
	return value;
}

uint64_t value_load(const struct value_type *type, const void *array, size_t k)
{
	uint64_t bits = 0;
	memcpy(&bits, (const char *)array + k * type->bytes, type->bytes);
	return bits;
}

#define STORE_ALL(width)                                                                                               \
	for (size_t k = 0; k < count; k++)                                                                             \
	memcpy(to + k * (width), &bits[k], (width))

void value_store(const struct value_type *type, void *array, size_t first, const uint64_t *bits, size_t count)
{
	char *to = (char *)array + first * type->bytes;
	switch (type->bytes) {
	case 1: STORE_ALL(1); break;
	case 2: STORE_ALL(2); break;
	case 4: STORE_ALL(4); break;
	default: STORE_ALL(8); break;
	}
}

/* From the fewest digits worth trying to those that always give a value of so many bytes back. */
static int print_double(double value, uint32_t bytes, char text[VALUE_TEXT_BYTES])
{
	int digits = bytes == 8 ? 15 : bytes == 4 ? 6 : 3, most = bytes == 8 ? 17 : bytes == 4 ? 9 : 5;
	int length = 0;
	for (; digits <= most; digits++) {
		length = snprintf(text, VALUE_TEXT_BYTES, "%.*g", digits, value);
		double again = strtod(text, NULL);
		if (bytes == 2       ? half_from_double(again) == half_from_double(value)
			: bytes == 4 ? (float)again == (float)value
				     : again == value)
			break;
	}
	/* "-0" would be the integer 0 to a reader of JSON. */
	if (!strpbrk(text, ".e"))
		length += snprintf(text + length, VALUE_TEXT_BYTES - (size_t)length, ".0");
	return length;
}

static int print_float(double value, uint32_t bytes, const char *quote, char text[VALUE_TEXT_BYTES])
{
	if (isfinite(value))
		return print_double(value, bytes, text);
	return snprintf(text, VALUE_TEXT_BYTES, "%s%s%s", quote,
		isnan(value) ? "nan"
		: value > 0  ? "inf"
			     : "-inf",
		quote);
}

static int print_integer(const struct value_type *type, uint64_t bits, char text[VALUE_TEXT_BYTES])
{
	uint32_t unused = 64 - type->bytes * 8;
	if (type->kind == VALUE_SIGNED)
		return snprintf(text, VALUE_TEXT_BYTES, "%" PRId64, (int64_t)(bits << unused) >> unused);
	return snprintf(text, VALUE_TEXT_BYTES, "%" PRIu64, bits);
}

int value_json(const struct value_type *type, uint64_t bits, char text[VALUE_TEXT_BYTES])
{
	if (type->kind != VALUE_FLOAT)
		return print_integer(type, bits, text);
	return print_float(value_double_of_bits(type, bits), 8, "\"", text);
}

int value_plain(const struct value_type *type, uint64_t bits, char text[VALUE_TEXT_BYTES])
{
	if (type->kind != VALUE_FLOAT)
		return print_integer(type, bits, text);
	return print_float(value_double_of_bits(type, bits), type->bytes, "", text);
}

int value_json_double(double value, char text[VALUE_TEXT_BYTES])
{
	return print_float(value, 8, "\"", text);
}
