/* The images that kernels know by a handle: texture and surface objects, and references, whose handle is their
 * variable's address.
 *
 * The table changes only between quanta; the image of a handle stays in memory until the GPU is closed, since an
 * instruction may still use it. */
#ifndef LOCKSTEP_MEMORY_IMAGE_H
#define LOCKSTEP_MEMORY_IMAGE_H

#include "lockstep/image.h"
#include "memory/address_space.h"
#include "util/vector.h"

struct image_entry {
	uint64_t handle; /* 0: none now */
	struct lockstep_image image;
};

struct image_table {
	struct arena *arena;
	VECTOR(struct image_entry *) objects; /* by the low half of their handle, less 1 */
	VECTOR(struct image_entry *) references;
	uint32_t made;
};

/* Whether the memory of all levels is that of live allocations, each of one. */
bool image_is_allocated(const struct address_space *space, const struct lockstep_image *image);
/* Null when the image can be made, else what is wrong with it. */
const char *image_problem(const struct address_space *space, const struct lockstep_image *image);
/* Creates an object of a valid image; returns its handle, which no object had before. */
uint64_t image_create(struct image_table *table, const struct lockstep_image *image);
/* False: there is no such object. */
bool image_destroy(struct image_table *table, uint64_t handle);
/* Binds the reference variable at this address to the image; null: to none. */
void image_bind(struct image_table *table, uint64_t address, const struct lockstep_image *image);
/* The image of a handle, or null. */
const struct lockstep_image *image_find(const struct image_table *table, uint64_t handle);

static inline uint32_t image_texel_bytes(const struct lockstep_image *image)
{
	return (uint32_t)image->channels * image->channel_bits / 8;
}

#endif
