/* Values as text. */
#include "debug/variables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS 16 /* of an array, where nothing else is asked for */
#define NESTING 16  /* of structs and arrays in one another */
#define TEXT_MOST 65536
#define DIGITS_MOST 17 /* of a double */

struct printer {
	struct text *out;
	const struct variable_style *style;
	uint32_t nesting;
	size_t most; /* of text: malformed types have many members of many members */
};

/* The bytes of a value that there are. */
struct piece {
	const uint8_t *at;
	size_t length;
};

static struct piece part(struct piece of, uint64_t offset)
{
	if (offset >= of.length)
		return (struct piece){of.at, 0};
	return (struct piece){of.at + offset, of.length - offset};
}

static uint64_t bits_of(struct piece piece, uint64_t bytes)
{
	uint64_t bits = 0;

	memcpy(&bits, piece.at, bytes < sizeof bits ? bytes : sizeof bits);
	return bits;
}

static int64_t extended(uint64_t bits, uint32_t width, bool is_signed)
{
	if (width >= 64 || !width)
		return (int64_t)bits;
	bits &= (1ull << width) - 1;
	return is_signed && bits >> (width - 1) ? (int64_t)(bits | ~0ull << width) : (int64_t)bits;
}

static void print_integer(const struct printer *p, uint64_t bits, uint32_t width, bool is_signed)
{
	if (p->style->hexadecimal)
		text_print(p->out, "0x%" PRIx64, (uint64_t)extended(bits, width, false));
	else if (is_signed)
		text_print(p->out, "%" PRId64, extended(bits, width, true));
	else
		text_print(p->out, "%" PRIu64, (uint64_t)extended(bits, width, false));
}

/* `97 'a'`; of bytes that are no character only the number. */
static void print_character(const struct printer *p, uint64_t bits, bool is_signed)
{
	unsigned char c = (unsigned char)bits;

	print_integer(p, bits, 8, is_signed);
	if (c == '\'' || c == '\\')
		text_print(p->out, " '\\%c'", c);
	else if (c >= ' ' && c <= '~')
		text_print(p->out, " '%c'", c);
}

static double of_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double fraction = bits & 1023, value;

	if (exponent == 31)
		value = fraction != 0 ? NAN : INFINITY;
	else
		value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
	return bits >> 15 ? -value : value;
}

/* Whether a number reads back as the value of this width, of which it may be less than half a step away. */
static bool is_same(double back, double value, uint64_t bits, uint64_t bytes)
{
	int exponent = (int)(bits >> 10 & 31);

	if (bytes == 8)
		return back == value;
	if (bytes == 4)
		return (float)back == (float)value;
	return back == value || 2 * fabs(back - value) < ldexp(1, (exponent ? exponent : 1) - 25);
}

/* The fewest digits that read back as the same value. */
static void print_float(const struct printer *p, uint64_t bits, uint64_t bytes)
{
	char text[40];
	float narrow;
	double value;

	memcpy(&narrow, &bits, sizeof narrow);
	memcpy(&value, &bits, sizeof value);
	if (bytes < 8)
		value = bytes == 2 ? of_half((uint16_t)bits) : (double)narrow;
	for (int digits = 1; digits <= DIGITS_MOST; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (is_same(strtod(text, NULL), value, bits, bytes))
			break;
	}
	text_print(p->out, "%s", isnan(value) ? "nan" : text);
}

/* `GREEN`; a number that has no name is printed as one. */
static void print_enum(const struct printer *p, const struct variable_type *type, uint64_t bits)
{
	int64_t value = extended(bits, (uint32_t)(8 * type->bytes), type->is_signed);

	for (uint32_t k = 0; k < type->enumerator_count; k++)
		if (type->enumerators[k].value == value) {
			text_print(p->out, "%s", type->enumerators[k].name);
			return;
		}
	print_integer(p, bits, (uint32_t)(8 * type->bytes), type->is_signed);
}

