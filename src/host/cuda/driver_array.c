/* The driver's interface: arrays, copies of boxes, texture and surface objects, and references of modules, in the
 * runtime's words. */
#include "host/cuda/array.h"
#include "host/cuda/driver_parts.h"
#include "host/cuda/library.h"
#include "host/need.h"

#include <stdlib.h>
#include <string.h>

/* ---- Formats ---- */

static const struct {
	int format, bits, kind;
} formats[] = {
	{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
	{CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

/* What channel_read refuses, when there is no such format or number of channels. */
static struct cudaChannelFormatDesc channel_of(int format, unsigned int channels)
{
	struct cudaChannelFormatDesc c = {0};
	for (size_t k = 0; k < FORMAT_COUNT; k++)
		if (formats[k].format == format && channels <= 4) {
			int bits = formats[k].bits;
			c = (struct cudaChannelFormatDesc){channels > 0 ? bits : 0, channels > 1 ? bits : 0,
				channels > 2 ? bits : 0, channels > 3 ? bits : 0, formats[k].kind};
		}
	return c;
}

static int format_of(const struct cudaChannelFormatDesc *c, unsigned int *channels)
{
	*channels = (unsigned int)((c->x > 0) + (c->y > 0) + (c->z > 0) + (c->w > 0));
	for (size_t k = 0; k < FORMAT_COUNT; k++)
		if (formats[k].bits == c->x && formats[k].kind == c->f)
			return formats[k].format;
	return 0;
}

/* ---- Arrays ---- */

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaChannelFormatDesc channel = channel_of(d->Format, d->NumChannels);
	THROUGH_RUNTIME(
		cudaMalloc3DArray(array, &channel, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	CUDA_ARRAY3D_DESCRIPTOR whole = {.Width = d->Width,
		.Height = d->Height,
		.Format = d->Format,
		.NumChannels = d->NumChannels,
		/* for which the driver's interface asks of layers and cubes only */
		.Flags = cudaArraySurfaceLoadStore};
	return cuArray3DCreate_v2(array, &whole);
}

CUresult cuArrayDestroy(CUarray array)
{
	if (!array_known(array))
		return CUDA_ERROR_INVALID_HANDLE;
	THROUGH_RUNTIME(cudaFreeArray(array));
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
	CUresult why = driver_ready();
	if (!why && (!d || !array_known(array)))
		why = d ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	if (why)
		return why;
	*d = (CUDA_ARRAY3D_DESCRIPTOR){.Width = array->extent.width,
		.Height = array->extent.height,
		.Depth = array->extent.depth,
		.Flags = array->flags};
	d->Format = format_of(&array->channel, &d->NumChannels);
	return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR whole;
	CUresult why = d ? cuArray3DGetDescriptor_v2(&whole, array) : CUDA_ERROR_INVALID_VALUE;
	if (!why)
		*d = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
	return why;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned int levels)
{
	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaChannelFormatDesc channel = channel_of(d->Format, d->NumChannels);
	THROUGH_RUNTIME(cudaMallocMipmappedArray(
		array, &channel, (struct cudaExtent){d->Width, d->Height, d->Depth}, levels, d->Flags));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
	if (!mipmapped_known(array))
		return CUDA_ERROR_INVALID_HANDLE;
	THROUGH_RUNTIME(cudaFreeMipmappedArray(array));
}

/* ---- Copies ---- */

/* One side of a copy of boxes. */
struct place {
	int type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t at[3], pitch, height; /* at: bytes, row, slice */
};

static cudaError_t side_of(struct side *side, const struct place *p, const size_t box[3])
{
	if (p->type == IN_ARRAY && !array_known(p->array))
		return cudaErrorInvalidResourceHandle;
	if (p->type == IN_ARRAY)
		return array_side(side, p->array, p->at, box) ? cudaSuccess : cudaErrorInvalidValue;
	if (p->type < ON_HOST || p->type > UNIFIED)
		return cudaErrorInvalidValue;
	uintptr_t base = p->type == ON_HOST ? (uintptr_t)p->host : (uintptr_t)p->device;
	side->pitch = p->pitch ? p->pitch : box[0];
	side->slice = side->pitch * (p->height ? p->height : box[1]);
	side->pointer = (void *)(base + p->at[0] + p->at[1] * side->pitch + p->at[2] * side->slice);
	return cudaSuccess;
}

enum cudaMemcpyKind driver_copy_kind(int to, int from)
{
	if (to == UNIFIED || from == UNIFIED)
		return cudaMemcpyDefault;
	if (from == ON_HOST)
		return to == ON_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
	return to == ON_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

static cudaError_t copy_box(
	const struct place *to, const struct place *from, const size_t box[3], CUstream stream, bool waits)
{
	struct copy c = {
		.width = box[0], .height = box[1], .depth = box[2], .kind = driver_copy_kind(to->type, from->type)};
	cudaError_t error = side_of(&c.to, to, box);
	if (!error)
		error = side_of(&c.from, from, box);
	return error ? error : copy_submit(&c, stream, waits);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, bool waits)
{
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	const struct place to = {
		c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, {c->dstXInBytes, c->dstY, 0}, c->dstPitch, 0};
	const struct place from = {
		c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, {c->srcXInBytes, c->srcY, 0}, c->srcPitch, 0};
	const size_t box[3] = {c->WidthInBytes, c->Height, 1};
	THROUGH_RUNTIME(copy_box(&to, &from, box, stream, waits));
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream stream, bool waits)
{
	if (!c || c->srcLOD || c->dstLOD || c->reserved0 || c->reserved1)
		return CUDA_ERROR_INVALID_VALUE;
	const struct place to = {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
		{c->dstXInBytes, c->dstY, c->dstZ}, c->dstPitch, c->dstHeight};
	const struct place from = {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,
		{c->srcXInBytes, c->srcY, c->srcZ}, c->srcPitch, c->srcHeight};
	const size_t box[3] = {c->WidthInBytes, c->Height, c->Depth};
	THROUGH_RUNTIME(copy_box(&to, &from, box, stream, waits));
}

/* CUDA_MEMCPY3D_PEER has the places' contexts where CUDA_MEMCPY3D has nothing: all are of the one device. */
static CUresult copy_between_contexts(const CUDA_MEMCPY3D *given, CUstream stream, bool waits)
{
	if (!given || !given->reserved0 || !given->reserved1)
		return given ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	CUDA_MEMCPY3D c = *given;
	c.reserved0 = c.reserved1 = NULL;
	return copy_3d(&c, stream, waits);
}

/* Each also for a default stream per thread. */
#define BOX(name, how, parameters)                                                                                     \
	CUresult name(const parameters *copy)                                                                          \
	{                                                                                                              \
		return how(copy, NULL, true);                                                                          \
	}                                                                                                              \
	CUresult name##_ptds(const parameters *copy)                                                                   \
	{                                                                                                              \
		return how(copy, cudaStreamPerThread, true);                                                           \
	}
#define BOX_ASYNC(name, how, parameters)                                                                               \
	CUresult name(const parameters *copy, CUstream stream)                                                         \
	{                                                                                                              \
		return how(copy, stream, false);                                                                       \
	}                                                                                                              \
	CUresult name##_ptsz(const parameters *copy, CUstream stream)                                                  \
	{                                                                                                              \
		return how(copy, own_or(stream), false);                                                               \
	}
BOX(cuMemcpy2D_v2, copy_2d, CUDA_MEMCPY2D)
BOX(cuMemcpy2DUnaligned_v2, copy_2d, CUDA_MEMCPY2D)
BOX_ASYNC(cuMemcpy2DAsync_v2, copy_2d, CUDA_MEMCPY2D)
BOX(cuMemcpy3D_v2, copy_3d, CUDA_MEMCPY3D)
BOX_ASYNC(cuMemcpy3DAsync_v2, copy_3d, CUDA_MEMCPY3D)
BOX(cuMemcpy3DPeer, copy_between_contexts, CUDA_MEMCPY3D)
BOX_ASYNC(cuMemcpy3DPeerAsync, copy_between_contexts, CUDA_MEMCPY3D)

/* ---- Objects ---- */

/* Of a CUDA_RESOURCE_DESC the runtime's, which differs in how formats are written. */
static struct cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC *d)
{
	struct cudaResourceDesc r = {.resType = (enum cudaResourceType)d->resType};
	switch (r.resType) {
	case cudaResourceTypeLinear:
		r.res.linear.devPtr = (void *)(uintptr_t)d->res.linear.devPtr;
		r.res.linear.desc = channel_of(d->res.linear.format, d->res.linear.numChannels);
		r.res.linear.sizeInBytes = d->res.linear.sizeInBytes;
		break;
	case cudaResourceTypePitch2D:
		r.res.pitch2D.devPtr = (void *)(uintptr_t)d->res.pitch2D.devPtr;
		r.res.pitch2D.desc = channel_of(d->res.pitch2D.format, d->res.pitch2D.numChannels);
		r.res.pitch2D.width = d->res.pitch2D.width;
		r.res.pitch2D.height = d->res.pitch2D.height;
		r.res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
		break;
	default: r.res.array.array = d->res.array.hArray; /* or a mipmapped one, in the same place */
	}
	return r;
}

/* CU_TRSF_... */
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 0x10, NO_OPTIMIZATION = 0x20, SEAMLESS = 0x40 };

static struct cudaTextureDesc sampling_of(const CUDA_TEXTURE_DESC *d)
{
	struct cudaTextureDesc s = {
		.filterMode = (enum cudaTextureFilterMode)d->filterMode,
		.readMode = d->flags & READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
		.sRGB = (d->flags & SRGB) != 0,
		.normalizedCoords = (d->flags & NORMALIZED_COORDINATES) != 0,
		.maxAnisotropy = d->maxAnisotropy,
		.mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode,
		.mipmapLevelBias = d->mipmapLevelBias,
		.minMipmapLevelClamp = d->minMipmapLevelClamp,
		.maxMipmapLevelClamp = d->maxMipmapLevelClamp,
		.disableTrilinearOptimization = (d->flags & NO_OPTIMIZATION) != 0,
		.seamlessCubemap = (d->flags & SEAMLESS) != 0,
	};
	for (uint32_t k = 0; k < 3; k++)
		s.addressMode[k] = (enum cudaTextureAddressMode)d->addressMode[k];
	memcpy(s.borderColor, d->borderColor, sizeof s.borderColor);
	return s;
}

CUresult cuTexObjectCreate(
	CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampling, const void *view)
{
	if (!resource || !sampling)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaResourceDesc r = resource_of(resource);
	struct cudaTextureDesc s = sampling_of(sampling);
	THROUGH_RUNTIME(cudaCreateTextureObject(texture, &r, &s, view));
}

CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
	if (!resource)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaResourceDesc r = resource_of(resource);
	THROUGH_RUNTIME(cudaCreateSurfaceObject(surface, &r));
}

/* ---- References: .texref and .surfref variables of a module ---- */

struct cuda_reference {
	struct cuda_reference *next; /* of the same module */
	struct module *module;
	char *name;
	bool is_surface, is_bound;
	int format;
	unsigned int channels;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC sampling;
};

struct cuda_reference *reference_find(struct cuda_reference *all, const char *name, bool is_surface)
{
	while (all && (strcmp(all->name, name) || all->is_surface != is_surface))
		all = all->next;
	return all;
}

struct cuda_reference *reference_add(
	struct cuda_reference **all, struct module *module, const char *name, bool is_surface)
{
	struct cuda_reference *made = need(calloc(1, sizeof *made));
	made->name = need(strdup(name));
	made->module = module;
	made->is_surface = is_surface;
	made->sampling.maxMipmapLevelClamp = LOCKSTEP_IMAGE_LEVELS;
	made->next = *all;
	*all = made;
	return made;
}

void references_free(struct cuda_reference *all)
{
	while (all) {
		struct cuda_reference *next = all->next;
		free(all->name);
		free(all);
		all = next;
	}
}

/* Binds the variable to its present settings; launches that are enqueued already keep the former ones. */
static cudaError_t bind(struct cuda_reference *r)
{
	struct cudaResourceDesc resource = resource_of(&r->resource);
	struct cudaTextureDesc sampling = sampling_of(&r->sampling);
	struct lockstep_image image;
	if (!r->is_bound)
		return cudaSuccess;
	cudaError_t error = tasks_finish();
	if (!error)
		error = r->is_surface ? surface_describe(&image, &resource)
				      : texture_describe(&image, &resource, &sampling);
	return error ? error : module_bind(r->module, r->name, &image);
}

/* Programs free what a reference was bound to, and then set it up for what comes next. */
static bool has_gone(const CUDA_RESOURCE_DESC *d)
{
	struct memory m;
	if (d->resType == cudaResourceTypeArray)
		return !array_known(d->res.array.hArray);
	return !memory_find(d->resType == cudaResourceTypeLinear ? d->res.linear.devPtr : d->res.pitch2D.devPtr, &m);
}

static cudaError_t bind_again(struct cuda_reference *r)
{
	r->is_bound = r->is_bound && !has_gone(&r->resource);
	return bind(r);
}

static CUresult set_resource(struct cuda_reference *r, const CUDA_RESOURCE_DESC *resource)
{
	CUresult why = driver_ready();
	if (why)
		return why;
	r->resource = *resource;
	r->is_bound = true;
	return driver_result(bind(r));
}

static CUresult get_reference(struct cuda_reference **reference, CUmodule module, const char *name, bool is_surface)
{
	CUresult why = driver_check(module, reference && name);
	return why ? why : driver_result(library_reference(module, name, is_surface, reference));
}

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name)
{
	return get_reference(reference, module, name, false);
}

CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name)
{
	return get_reference(reference, module, name, true);
}

