/* Reads the textures and surfaces of --arg, and lays their levels out. */
#include "cli/arguments.h"

#include "util/text.h"

#include <string.h>

static const struct shape {
	const char *name;
	uint32_t numbers; /* W, WxH ... */
	uint8_t dimensions;
	bool layered, cube, buffer;
} shapes[] = {
	{"1d", 1, 1, false, false, false},
	{"2d", 2, 2, false, false, false},
	{"3d", 3, 3, false, false, false},
	{"a1d", 2, 1, true, false, false},
	{"a2d", 3, 2, true, false, false},
	{"cube", 1, 2, false, true, false},
	{"acube", 2, 2, true, true, false},
	{"buffer", 1, 1, false, false, true},
};

/* "8x4x2": exactly `count` numbers. */
static bool read_numbers(struct arena *arena, const char *text, uint32_t count, uint32_t number[3])
{
	for (uint32_t k = 0; k < count; k++) {
		size_t length = strcspn(text, "x");
		uint64_t value;
		if (!text_to_u64(arena_copy(arena, text, length), &value) || !value || value >> 28 ||
			!text[length] != (k + 1 == count))
			return false;
		number[k] = (uint32_t)value;
		text += length + 1;
	}
	return true;
}

static bool read_shape(struct arena *arena, const char *text, struct lockstep_image *image)
{
	struct lockstep_image_level *level = &image->level[0];
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		const struct shape *shape = &shapes[s];
		size_t length = strlen(shape->name);
		uint32_t number[3] = {1, 1, 1};
		if (strncmp(text, shape->name, length) || text[length] != '=')
			continue;
		if (!read_numbers(arena, text + length + 1, shape->numbers, number))
			return false;
		image->dimensions = shape->dimensions;
		image->layered = shape->layered;
		image->cube = shape->cube;
		image->buffer = shape->buffer;
		level->width = number[0];
		level->height = shape->cube ? number[0] : shape->dimensions > 1 ? number[1] : 1;
		level->depth = shape->cube ? 6 * number[1] : shape->dimensions == 1 ? number[1] : number[2];
		return true;
	}
	return false;
}

/* A type of values of at most 32 bits, of which a texel has one, two or four. */
static bool read_format(const char *text, struct lockstep_image *image)
{
	static const enum lockstep_channel channels[] = {[VALUE_UNSIGNED] = LOCKSTEP_CHANNEL_UNSIGNED,
		[VALUE_SIGNED] = LOCKSTEP_CHANNEL_SIGNED,
		[VALUE_FLOAT] = LOCKSTEP_CHANNEL_FLOAT};
	size_t length = strcspn(text, "x");
	const struct value_type *type = value_type_find(text, length);
	if (!type || type->bytes > 4)
		return false;
	image->channel = channels[type->kind];
	image->channel_bits = (uint8_t)(type->bytes * 8);
	image->channels = !text[length] ? 1 : !strcmp(text + length, "x2") ? 2 : !strcmp(text + length, "x4") ? 4 : 0;
	return image->channels != 0;
}

static void set_addressing(struct lockstep_image *image, enum lockstep_addressing mode)
{
	for (uint32_t k = 0; k < 3; k++)
		image->addressing[k] = mode;
}

static bool read_option(const char *text, struct lockstep_image *image)
{
	double border;
	uint64_t levels;
	if (!strcmp(text, "wrap"))
		set_addressing(image, LOCKSTEP_ADDRESS_WRAP);
	else if (!strcmp(text, "clamp"))
		set_addressing(image, LOCKSTEP_ADDRESS_CLAMP);
	else if (!strcmp(text, "mirror"))
		set_addressing(image, LOCKSTEP_ADDRESS_MIRROR);
	else if (!strcmp(text, "linear"))
		image->linear = true;
	else if (!strcmp(text, "normalized"))
		image->normalized = true;
	else if (!strcmp(text, "float"))
		image->normalized_float = true;
	else if (!strcmp(text, "srgb"))
		image->srgb = true;
	else if (!strcmp(text, "trilinear"))
		image->linear_levels = true;
	else if (!strncmp(text, "border=", 7) && text_to_f64(text + 7, &border)) {
		set_addressing(image, LOCKSTEP_ADDRESS_BORDER);
		for (uint32_t k = 0; k < 4; k++)
			image->border[k] = (float)border;
	} else if (!strncmp(text, "levels=", 7) && text_to_u64(text + 7, &levels) && levels >= 1 &&
		   levels <= LOCKSTEP_IMAGE_LEVELS)
		image->level_count = (uint32_t)levels;
	else
		return false;
	return true;
}

static uint32_t half(uint32_t size)
{
	return size > 1 ? size / 2 : 1;
}

/* Sizes and places of all levels, from the first one's size. */
static void lay_out(struct lockstep_image *image)
{
	uint64_t at = 0;
	for (uint32_t k = 0; k < image->level_count; k++) {
		struct lockstep_image_level *level = &image->level[k];
		if (k)
			*level = (struct lockstep_image_level){.width = half(level[-1].width),
				.height = half(level[-1].height),
				.depth = image->dimensions == 3 ? half(level[-1].depth) : level[-1].depth};
		level->address = at;
		level->row_bytes = (uint64_t)level->width * image->channels * image->channel_bits / 8;
		level->slice_bytes = level->row_bytes * level->height;
		at += level->slice_bytes * level->depth;
	}
}

const char *image_read(struct arena *arena, bool is_surface, const char *shape, const char *format, const char *options,
	struct lockstep_image *image)
{
	*image = (struct lockstep_image){.use = is_surface ? LOCKSTEP_SURFACE : LOCKSTEP_TEXTURE,
		.level_count = 1,
		.level_max = LOCKSTEP_IMAGE_LEVELS};
	set_addressing(image, LOCKSTEP_ADDRESS_CLAMP);
	if (!read_shape(arena, shape, image))
		return arena_printf(arena,
			"bad shape '%s', expected 1d=W, 2d=WxH, 3d=WxHxD, a1d=WxL, a2d=WxHxL, cube=W, acube=WxC or "
			"buffer=W",
			shape);
	if (!read_format(format, image))
		return arena_printf(arena,
			"bad format '%s', expected u8, s8, u16, s16, f16, u32, s32 or f32, alone or with x2 or x4",
			format);
	while (options && !is_surface) {
		size_t length = strcspn(options, ",");
		const char *option = arena_copy(arena, options, length);
		if (!read_option(option, image))
			return arena_printf(arena,
				"bad option '%s', expected wrap, clamp, mirror, border=V, linear, normalized, float, "
				"srgb, levels=N or trilinear",
				option);
		options = options[length] ? options + length + 1 : NULL;
	}
	if (options)
		return "a surface has no options";
	lay_out(image);
	return NULL;
}

void image_place(struct lockstep_image *image, uint64_t address)
{
	for (uint32_t k = 0; k < image->level_count; k++)
		image->level[k].address += address;
}
