/* Texture and surface objects: from CUDA's descriptions to the simulator's images. */
#include "host/cuda/array.h"

#include <stdlib.h>
#include <string.h>

/* What an object was made of.  Guarded by driver_lock. */
struct object {
	struct object *next;
	unsigned long long handle;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc sampling;
};
static struct object *textures, *surfaces;

/* ---- Resources ---- */

static cudaError_t of_array(struct lockstep_image *image, const struct cuda_array *array)
{
	if (!array_known(array))
		return cudaErrorInvalidResourceHandle;
	*image = array->image;
	return cudaSuccess;
}

static cudaError_t of_mipmapped(struct lockstep_image *image, const struct cuda_mipmapped_array *array)
{
	if (!mipmapped_known(array))
		return cudaErrorInvalidResourceHandle;
	*image = array->level[0].image;
	image->level_count = array->level_count;
	for (uint32_t k = 0; k < array->level_count; k++)
		image->level[k] = array->level[k].image.level[0];
	return cudaSuccess;
}

/* Memory that begins as textures must, and is all there. */
static cudaError_t check_memory(const void *pointer, size_t bytes, const struct cudaDeviceProp *p)
{
	struct memory m;
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	if (address % p->textureAlignment || !memory_find(address, &m))
		return cudaErrorInvalidValue;
	return bytes <= m.bytes - (address - m.address) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t of_linear(
	struct lockstep_image *image, const struct cudaResourceDesc *d, const struct cudaDeviceProp *p)
{
	if (!channel_read(image, &d->res.linear.desc))
		return cudaErrorInvalidChannelDescriptor;
	uint64_t count = d->res.linear.sizeInBytes / ((uint64_t)image->channels * image->channel_bits / 8);
	if (!count || count > LINEAR_TEXELS)
		return cudaErrorInvalidValue;
	image->dimensions = 1;
	image->buffer = true;
	image->level_count = 1;
	image->level[0] = (struct lockstep_image_level){.address = (uint64_t)(uintptr_t)d->res.linear.devPtr,
		.width = (uint32_t)count,
		.height = 1,
		.depth = 1};
	return check_memory(d->res.linear.devPtr, d->res.linear.sizeInBytes, p);
}

static cudaError_t of_pitched(
	struct lockstep_image *image, const struct cudaResourceDesc *d, const struct cudaDeviceProp *p)
{
	size_t width = d->res.pitch2D.width, height = d->res.pitch2D.height, pitch = d->res.pitch2D.pitchInBytes;
	if (!channel_read(image, &d->res.pitch2D.desc))
		return cudaErrorInvalidChannelDescriptor;
	size_t row = width * image->channels * image->channel_bits / 8;
	if (!width || !height || width > (size_t)p->maxTexture2DLinear[0] || height > (size_t)p->maxTexture2DLinear[1])
		return cudaErrorInvalidValue;
	if (pitch < row || pitch > (size_t)p->maxTexture2DLinear[2] || pitch % p->texturePitchAlignment)
		return cudaErrorInvalidValue;
	image->dimensions = 2;
	image->level_count = 1;
	image->level[0] = (struct lockstep_image_level){.address = (uint64_t)(uintptr_t)d->res.pitch2D.devPtr,
		.width = (uint32_t)width,
		.height = (uint32_t)height,
		.depth = 1,
		.row_bytes = pitch};
	return check_memory(d->res.pitch2D.devPtr, (height - 1) * pitch + row, p);
}

static cudaError_t read_resource(struct lockstep_image *image, const struct cudaResourceDesc *d)
{
	struct cudaDeviceProp p;
	cudaError_t error = cudaGetDeviceProperties(&p, 0);
	if (error)
		return error;
	switch (d->resType) {
	case cudaResourceTypeArray: return of_array(image, d->res.array.array);
	case cudaResourceTypeMipmappedArray: return of_mipmapped(image, d->res.mipmap.mipmap);
	case cudaResourceTypeLinear: return of_linear(image, d, &p);
	case cudaResourceTypePitch2D: return of_pitched(image, d, &p);
	default: return cudaErrorInvalidValue;
	}
}

/* ---- Sampling ---- */

static cudaError_t read_sampling(struct lockstep_image *image, const struct cudaTextureDesc *d)
{
	if ((unsigned int)d->filterMode > cudaFilterModeLinear ||
		(unsigned int)d->mipmapFilterMode > cudaFilterModeLinear ||
		(unsigned int)d->readMode > cudaReadModeNormalizedFloat)
		return cudaErrorInvalidValue;
	for (uint32_t k = 0; k < 3; k++) {
		if ((unsigned int)d->addressMode[k] > cudaAddressModeBorder)
			return cudaErrorInvalidValue;
		image->addressing[k] = (enum lockstep_addressing)d->addressMode[k];
	}
	if (d->seamlessCubemap && image->cube)
		return cudaErrorNotSupported;
	/* Integers of 32 bits are not converted, whatever is asked for. */
	if (image->channel != LOCKSTEP_CHANNEL_FLOAT && image->channel_bits < 32)
		image->normalized_float |= d->readMode == cudaReadModeNormalizedFloat;
	image->linear = d->filterMode == cudaFilterModeLinear;
	image->normalized = d->normalizedCoords;
	image->srgb = d->sRGB;
	image->linear_levels = d->mipmapFilterMode == cudaFilterModeLinear;
	image->level_bias = d->mipmapLevelBias;
	image->level_min = d->minMipmapLevelClamp;
	image->level_max = d->maxMipmapLevelClamp;
	memcpy(image->border, d->borderColor, sizeof image->border);
	if (image->linear && image->channel != LOCKSTEP_CHANNEL_FLOAT && !image->normalized_float)
		return cudaErrorInvalidFilterSetting;
	return image->level_count > 1 && !image->normalized ? cudaErrorInvalidValue : cudaSuccess;
}

/* ---- Both ---- */

cudaError_t texture_describe(
	struct lockstep_image *image, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *sampling)
{
	*image = (struct lockstep_image){.use = LOCKSTEP_TEXTURE};
	cudaError_t error = read_resource(image, resource);
	image->use = LOCKSTEP_TEXTURE;
	return error ? error : read_sampling(image, sampling);
}

cudaError_t surface_describe(struct lockstep_image *image, const struct cudaResourceDesc *resource)
{
	if (resource->resType != cudaResourceTypeArray)
		return cudaErrorInvalidValue;
	cudaError_t error = of_array(image, resource->res.array.array);
	if (!error && !(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
		error = cudaErrorInvalidValue;
	if (!error)
		image->use = LOCKSTEP_SURFACE;
	return error;
}

/* ---- Objects ---- */

static cudaError_t create(unsigned long long *handle, struct object **all, const struct lockstep_image *image,
	const struct cudaResourceDesc *resource, const struct cudaTextureDesc *sampling)
{
	struct lockstep_error why;
	struct object *object = calloc(1, sizeof *object);
	if (!object)
		return cudaErrorMemoryAllocation;
	device_lock();
	object->handle = lockstep_image_create(device_get()->gpu, image, &why);
	device_unlock();
	if (!object->handle) {
		free(object);
		return cudaErrorInvalidValue;
	}
	memcpy(&object->resource, resource, RESOURCE_BYTES);
	if (sampling)
		object->sampling = *sampling;
	*handle = object->handle;
	mutex_lock(&driver_lock);
	object->next = *all;
	*all = object;
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

/* What is enqueued may still use the object: it is over first. */
static cudaError_t destroy(unsigned long long handle, struct object **all)
{
	cudaError_t error = unsafe_before();
	if (!error)
		error = tasks_finish();
	if (error || !handle)
		return error;
	mutex_lock(&driver_lock);
	struct object **at = all;
	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	struct object *object = *at;
	if (object)
		*at = object->next;
	mutex_unlock(&driver_lock);
	if (!object)
		return cudaErrorInvalidValue;
	free(object);
	device_lock();
	lockstep_image_destroy(device_get()->gpu, handle);
	device_unlock();
	return cudaSuccess;
}

static cudaError_t find(struct object *found, unsigned long long handle, struct object *const *all, bool has_place)
{
	cudaError_t error = error_before();
	if (error)
		return error;
	mutex_lock(&driver_lock);
	const struct object *object = *all;
	while (object && object->handle != handle)
		object = object->next;
	if (object)
		*found = *object;
	mutex_unlock(&driver_lock);
	return object && has_place ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t resource_of(struct cudaResourceDesc *resource, unsigned long long handle, struct object *const *all)
{
	struct object object;
	cudaError_t error = find(&object, handle, all, resource);
	if (!error)
		memcpy(resource, &object.resource, RESOURCE_BYTES);
	return error;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
	const struct cudaTextureDesc *sampling, const void *view)
{
	struct lockstep_image image;
	cudaError_t error = error_unless(texture && resource && sampling);
	if (!error && view) {
		device_complain("cudaCreateTextureObject: resource views are not offered");
		error = cudaErrorNotSupported;
	}
	if (!error)
		error = texture_describe(&image, resource, sampling);
	return error_note(error ? error : create(texture, &textures, &image, resource, sampling));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
	return error_note(destroy(texture, &textures));
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture)
{
	return error_note(resource_of(resource, texture, &textures));
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *sampling, cudaTextureObject_t texture)
{
	struct object object;
	cudaError_t error = find(&object, texture, &textures, sampling);
	if (!error)
		*sampling = object.sampling;
	return error_note(error);
}

/* No object has a view, which CUDA answers so. */
cudaError_t cudaGetTextureObjectResourceViewDesc(void *view, cudaTextureObject_t texture)
{
	(void)view, (void)texture;
	return error_note(cudaErrorInvalidValue);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource)
{
	struct lockstep_image image;
	cudaError_t error = error_unless(surface && resource);
	if (!error)
		error = surface_describe(&image, resource);
	return error_note(error ? error : create(surface, &surfaces, &image, resource, NULL));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
	return error_note(destroy(surface, &surfaces));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t surface)
{
	return error_note(resource_of(resource, surface, &surfaces));
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
	size_t *texels, const struct cudaChannelFormatDesc *channel, int device)
{
	struct lockstep_image image = {.use = LOCKSTEP_TEXTURE};
	cudaError_t error = error_before();
	if (!error && device)
		error = cudaErrorInvalidDevice;
	if (!error && (!texels || !channel || !channel_read(&image, channel)))
		error = cudaErrorInvalidValue;
	if (!error)
		*texels = LINEAR_TEXELS;
	return error_note(error);
}
