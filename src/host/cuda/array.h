/* Arrays: memory for textures and surfaces.  We choose the layout: one row after another. */
#ifndef LOCKSTEP_HOST_CUDA_ARRAY_H
#define LOCKSTEP_HOST_CUDA_ARRAY_H

#include "host/cuda/objects.h"

struct cuda_array {
	struct cuda_array *next; /* in the list of all; guarded by driver_lock */
	struct cudaChannelFormatDesc channel;
	struct cudaExtent extent; /* as asked for: 0 in directions that it lacks */
	unsigned int flags;
	struct lockstep_image image;        /* one level, at its address; of sampling only normalized_float */
	struct cuda_mipmapped_array *whole; /* the array that this one is a level of; null: it is on its own */
};

struct cuda_mipmapped_array {
	struct cuda_array *level; /* from malloc */
	uint32_t level_count;
};

static inline size_t element_bytes(const struct cuda_array *array)
{
	return (size_t)array->image.channels * array->image.channel_bits / 8;
}

/* Reads the channels of an image; false: there are no such channels. */
bool channel_read(struct lockstep_image *image, const struct cudaChannelFormatDesc *channel);
/* Whether a handle is that of an array, or of an array with levels. */
bool array_known(const struct cuda_array *array);
bool mipmapped_known(const struct cuda_mipmapped_array *array);

/* The images of textures and surfaces with these descriptions. */
cudaError_t texture_describe(
	struct lockstep_image *image, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *sampling);
cudaError_t surface_describe(struct lockstep_image *image, const struct cudaResourceDesc *resource);

/* One side of a copy, in an array from byte x of row y of slice z on; false: the box is not within it. */
bool array_side(struct side *side, const struct cuda_array *array, const size_t at[3], const size_t box[3]);

/* For rows of copy_calls.def: between an array and memory.  A straight piece of bytes goes on in the array's next row.
 */
cudaError_t array_copy(const struct way *way, const struct cuda_array *array, size_t x, size_t y, const void *memory,
	size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, bool to_array);
cudaError_t array_copy_bytes(const struct way *way, const struct cuda_array *array, size_t x, size_t y,
	const void *memory, size_t bytes, enum cudaMemcpyKind kind, bool to_array);
cudaError_t box_copy(const struct way *way, const struct cudaMemcpy3DParms *p);
/* The same copy, not resolved yet. */
cudaError_t box_describe(struct copy *copy, const struct cudaMemcpy3DParms *p);
cudaError_t box_copy_between(const struct way *way, const struct cudaMemcpy3DPeerParms *p);
cudaError_t box_fill(const struct way *way, struct cudaPitchedPtr to, int value, struct cudaExtent extent);

#endif