static void print_scalar(const struct printer *p, const struct variable_type *type, struct piece piece)
{
	uint64_t bits = bits_of(piece, type->bytes);

	switch (type->kind) {
	case VARIABLE_BOOL: text_print(p->out, bits ? "true" : "false"); break;
	case VARIABLE_CHARACTER:
		if (type->bytes == 1)
			print_character(p, bits, type->is_signed);
		else
			print_integer(p, bits, (uint32_t)(8 * type->bytes), type->is_signed);
		break;
	case VARIABLE_FLOAT: print_float(p, bits, type->bytes); break;
	case VARIABLE_POINTER: text_print(p->out, "0x%" PRIx64, bits); break;
	case VARIABLE_ENUM: print_enum(p, type, bits); break;
	default: print_integer(p, bits, (uint32_t)(8 * type->bytes), type->is_signed); break;
	}
}

static void print_value(struct printer *p, const struct variable_type *type, struct piece piece);

static bool is_text(const struct variable_type *type)
{
	return type->of->kind == VARIABLE_CHARACTER && type->of->bytes == 1;
}

/* `"abc"`: characters up to the first 0, if there is one and all before it can be printed. */
static bool print_string(const struct printer *p, const struct variable_type *type, struct piece piece)
{
	size_t most = piece.length < type->count ? piece.length : (size_t)type->count;
	const uint8_t *end = most && is_text(type) ? memchr(piece.at, 0, most) : NULL;

	if (!end || end == piece.at)
		return false;
	for (const uint8_t *c = piece.at; c < end; c++)
		if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
			return false;
	text_print(p->out, "\"%.*s\"", (int)(end - piece.at), (const char *)piece.at);
	return true;
}

static void print_array(struct printer *p, const struct variable_type *type, struct piece piece)
{
	uint64_t most = p->style->elements ? p->style->elements : ELEMENTS;
	uint64_t count = type->count < most ? type->count : most;

	if (print_string(p, type, piece))
		return;
	text_print(p->out, "{");
	for (uint64_t k = 0; k < count; k++) {
		text_print(p->out, k ? ", " : "");
		print_value(p, type->of, part(piece, k * type->of->bytes));
	}
	text_print(p->out, count < type->count ? ", ...}" : "}");
}

static void print_bits(const struct printer *p, const struct variable_member *member, struct piece piece)
{
	uint32_t bytes = (member->first_bit + member->bit_count + 7) / 8;

	if (piece.length < bytes || bytes > 8)
		text_print(p->out, "?");
	else
		print_integer(
			p, bits_of(piece, bytes) >> member->first_bit, member->bit_count, member->type->is_signed);
}

static void print_struct(struct printer *p, const struct variable_type *type, struct piece piece)
{
	text_print(p->out, "{");
	for (uint32_t k = 0; k < type->member_count; k++) {
		const struct variable_member *member = &type->members[k];
		struct piece of = part(piece, member->offset);
		text_print(p->out, "%s%s%s", k ? ", " : "", member->name, *member->name ? " = " : "");
		if (member->bit_count)
			print_bits(p, member, of);
		else
			print_value(p, member->type, of);
	}
	text_print(p->out, "}");
}

static void print_opaque(const struct printer *p, const struct variable_type *type, struct piece piece)
{
	uint64_t most = p->style->elements ? p->style->elements : ELEMENTS;

	text_print(p->out, type->bytes ? "0x" : "?");
	for (uint64_t k = 0; k < type->bytes && k < most; k++)
		if (k < piece.length)
			text_print(p->out, "%02x", piece.at[k]);
		else
			text_print(p->out, "??");
	text_print(p->out, type->bytes > most ? "..." : "");
}

static void print_value(struct printer *p, const struct variable_type *type, struct piece piece)
{
	if (++p->nesting > NESTING || p->out->length > p->most)
		text_print(p->out, "...");
	else if (type->kind == VARIABLE_ARRAY)
		print_array(p, type, piece);
	else if (type->kind == VARIABLE_STRUCT)
		print_struct(p, type, piece);
	else if (type->kind == VARIABLE_VOID || type->kind == VARIABLE_OPAQUE || !type->bytes || type->bytes > 8)
		print_opaque(p, type, piece);
	else if (piece.length < type->bytes)
		text_print(p->out, "?");
	else
		print_scalar(p, type, piece);
	p->nesting--;
}

void variable_print(struct text *out, const struct variable_type *type, const uint8_t *bytes, size_t length,
	const struct variable_style *style)
{
	struct printer printer = {.out = out, .style = style, .most = out->length + TEXT_MOST};

	print_value(&printer, type, (struct piece){bytes, length});
}
