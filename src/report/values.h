/* The typed values of buffers and arguments: names, sizes, from bits to text.  Values are little-endian in memory, as
 * on the GPU, and so is every host that we run on. */
#ifndef LOCKSTEP_REPORT_VALUES_H
#define LOCKSTEP_REPORT_VALUES_H

#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_UNSIGNED, VALUE_SIGNED, VALUE_FLOAT };

struct value_type {
	const char *name;
	enum value_kind kind;
	uint32_t bytes;
};
extern const struct value_type value_types[]; /* u8 ... f64 */
extern const size_t value_type_count;
extern const char value_type_names[]; /* "u8, s8, ... or f64", for messages */

/* The type of this name, null when there is none. */
const struct value_type *value_type_find(const char *name, size_t length);

/* A half-precision float from a double, to nearest even, and back. */
uint16_t half_from_double(double value);
double half_to_double(uint16_t half);

/* The bits of a float of this type nearest to `value`. */
uint64_t value_bits_of_double(const struct value_type *type, double value);
/* The value of float bits of this type. */
double value_double_of_bits(const struct value_type *type, uint64_t bits);
/* The k-th value of an array, zero-extended. */
uint64_t value_load(const struct value_type *type, const void *array, size_t k);
/* The low bits of each become the values of an array from the first-th on. */
void value_store(const struct value_type *type, void *array, size_t first, const uint64_t *bits, size_t count);

#define VALUE_TEXT_BYTES 40
/* As JSON: integers in decimal, floats with the digits that give back the same double, not-finite ones as strings in
 * quotes. */
int value_json(const struct value_type *type, uint64_t bits, char text[VALUE_TEXT_BYTES]);
/* For people: as above, but floats with as few digits as their own type needs, and no quotes. */
int value_plain(const struct value_type *type, uint64_t bits, char text[VALUE_TEXT_BYTES]);
/* Any double as JSON. */
int value_json_double(double value, char text[VALUE_TEXT_BYTES]);

#endif
