/* Reads the tensor maps of --arg. */
#include "cli/arguments.h"

#include "util/tensor_map.h"
#include "util/text.h"

#include <string.h>

static const char *const swizzle_names[TENSOR_SWIZZLES] = {
	"none", "32", "64", "128", "128-atom32", "128-atom32-flip8", "128-atom64"};

/* The number of a name; `count`: it is none of them. */
static uint32_t find_name(const char *const *names, uint32_t count, const char *name)
{
	uint32_t k = 0;
	while (k < count && strcmp(names[k], name))
		k++;
	return k;
}

static bool read_tensor_type(const char *name, struct tensor_request *r)
{
	r->type = 0;
	while (r->type < TENSOR_TYPES && strcmp(tensor_type_name(r->type), name))
		r->type++;
	return r->type < TENSOR_TYPES;
}

/* "8x-4x2", of any sign: how many numbers there are; 0 for another text, and for more than fit. */
static uint32_t read_signed(struct arena *arena, const char *text, int64_t numbers[TENSOR_RANK])
{
	for (uint32_t k = 0; k < TENSOR_RANK; k++) {
		size_t length = strcspn(text, "x");
		if (!text_to_s64(arena_copy(arena, text, length), &numbers[k]))
			return 0;
		if (!text[length])
			return k + 1;
		text += length + 1;
	}
	return 0;
}

/* The same, none of them negative or beyond 2^40: what is too large for a map is told by its rules. */
static uint32_t read_numbers(struct arena *arena, const char *text, int64_t numbers[TENSOR_RANK])
{
	uint32_t count = read_signed(arena, text, numbers);
	for (uint32_t k = 0; k < count; k++)
		if (numbers[k] < 0 || numbers[k] > (int64_t)1 << 40)
			return 0;
	return count;
}

