/* Reads --arg, --dump and --grid: text to structs, with nothing opened, allocated or filled on the way. */
#include "cli/arguments.h"

#include "util/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What is being read, for the messages: `--arg buf:a:u32:x: bad count 'x', expected ...`. */
struct reader {
	struct arena *arena;
	struct diagnostic *diagnostic;
	const char *option, *text;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reader *r, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	const char *why = arena_vprintf(r->arena, format, list);
	va_end(list);
	return diagnose(r->diagnostic, (struct place){0}, "%s %s: %s", r->option, r->text, why);
}

/* Cuts the text up to the next ':' off *rest; *rest is null after the last part. */
static const char *next_part(const struct reader *r, const char **rest)
{
	const char *start = *rest, *colon = strchr(start, ':');
	*rest = colon ? colon + 1 : NULL;
	return colon ? arena_copy(r->arena, start, (size_t)(colon - start)) : start;
}

static bool read_name(const struct reader *r, const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	if (*name && !name[strspn(name, allowed)])
		return true;
	return refuse(r, "bad name '%s', expected letters, digits, '_', '-' and '.'", name);
}

static const struct value_type *read_type(const struct reader *r, const char *name)
{
	const struct value_type *type = value_type_find(name, strlen(name));
	if (!type)
		refuse(r, "unknown type '%s', expected %s", name, value_type_names);
	return type;
}

/* The bounds of an integer type, wide enough for all. */
static __int128 lowest_of(const struct value_type *type)
{
	return type->kind == VALUE_SIGNED ? -((__int128)1 << (type->bytes * 8 - 1)) : 0;
}

static __int128 beyond_of(const struct value_type *type)
{
	return (__int128)1 << (type->bytes * 8 - (type->kind == VALUE_SIGNED));
}

/* Decimal for messages: no printf knows __int128. */
static const char *wide_text(struct arena *arena, __int128 value)
{
	if (value > (__int128)UINT64_MAX)
		return "18446744073709551616";
	if (value < 0)
		return arena_printf(arena, "%" PRId64, (int64_t)value);
	return arena_printf(arena, "%" PRIu64, (uint64_t)value);
}

/* A whole number from lowest to beyond - 1. */
static bool read_integer(
	const struct reader *r, const char *what, const char *text, __int128 lowest, __int128 beyond, __int128 *value)
{
	int64_t negative;
	uint64_t positive;
	bool good = false;
	if (*text == '-' && (good = text_to_s64(text, &negative)))
		*value = negative;
	else if (*text != '-' && (good = text_to_u64(text, &positive)))
		*value = (__int128)positive;
	if (good && *value >= lowest && *value < beyond)
		return true;
	return refuse(r, "bad %s '%s', expected a whole number from %s to %s", what, text, wide_text(r->arena, lowest),
		wide_text(r->arena, beyond - 1));
}

static bool read_count(const struct reader *r, const char *what, const char *text, uint64_t lowest, uint64_t *value)
{
	__int128 wide = 0;
	if (!read_integer(r, what, text, (__int128)lowest, (__int128)1 << 64, &wide))
		return false;
	*value = (uint64_t)wide;
	return true;
}

static bool read_double(const struct reader *r, const char *what, const char *text, double *value)
{
	if (text_to_f64(text, value))
		return true;
	return refuse(r, "bad %s '%s', expected a number such as 1.5, -2e-3, nan, inf or -inf", what, text);
}

/* NUMBER of a type; a fill may be negative for unsigned types, too, and then means its low bits. */
static bool read_number(
	const struct reader *r, const struct value_type *type, const char *text, bool is_fill, uint64_t *bits)
{
	if (type->kind == VALUE_FLOAT) {
		double value = 0;
		if (!read_double(r, "value", text, &value))
			return false;
		*bits = value_bits_of_double(type, value);
		return true;
	}
	__int128 value = 0, lowest = lowest_of(type);
	if (is_fill)
		lowest = -((__int128)1 << (type->bytes * 8 - 1));
	if (!read_integer(r, "value", text, lowest, beyond_of(type), &value))
		return false;
	*bits = (uint64_t)value & (UINT64_MAX >> (64 - type->bytes * 8));
	return true;
}

