/* The table of images.  The handle of an object has its index in the low half and a count in the high bits, so that no
 * handle is used twice. */
#include "memory/image.h"

#include <assert.h>

#define MOST (1u << 28)     /* texels in a direction */
#define GENERATION_SHIFT 40 /* beyond every address, as those of references are */

static bool is_one_of(uint32_t value, uint32_t a, uint32_t b, uint32_t c)
{
	return value == a || value == b || value == c;
}

/* The bytes from a level's first texel to its last. */
static uint64_t level_bytes(const struct lockstep_image *image, const struct lockstep_image_level *level)
{
	assert(level->width);
	assert(level->height);
	assert(level->depth);
	return (level->depth - 1) * level->slice_bytes + (level->height - 1) * level->row_bytes +
	       (uint64_t)level->width * image_texel_bytes(image);
}

bool image_is_allocated(const struct address_space *space, const struct lockstep_image *image)
{
	for (uint32_t k = 0; k < image->level_count; k++)
		if (!space_find(space, image->level[k].address, level_bytes(image, &image->level[k])))
			return false;
	return true;
}

/* Of an order that fixes them. */
static uint8_t image_channels(enum lockstep_order order)
{
	switch (order) {
	case LOCKSTEP_ORDER_BGRA:
	case LOCKSTEP_ORDER_ARGB:
	case LOCKSTEP_ORDER_ABGR: return 4;
	case LOCKSTEP_ORDER_RA: return 2;
	default: return 1;
	}
}

const char *image_problem(const struct address_space *space, const struct lockstep_image *image)
{
	uint32_t texel = image_texel_bytes(image);

	if (!is_one_of(image->channel_bits, 8, 16, 32) || !is_one_of(image->channels, 1, 2, 4))
		return "channels have 8, 16 or 32 bits, and there are 1, 2 or 4 of them";
	if ((uint32_t)image->order > LOCKSTEP_ORDER_DEPTH)
		return "there is no such order of channels";
	if (image->order && image->channels != image_channels(image->order))
		return "the order of the channels needs another number of them";
	if (image->channel == LOCKSTEP_CHANNEL_FLOAT && image->channel_bits == 8)
		return "there are no floating-point channels of 8 bits";
	if (image->channel != LOCKSTEP_CHANNEL_FLOAT && image->channel_bits == 32 && image->normalized_float)
		return "integers of 32 bits are not read as floating point";
	if (!is_one_of(image->dimensions, 1, 2, 3) || (image->cube && image->dimensions != 2) ||
		(image->layered && image->dimensions == 3))
		return "images have 1 to 3 dimensions, cubes 2, and there are no layers of 3";
	if (!image->level_count || image->level_count > LOCKSTEP_IMAGE_LEVELS)
		return "an image has 1 to 16 levels";
	for (uint32_t k = 0; k < image->level_count; k++) {
		const struct lockstep_image_level *level = &image->level[k];

		if (!level->width || !level->height || !level->depth || level->width > MOST || level->height > MOST ||
			level->depth > MOST)
			return "an image has from 1 to 2^28 texels in every direction";
		if (image->cube && level->depth % 6)
			return "a cube has six faces";
		if (level->address % texel || (level->height > 1 && level->row_bytes % texel) ||
			(level->depth > 1 && level->slice_bytes % texel))
			return "rows must begin at multiples of a texel's size";
	}
	return image_is_allocated(space, image) ? NULL : "the image is not within one allocation";
}

static struct image_entry *free_object(struct image_table *table)
{
	struct image_entry *entry = arena_new(table->arena, struct image_entry);

	for (uint32_t k = 0; k < table->objects.count; k++)
		if (!table->objects.at[k]->handle) {
			/* a new entry: an instruction may still use the former one */
			table->objects.at[k] = entry;
			entry->handle = k + 1;
			return entry;
		}
	*vector_push(table->arena, &table->objects) = entry;
	entry->handle = table->objects.count;
	return entry;
}

uint64_t image_create(struct image_table *table, const struct lockstep_image *image)
{
	struct image_entry *entry = free_object(table);

	entry->handle |= (uint64_t)++table->made << GENERATION_SHIFT;
	entry->image = *image;
	assert(table->made < 1u << (64 - GENERATION_SHIFT));
	return entry->handle;
}

static struct image_entry *find_object(const struct image_table *table, uint64_t handle)
{
	uint64_t place = (handle & ((1ull << GENERATION_SHIFT) - 1)) - 1;

	if (place >= table->objects.count || table->objects.at[place]->handle != handle)
		return NULL;
	return table->objects.at[place];
}

bool image_destroy(struct image_table *table, uint64_t handle)
{
	struct image_entry *entry = handle ? find_object(table, handle) : NULL;

	if (entry)
		entry->handle = 0;
	return entry;
}

void image_bind(struct image_table *table, uint64_t address, const struct lockstep_image *image)
{
	struct image_entry *entry = NULL;

	assert(address < 1ull << GENERATION_SHIFT);
	for (uint32_t k = 0; k < table->references.count; k++)
		if (table->references.at[k]->handle == address) {
			table->references.at[k] = table->references.at[--table->references.count];
			break;
		}
	if (!image)
		return;
	entry = arena_new(table->arena, struct image_entry);
	*entry = (struct image_entry){.handle = address, .image = *image};
	*vector_push(table->arena, &table->references) = entry;
}

const struct lockstep_image *image_find(const struct image_table *table, uint64_t handle)
{
	struct image_entry *entry = handle ? find_object(table, handle) : NULL;

	for (uint32_t k = 0; !entry && handle && k < table->references.count; k++)
		if (table->references.at[k]->handle == handle)
			entry = table->references.at[k];
	return entry ? &entry->image : NULL;
}