#define SETTER(condition, ...)                                                                                         \
	do {                                                                                                           \
		if (!reference || reference->is_surface)                                                               \
			return CUDA_ERROR_INVALID_HANDLE;                                                              \
		if (!(condition))                                                                                      \
			return CUDA_ERROR_INVALID_VALUE;                                                               \
		__VA_ARGS__;                                                                                           \
		CUresult ready_ = driver_ready();                                                                      \
		return ready_ ? ready_ : driver_result(bind_again(reference));                                         \
	} while (0)

CUresult cuTexRefSetFormat(CUtexref reference, int format, int channels)
{
	SETTER(channel_of(format, (unsigned int)channels).x, reference->format = format,
		reference->channels = (unsigned int)channels);
}

CUresult cuTexRefSetAddressMode(CUtexref reference, int direction, int mode)
{
	SETTER(direction >= 0 && direction < 3, reference->sampling.addressMode[direction] = mode);
}

CUresult cuTexRefSetFilterMode(CUtexref reference, int mode)
{
	SETTER(mode == 0 || mode == 1, reference->sampling.filterMode = mode);
}

CUresult cuTexRefSetFlags(CUtexref reference, unsigned int flags)
{
	SETTER(true, reference->sampling.flags = flags);
}

CUresult cuTexRefSetBorderColor(CUtexref reference, float *color)
{
	SETTER(color, memcpy(reference->sampling.borderColor, color, sizeof reference->sampling.borderColor));
}