/* LOW and HIGH of random=, HIGH itself excluded. */
static bool read_bounds(
	const struct reader *r, const struct value_type *type, const char *low, const char *high, struct fill *fill)
{
	fill->bounded = true;
	if (type->kind == VALUE_FLOAT) {
		if (!read_double(r, "lower bound", low, &fill->from) || !read_double(r, "upper bound", high, &fill->to))
			return false;
		if (!isfinite(fill->from) || !isfinite(fill->to) || !(fill->from < fill->to))
			return refuse(r, "bad bounds %s,%s, expected finite numbers, the lower one first", low, high);
		return true;
	}
	__int128 from = 0, to = 0;
	if (!read_integer(r, "lower bound", low, lowest_of(type), beyond_of(type), &from) ||
		!read_integer(r, "upper bound", high, lowest_of(type), beyond_of(type) + 1, &to))
		return false;
	if (from >= to)
		return refuse(
			r, "bad bounds %s,%s, expected the lower one first (the upper one is excluded)", low, high);
	fill->low = (uint64_t)from;
	fill->width = (uint64_t)(to - from); /* at most 2^64 - 1: 2^64 is no upper bound that can be written */
	return true;
}

/* SEED [ "," LOW "," HIGH ] */
static bool read_random(const struct reader *r, const struct value_type *type, const char *text, struct fill *fill)
{
	fill->kind = FILL_RANDOM;
	const char *comma = strchr(text, ','), *second = comma ? strchr(comma + 1, ',') : NULL;
	if (comma && !second)
		return refuse(r, "bad random '%s', expected SEED or SEED,LOW,HIGH", text);
	const char *seed = comma ? arena_copy(r->arena, text, (size_t)(comma - text)) : text;
	if (!read_count(r, "seed", seed, 0, &fill->seed))
		return false;
	if (comma)
		return read_bounds(
			r, type, arena_copy(r->arena, comma + 1, (size_t)(second - comma - 1)), second + 1, fill);
	if (type->kind == VALUE_FLOAT)
		return refuse(r, "random needs bounds for %s, expected random=SEED,LOW,HIGH", type->name);
	return true;
}

static bool read_fill(const struct reader *r, const struct value_type *type, const char *text, struct fill *fill)
{
	if (!strcmp(text, "zero")) {
		fill->kind = FILL_ZERO;
		return true;
	}
	if (!strcmp(text, "iota")) {
		fill->kind = FILL_IOTA;
		return true;
	}
	if (!strncmp(text, "fill=", 5)) {
		fill->kind = FILL_VALUE;
		return read_number(r, type, text + 5, true, &fill->bits);
	}
	if (!strncmp(text, "random=", 7))
		return read_random(r, type, text + 7, fill);
	if (!strncmp(text, "file=", 5) && text[5]) {
		fill->kind = FILL_FILE;
		fill->path = text + 5;
		return true;
	}
	return refuse(r, "bad contents '%s', expected zero, fill=V, iota, random=SEED[,LOW,HIGH] or file=PATH", text);
}

static bool is_too_large(const struct argument *argument)
{
	return argument->count > (UINT64_MAX >> 8) / argument->type->bytes;
}

/* NAME ":" TYPE ":" COUNT [ ":" fill ] */
static bool read_buffer(const struct reader *r, const char *rest, struct argument *argument)
{
	argument->kind = ARGUMENT_BUFFER;
	argument->name = next_part(r, &rest);
	const char *type = rest ? next_part(r, &rest) : NULL;
	const char *count = rest ? next_part(r, &rest) : NULL;
	if (!count)
		return refuse(r, "a part is missing, expected buf:NAME:TYPE:COUNT[:CONTENTS]");
	if (!read_name(r, argument->name) || !(argument->type = read_type(r, type)) ||
		!read_count(r, "count", count, 1, &argument->count))
		return false;
	if (is_too_large(argument))
		return refuse(r, "bad count '%s', no GPU has that much memory", count);
	return !rest || read_fill(r, argument->type, rest, &argument->fill);
}