static uint32_t narrow(int64_t number)
{
	return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* Rows, planes ... without anything between them. */
static void make_dense(struct tensor_request *r)
{
	uint64_t bytes = r->size[0] * tensor_type_bits(r->type) / 8;
	for (uint32_t k = 1; k < r->rank; k++) {
		r->stride[k - 1] = bytes;
		if (__builtin_mul_overflow(bytes, r->size[k], &bytes))
			bytes = UINT64_MAX; /* which is no stride */
	}
}

/* SIZES and STRIDES. */
static const char *read_tensor(struct arena *arena, const char *sizes, const char *strides, struct tensor_request *r)
{
	int64_t number[TENSOR_RANK];
	r->rank = read_numbers(arena, sizes, number);
	if (!r->rank)
		return arena_printf(
			arena, "bad sizes '%s', expected 1 to 5 numbers such as 64x32, innermost first", sizes);
	for (uint32_t k = 0; k < r->rank; k++)
		r->size[k] = (uint64_t)number[k];
	if (!strcmp(strides, "dense")) {
		make_dense(r);
		return NULL;
	}
	if (read_numbers(arena, strides, number) != r->rank - 1)
		return arena_printf(arena, "bad strides '%s', expected dense, or %u number%s of bytes", strides,
			r->rank - 1, r->rank == 2 ? "" : "s");
	for (uint32_t k = 1; k < r->rank; k++)
		r->stride[k - 1] = (uint64_t)number[k - 1];
	return NULL;
}

/* Of im2col a box has two numbers; the mode is known by now. */
static const char *read_box(struct arena *arena, const char *box, struct tensor_request *r)
{
	int64_t number[TENSOR_RANK];
	uint32_t count = r->mode == TENSOR_TILED ? r->rank : 2;
	if (read_numbers(arena, box, number) != count)
		return r->mode == TENSOR_TILED
			       ? arena_printf(
					 arena, "bad box '%s', expected %u number%s", box, count, count == 1 ? "" : "s")
			       : arena_printf(arena, "bad box '%s', expected CHANNELSxPIXELS for im2col", box);
	for (uint32_t k = 0; k < count; k++)
		r->box[k] = narrow(number[k]);
	return NULL;
}

/* LOWER,UPPER */
static bool read_corners(struct arena *arena, const char *text, uint32_t count, struct tensor_request *r)
{
	int64_t lower[TENSOR_RANK], upper[TENSOR_RANK];
	size_t length = strcspn(text, ",");
	if (!text[length] || read_signed(arena, arena_copy(arena, text, length), lower) != count ||
		read_signed(arena, text + length + 1, upper) != count)
		return false;
	for (uint32_t k = 0; k < count; k++) {
		if (lower[k] != (int32_t)lower[k] || upper[k] != (int32_t)upper[k])
			return false;
		r->lower[k] = (int32_t)lower[k];
		r->upper[k] = (int32_t)upper[k];
	}
	return true;
}

/* im2col=, wide= and wide128= */
static const char *read_im2col(struct arena *arena, const char *option, const char *value, struct tensor_request *r)
{
	bool is_wide = *option == 'w';
	uint32_t count = is_wide ? 1 : r->rank - 2;
	r->mode = is_wide ? TENSOR_IM2COL_WIDE : TENSOR_IM2COL;
	r->wide_128 = !strncmp(option, "wide128", 7);
	if (r->rank < 3)
		return arena_printf(arena, "bad option '%s', expected a tensor of 3 to 5 dimensions", option);
	if (!read_corners(arena, value, count, r))
		return arena_printf(arena, "bad option '%s', expected LOWER,UPPER, each %u number%s such as %s", option,
			count, count == 1 ? "" : "s",
			count == 1   ? "-1"
			: count == 2 ? "-1x-1"
				     : "-1x-1x-1");
	return NULL;
}

static const char *read_option(struct arena *arena, const char *option, struct tensor_request *r)
{
	const char *value = strchr(option, '=') + 1;
	size_t length = (size_t)(value - option);
	int64_t number[TENSOR_RANK];
	if (!strncmp(option, "steps=", length)) {
		if (read_numbers(arena, value, number) != r->rank)
			return arena_printf(arena, "bad option '%s', expected %u numbers such as 1x2", option, r->rank);
		for (uint32_t k = 0; k < r->rank; k++)
			r->step[k] = narrow(number[k]);
		return NULL;
	}
	if (!strncmp(option, "interleave=", length)) {
		r->interleave = !strcmp(value, "16") ? TENSOR_INTERLEAVE_16 : TENSOR_INTERLEAVE_32;
		return !strcmp(value, "16") || !strcmp(value, "32")
			       ? NULL
			       : arena_printf(arena, "bad option '%s', expected interleave=16 or 32", option);
	}
	if (!strncmp(option, "im2col=", length) || !strncmp(option, "wide=", length) ||
		!strncmp(option, "wide128=", length))
		return read_im2col(arena, option, value, r);
	return arena_printf(
		arena, "bad option '%s', expected steps=, interleave=, im2col=, wide=, wide128= or new=", option);
}

/* SWIZZLE, then FILL: the first and the second word without '='. */
static const char *read_word(struct arena *arena, const char *word, uint32_t place, struct tensor_request *r)
{
	static const char *const fills[TENSOR_FILLS] = {"zero", "nan"};
	if (place == 0) {
		r->swizzle = find_name(swizzle_names, TENSOR_SWIZZLES, word);
		return r->swizzle < TENSOR_SWIZZLES ? NULL
						    : arena_printf(arena,
							      "bad swizzle '%s', expected none, 32, 64, 128, "
							      "128-atom32, 128-atom32-flip8 or "
							      "128-atom64",
							      word);
	}
	r->fill = find_name(fills, TENSOR_FILLS, word);
	if (place > 1 || r->fill == TENSOR_FILLS)
		return arena_printf(arena, "bad part '%s', expected %s", word,
			place > 1 ? "options, with an = each" : "zero or nan for the fill");
	return NULL;
}

/* What follows BOX. */
static const char *read_rest(struct arena *arena, const char *rest, struct tensor_request *r, const char **contents)
{
	const char *problem = NULL;
	for (uint32_t words = 0; rest && !problem;) {
		size_t length = strcspn(rest, ":");
		const char *part = arena_copy(arena, rest, length);
		bool is_new = !strncmp(part, "new", 3) && (!part[3] || part[3] == '=');
		if (is_new) {
			*contents = rest[3] == '=' ? rest + 4 : "";
			return !part[3] && rest[length] ? "bad part 'new', expected it to be the last" : NULL;
		}
		problem = strchr(part, '=') ? read_option(arena, part, r) : read_word(arena, part, words++, r);
		rest = rest[length] ? rest + length + 1 : NULL;
	}
	return problem;
}

const char *tensor_read(struct arena *arena, const char *text, struct tensor_request *r, const char **contents)
{
	enum { TYPE, SIZES, STRIDES, BOX, PARTS };
	const char *part[PARTS];
	char wrong[200];
	struct tensor_map map;
	*r = (struct tensor_request){.mode = TENSOR_TILED, .step = {1, 1, 1, 1, 1}};
	*contents = NULL;
	for (uint32_t k = 0; k < PARTS; k++) {
		if (!text)
			return "a part is missing, expected tensor:BUFFER:TYPE:SIZES:STRIDES:BOX[:SWIZZLE[:FILL]]";
		size_t length = strcspn(text, ":");
		part[k] = arena_copy(arena, text, length);
		text = text[length] ? text + length + 1 : NULL;
	}
	if (!read_tensor_type(part[TYPE], r))
		return arena_printf(arena,
			"unknown type '%s', expected u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32.ftz, tf32, "
			"tf32.ftz, b4x16, b4x16_p64 or b6x16_p32",
			part[TYPE]);
	const char *problem = read_tensor(arena, part[SIZES], part[STRIDES], r);
	if (!problem)
		problem = read_rest(arena, text, r, contents);
	if (!problem)
		problem = read_box(arena, part[BOX], r);
	if (!problem && !tensor_map_make(r, &map, wrong, sizeof wrong))
		problem = arena_text(arena, wrong);
	return problem;
}

const struct value_type *tensor_value_type(uint32_t type)
{
	const char *name = tensor_type_name(type);
	const struct value_type *same = value_type_find(name, strcspn(name, "."));
	uint32_t bits = tensor_type_bits(type);
	name = bits == 32 ? "f32" : bits == 16 ? "u16" : "u8"; /* tf32, bf16, packed */
	return same ? same : value_type_find(name, strlen(name));
}

uint64_t tensor_bytes(const struct tensor_request *r)
{
	__uint128_t bytes = ((__uint128_t)r->size[0] * tensor_type_bits(r->type) + 7) / 8;
	for (uint32_t k = 1; k < r->rank; k++)
		bytes += (__uint128_t)(r->size[k] - 1) * r->stride[k - 1];
	return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}
