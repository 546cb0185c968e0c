/* Arrays, and arrays with levels: allocated, described, freed.  Copies are in array_copy.c. */
#include "host/cuda/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ROW_ALIGNMENT 32 /* bytes: that of sectors, so that no texel lies in two */

/* Arrays, and the first levels of those with levels. */
static struct cuda_array *all;

/* ---- Channels ---- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* Integers of a kind of their own, which are read as floating point always. */
static bool read_normalized(struct lockstep_image *image, int kind)
{
	static const uint8_t channels[] = {1, 2, 4};
	int which = kind - cudaChannelFormatKindUnsignedNormalized8X1;
	if (which < 0 || which >= 12)
		return false;
	image->channel = which < 6 ? LOCKSTEP_CHANNEL_UNSIGNED : LOCKSTEP_CHANNEL_SIGNED;
	image->channel_bits = which % 6 < 3 ? 8 : 16;
	image->channels = channels[which % 3];
	return image->normalized_float = true;
}

bool channel_read(struct lockstep_image *image, const struct cudaChannelFormatDesc *channel)
{
	const int bits[4] = {channel->x, channel->y, channel->z, channel->w};
	uint8_t count = 0;
	if (read_normalized(image, channel->f))
		return true;
	while (count < 4 && bits[count])
		count++;
	for (uint32_t k = 1; k < 4; k++)
		if (bits[k] != (k < count ? bits[0] : 0))
			return false;
	image->channel = channel->f == cudaChannelFormatKindSigned     ? LOCKSTEP_CHANNEL_SIGNED
			 : channel->f == cudaChannelFormatKindUnsigned ? LOCKSTEP_CHANNEL_UNSIGNED
								       : LOCKSTEP_CHANNEL_FLOAT;
	image->channel_bits = (uint8_t)bits[0];
	image->channels = count;
	if (channel->f < cudaChannelFormatKindSigned || channel->f > cudaChannelFormatKindFloat ||
		(count != 1 && count != 2 && count != 4))
		return false;
	return bits[0] == 16 || bits[0] == 32 || (bits[0] == 8 && channel->f != cudaChannelFormatKindFloat);
}

/* ---- Shapes ---- */

/* What the extent and the flags make of an image, and how large it may be (see device_info.c for the limits). */
static cudaError_t read_shape(struct lockstep_image *image, const struct cudaExtent *extent, unsigned int flags)
{
	struct cudaDeviceProp p;
	bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
	size_t w = extent->width, h = extent->height, d = extent->depth;
	cudaError_t error = cudaGetDeviceProperties(&p, 0);
	if (error)
		return error;
	if (flags & (cudaArraySparse | cudaArrayDeferredMapping))
		return cudaErrorNotSupported;
	if (flags & ~(cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather))
		return cudaErrorInvalidValue;
	image->layered = layered;
	image->cube = cube;
	image->dimensions = cube || (h && (!d || layered)) ? 2 : h ? 3 : 1;
	if (!w || (image->dimensions == 1 && !layered && d) || (layered && !d))
		return cudaErrorInvalidValue;
	if (cube && (w != h || d % 6 || !d || (!layered && d != 6)))
		return cudaErrorInvalidValue;
	const int *most = cube ? (const int[]){p.maxTextureCubemap, p.maxTextureCubemap, p.maxTextureCubemapLayered[1]}
			  : layered && !h ? (const int[]){p.maxTexture1DLayered[0], 0, p.maxTexture1DLayered[1]}
			  : layered       ? p.maxTexture2DLayered
			  : !h            ? (const int[]){p.maxTexture1D, 0, 0}
			  : !d            ? (const int[]){p.maxTexture2D[0], p.maxTexture2D[1], 0}
					  : p.maxTexture3D;
	return w > (size_t)most[0] || h > (size_t)most[1] || d > (size_t)most[2] ? cudaErrorInvalidValue : cudaSuccess;
}

static uint32_t at_least_1(size_t size)
{
	return size ? (uint32_t)size : 1;
}