/* BUFFER ":" shape ":" format [ ":" options ] */
static bool read_image(const struct reader *r, bool is_surface, const char *rest, struct argument *argument)
{
	struct lockstep_image *image = arena_new(r->arena, struct lockstep_image);
	argument->kind = ARGUMENT_IMAGE;
	argument->image = image;
	argument->name = next_part(r, &rest);
	const char *shape = rest ? next_part(r, &rest) : NULL;
	const char *format = rest ? next_part(r, &rest) : NULL;
	if (!format)
		return refuse(r, "a part is missing, expected %s:BUFFER:SHAPE:FORMAT", is_surface ? "surf" : "tex");
	const char *problem = image_read(r->arena, is_surface, shape, format, rest, image);
	if (problem)
		return refuse(r, "%s", problem);
	return read_name(r, argument->name);
}

/* BUFFER ":" ... */
static bool read_tensor(const struct reader *r, const char *rest, struct argument *argument)
{
	struct tensor_request *tensor = arena_new(r->arena, struct tensor_request);
	const char *contents;
	argument->kind = ARGUMENT_TENSOR;
	argument->tensor = tensor;
	argument->name = next_part(r, &rest);
	const char *problem = tensor_read(r->arena, rest, tensor, &contents);
	if (problem)
		return refuse(r, "%s", problem);
	if (!read_name(r, argument->name) || !contents)
		return !r->diagnostic->failed;
	uint64_t bytes = tensor_bytes(tensor);
	argument->type = tensor_value_type(tensor->type);
	argument->count = bytes / argument->type->bytes + (bytes % argument->type->bytes != 0);
	if (is_too_large(argument))
		return refuse(r, "no GPU has memory for so large a tensor");
	return !*contents || read_fill(r, argument->type, contents, &argument->fill);
}

bool argument_read(struct arena *arena, const char *text, struct argument *argument, struct diagnostic *diagnostic)
{
	struct reader r = {arena, diagnostic, "--arg", arena_text(arena, text)};
	*argument = (struct argument){.text = r.text};
	const char *rest = r.text;
	const char *head = next_part(&r, &rest);
	if (!rest)
		return refuse(
			&r, "expected TYPE:VALUE, buf:NAME:TYPE:COUNT[:CONTENTS], ref:NAME, tex:, surf: or tensor:");
	if (!strcmp(head, "buf"))
		return read_buffer(&r, rest, argument);
	if (!strcmp(head, "tex") || !strcmp(head, "surf"))
		return read_image(&r, head[0] == 's', rest, argument);
	if (!strcmp(head, "tensor"))
		return read_tensor(&r, rest, argument);
	if (!strcmp(head, "ref")) {
		argument->kind = ARGUMENT_REFERENCE;
		argument->name = rest;
		return read_name(&r, rest);
	}
	argument->type = value_type_find(head, strlen(head));
	if (!argument->type)
		return refuse(&r, "unknown type '%s', expected buf, ref, %s", head, value_type_names);
	return read_number(&r, argument->type, rest, false, &argument->bits);
}

bool dump_read(struct arena *arena, const char *text, struct dump *dump, struct diagnostic *diagnostic)
{
	struct reader r = {arena, diagnostic, "--dump", arena_text(arena, text)};
	const char *rest = r.text;
	*dump = (struct dump){.name = next_part(&r, &rest)};
	dump->whole = !rest; /* by next_part: initialisers have no order */
	if (!read_name(&r, dump->name))
		return false;
	if (dump->whole)
		return true;
	const char *first = next_part(&r, &rest);
	if (!rest || strchr(rest, ':'))
		return refuse(&r, "expected NAME or NAME:FIRST:COUNT");
	return read_count(&r, "first element", first, 0, &dump->first) &&
	       read_count(&r, "count", rest, 1, &dump->count);
}

bool grid_read(const char *option, const char *text, uint32_t size[3], struct diagnostic *diagnostic)
{
	const char *at = text;
	size[0] = size[1] = size[2] = 1;
	for (int k = 0; k < 3; k++) {
		size_t length = strcspn(at, ",");
		char number[16] = "";
		uint64_t value = 0;
		if (length < sizeof number)
			memcpy(number, at, length);
		if (!text_to_u64(number, &value) || value < 1 || value > UINT32_MAX)
			break;
		size[k] = (uint32_t)value;
		if (!at[length])
			return true;
		at += length + 1;
	}
	return diagnose(diagnostic, (struct place){0}, "%s %s: expected X, X,Y or X,Y,Z, each from 1 to 4294967295",
		option, text);
}