/* The array's own format, which CU_TRSA_OVERRIDE_FORMAT asks for and which the reference must have. */
CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned int flags)
{
	(void)flags;
	if (!reference || reference->is_surface)
		return CUDA_ERROR_INVALID_HANDLE;
	return set_resource(
		reference, &(CUDA_RESOURCE_DESC){.resType = cudaResourceTypeArray, .res.array.hArray = array});
}

CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref reference, CUdeviceptr address, size_t bytes)
{
	if (!reference || reference->is_surface)
		return CUDA_ERROR_INVALID_HANDLE;
	if (offset)
		*offset = 0;
	return set_resource(reference, &(CUDA_RESOURCE_DESC){.resType = cudaResourceTypeLinear,
					       .res.linear = {address, reference->format, reference->channels, bytes}});
}

CUresult cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr address, size_t pitch)
{
	if (!reference || reference->is_surface || !d)
		return d ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	return set_resource(
		reference, &(CUDA_RESOURCE_DESC){.resType = cudaResourceTypePitch2D,
				   .res.pitch2D = {address, d->Format, d->NumChannels, d->Width, d->Height, pitch}});
}

CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags)
{
	if (!reference || !reference->is_surface || flags)
		return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	return set_resource(
		reference, &(CUDA_RESOURCE_DESC){.resType = cudaResourceTypeArray, .res.array.hArray = array});
}