/* Sizes of a level, and how many bytes it takes. */
static size_t lay_out(struct cuda_array *array)
{
	struct lockstep_image_level *level = &array->image.level[0];
	uint64_t row = (uint64_t)array->extent.width * array->image.channels * array->image.channel_bits / 8;
	level->width = at_least_1(array->extent.width);
	level->height = at_least_1(array->extent.height);
	level->depth = at_least_1(array->extent.depth);
	level->row_bytes = (row + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
	level->slice_bytes = level->row_bytes * level->height;
	return level->slice_bytes * level->depth;
}

static size_t half(size_t size)
{
	return size > 1 ? size / 2 : size;
}

/* ---- Allocating ---- */

static void remember(struct cuda_array *array)
{
	mutex_lock(&driver_lock);
	array->next = all;
	all = array;
	mutex_unlock(&driver_lock);
}

static void forget(const struct cuda_array *array)
{
	mutex_lock(&driver_lock);
	struct cuda_array **at = &all;
	while (*at && *at != array)
		at = &(*at)->next;
	assert(*at);
	*at = array->next;
	mutex_unlock(&driver_lock);
}

/* One array, or so many levels of one, side by side in memory. */
static cudaError_t create(struct cuda_array *level, uint32_t count, const struct cudaChannelFormatDesc *channel,
	const struct cudaExtent *extent, unsigned int flags)
{
	size_t bytes = 0;
	void *memory;
	level[0] = (struct cuda_array){.channel = *channel, .extent = *extent, .flags = flags, .image.level_count = 1};
	if (!channel_read(&level[0].image, channel))
		return cudaErrorInvalidChannelDescriptor;
	cudaError_t error = read_shape(&level[0].image, extent, flags);
	for (uint32_t k = 0; k < count && !error; k++) {
		if (k) {
			level[k] = level[k - 1];
			level[k].extent.width = half(level[k].extent.width);
			level[k].extent.height = half(level[k].extent.height);
			if (level[k].image.dimensions == 3)
				level[k].extent.depth = half(level[k].extent.depth);
		}
		level[k].image.level[0].address = bytes;
		bytes += lay_out(&level[k]);
	}
	if (!error)
		error = cudaMalloc(&memory, bytes);
	for (uint32_t k = 0; k < count && !error; k++)
		level[k].image.level[0].address += (uint64_t)(uintptr_t)memory;
	return error;
}

cudaError_t cudaMalloc3DArray(
	cudaArray_t *array, const struct cudaChannelFormatDesc *channel, struct cudaExtent extent, unsigned int flags)
{
	cudaError_t error = unsafe_before();
	if (!error && (!array || !channel))
		error = cudaErrorInvalidValue;
	struct cuda_array *made = error ? NULL : calloc(1, sizeof *made);
	if (!error)
		error = made ? create(made, 1, channel, &extent, flags) : cudaErrorMemoryAllocation;
	if (error) {
		free(made);
		return error_note(error);
	}
	remember(made);
	*array = made;
	return cudaSuccess;
}

/* Levels until all directions but layers are 1. */
static uint32_t most_levels(const struct cudaExtent *extent, unsigned int flags)
{
	bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
	size_t longest = extent->width | extent->height | (layers ? 0 : extent->depth);
	uint32_t count = 0;
	for (; longest; longest >>= 1)
		count++;
	return count < LOCKSTEP_IMAGE_LEVELS ? count : LOCKSTEP_IMAGE_LEVELS;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *channel,
	struct cudaExtent extent, unsigned int levels, unsigned int flags)
{
	cudaError_t error = unsafe_before();
	if (!error && (!array || !channel || !levels))
		error = cudaErrorInvalidValue;
	if (error)
		return error_note(error);
	uint32_t most = most_levels(&extent, flags), count = levels < most ? levels : most;
	struct cuda_mipmapped_array *made = calloc(1, sizeof *made);
	struct cuda_array *level = made ? calloc(count ? count : 1, sizeof *level) : NULL;
	error = level ? create(level, count ? count : 1, channel, &extent, flags) : cudaErrorMemoryAllocation;
	if (error) {
		free(level);
		free(made);
		return error_note(error);
	}
	*made = (struct cuda_mipmapped_array){level, count};
	for (uint32_t k = 0; k < count; k++)
		level[k].whole = made;
	remember(&level[0]);
	*array = made;
	return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_t array, unsigned int number)
{
	cudaError_t error = error_unless(level && mipmapped_known(array) && number < array->level_count);
	if (!error)
		*level = &array->level[number];
	return error_note(error);
}

/* ---- Freeing ---- */

/* The memory goes when nothing enqueued can use it any more. */
static cudaError_t release(struct cuda_array *first)
{
	void *memory = (void *)(uintptr_t)first->image.level[0].address;
	forget(first);
	return cudaFree(memory);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	cudaError_t error = unsafe_before();
	if (!error && (!array_known(array) || array->whole))
		error = cudaErrorInvalidValue;
	if (!error)
		error = release(array);
	if (!error)
		free(array);
	return error_note(error);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
	cudaError_t error = unsafe_before();
	if (!error && !mipmapped_known(array))
		error = cudaErrorInvalidValue;
	if (!error)
		error = release(&array->level[0]);
	if (!error) {
		free(array->level);
		free(array);
	}
	return error_note(error);
}

/* ---- Questions ---- */

static bool is_of(const struct cuda_array *array, const struct cuda_array *first)
{
	if (array == first)
		return true;
	return first->whole && array > first && array < first + first->whole->level_count;
}

bool array_known(const struct cuda_array *array)
{
	mutex_lock(&driver_lock);
	const struct cuda_array *first = all;
	while (first && !is_of(array, first))
		first = first->next;
	mutex_unlock(&driver_lock);
	return array && first;
}

bool mipmapped_known(const struct cuda_mipmapped_array *array)
{
	mutex_lock(&driver_lock);
	const struct cuda_array *first = all;
	while (first && first->whole != array)
		first = first->next;
	mutex_unlock(&driver_lock);
	return array && first;
}

cudaError_t cudaArrayGetInfo(
	struct cudaChannelFormatDesc *channel, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array)
{
	cudaError_t error = error_before();
	if (!error && !array_known(array))
		error = cudaErrorInvalidResourceHandle;
	if (error)
		return error_note(error);
	if (channel)
		*channel = array->channel;
	if (extent)
		*extent = array->extent;
	if (flags)
		*flags = array->flags;
	return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *channel, cudaArray_const_t array)
{
	cudaError_t error = error_unless(channel);
	return error ? error_note(error) : cudaArrayGetInfo(channel, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}
