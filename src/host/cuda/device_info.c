/* The device as the application sees it: properties, attributes, limits, versions; what sets them. */
#include "host/cuda/objects.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define VERSION 13000 /* of the driver that a program asks about */

/* Who writes CUDA today expects threads of a warp that go on independently. */
const char *const front_end_gpu = CUDA_GPU;

/* Stores the one value that a call returns; the result is its error. */
static cudaError_t answer(int *to, int value, cudaError_t error)
{
	if (!to)
		return error_note(cudaErrorInvalidValue);
	*to = value;
	return error_note(error);
}

/* ---- Which device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
	device_reach(CHANNEL_ASKED);
	bool is_there = count && device_get();
	return answer(count, is_there, is_there ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device)
{
	return answer(device, 0, device ? error_before() : cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
	cudaError_t error = error_before();
	return error_note(!error && device ? cudaErrorInvalidDevice : error);
}

/* ---- Peers: there is no other device, and none is its own ---- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	if (!can || device || peer)
		return error_note(can ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	*can = 0;
	return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	(void)peer;
	return error_note(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, int which, int from, int to)
{
	(void)from, (void)to;
	return error_note(!value || which < 1 || which > 4 ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

/* ---- More about which device ---- */

#define BUS_ID "0000:00:00.0"

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
	if (!id || length <= (int)strlen(BUS_ID) || device)
		return error_note(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	memcpy(id, BUS_ID, sizeof BUS_ID);
	return cudaSuccess;
}

/* [domain:]bus:device[.function], hexadecimal. */
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	unsigned int domain = 0, bus, slot;
	if (!device || !id)
		return error_note(cudaErrorInvalidValue);
	if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3 && (domain = 0, sscanf(id, "%x:%x", &bus, &slot) != 2))
		return error_note(cudaErrorInvalidValue);
	if (domain || bus || slot)
		return error_note(cudaErrorInvalidDevice);
	*device = 0;
	return error_note(error_before());
}

cudaError_t cudaInitDevice(int device, unsigned int device_settings, unsigned int flags)
{
	(void)device_settings;
	return error_note(device ? cudaErrorInvalidDevice : flags & ~1u ? cudaErrorInvalidValue : error_before());
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
	cudaError_t error = count < 0 || (count && !devices) ? cudaErrorInvalidValue : error_before();
	for (int k = 0; !error && k < count; k++)
		if (devices[k])
			error = cudaErrorInvalidDevice;
	return error_note(error);
}

/* ---- Properties ---- */

static struct cudaDeviceProp properties_of(const struct device *d)
{
	struct cudaDeviceProp p = {
		.totalGlobalMem = d->memory_bytes,
		.sharedMemPerBlock = d->group_shared,
		.regsPerBlock = (int)d->registers,
		.warpSize = (int)d->warp,
		.memPitch = INT32_MAX,
		.maxThreadsPerBlock = (int)d->group_threads,
		.maxThreadsDim = {(int)d->group_threads, (int)d->group_threads, 64},
		.maxGridSize = {INT32_MAX, 65535, 65535},
		.totalConstMem = d->constant_bytes,
		.major = (int)d->capability / 10,
		.minor = (int)d->capability % 10,
		.textureAlignment = 256, /* as cudaMalloc gives it */
		.texturePitchAlignment = 32,
		.multiProcessorCount = (int)d->cores,
		.canMapHostMemory = d->shares_pointers,
		.surfaceAlignment = 256,
		/* CUDA C++ programming guide, technical specifications, of compute capability 6 and later: the models
		   have no limits of their own */
		.maxTexture1D = 131072,
		.maxTexture1DMipmap = 32768,
		.maxTexture2D = {131072, 65536},
		.maxTexture2DMipmap = {32768, 32768},
		.maxTexture2DLinear = {131072, 65000, 2097120},
		.maxTexture2DGather = {32768, 32768},
		.maxTexture3D = {16384, 16384, 16384},
		.maxTexture3DAlt = {8192, 8192, 32768},
		.maxTextureCubemap = 32768,
		.maxTexture1DLayered = {32768, 2048},
		.maxTexture2DLayered = {32768, 32768, 2048},
		.maxTextureCubemapLayered = {32768, 2046},
		.maxSurface1D = 32768,
		.maxSurface2D = {131072, 65536},
		.maxSurface3D = {16384, 16384, 16384},
		.maxSurface1DLayered = {32768, 2048},
		.maxSurface2DLayered = {32768, 32768, 2048},
		.maxSurfaceCubemap = 32768,
		.maxSurfaceCubemapLayered = {32768, 2046},
		.concurrentKernels = d->concurrent_kernels > 1,
		.asyncEngineCount = 1,
		.unifiedAddressing = d->shares_pointers,
		.l2CacheSize = (int)d->cache_bytes,
		.maxThreadsPerMultiProcessor = (int)d->core_threads,
		.sharedMemPerMultiprocessor = d->core_shared,
		.regsPerMultiprocessor = (int)d->registers,
		.managedMemory = d->shares_pointers,
		.cooperativeLaunch = 1,
		.clusterLaunch = d->cluster_groups > 1,
		.sharedMemPerBlockOptin = d->group_shared,
		.reservedSharedMemPerBlock = d->shared_reserved,
		.maxBlocksPerMultiProcessor = (int)d->core_groups,
		.hostRegisterSupported = 1,
		.memoryPoolsSupported = 1,
		.deviceNumaId = -1,
		.hostNumaId = -1,
	};
	snprintf(p.name, sizeof p.name, "%s", d->name);
	memcpy(p.uuid, "Lockstep\0\0\0\0\0\0\0\1", sizeof p.uuid);
	return p;
}

cudaError_t device_properties(struct cudaDeviceProp *properties, int device)
{
	device_reach(CHANNEL_ASKED);
	if (!device_get())
		return error_note(cudaErrorNoDevice);
	if (!properties || device)
		return error_note(properties ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	target_tell_registered();
	*properties = properties_of(device_get());
	return cudaSuccess;
}

/* Numbers of CUDA's enum cudaDeviceAttr that stand for a member of the properties, or for its elements; a size is cut
 * to an int. */
#define AT(name) offsetof(struct cudaDeviceProp, name)
static const struct {
	int first, count;
	size_t offset;
} members[] = {
	{1, 1, AT(maxThreadsPerBlock)},
	{2, 3, AT(maxThreadsDim)},
	{5, 3, AT(maxGridSize)},
	{8, 1, AT(sharedMemPerBlock)},
	{9, 1, AT(totalConstMem)},
	{10, 1, AT(warpSize)},
	{11, 1, AT(memPitch)},
	{12, 1, AT(regsPerBlock)},
	{14, 1, AT(textureAlignment)},
	{16, 1, AT(multiProcessorCount)},
	{19, 1, AT(canMapHostMemory)},
	{21, 1, AT(maxTexture1D)},
	{22, 2, AT(maxTexture2D)},
	{24, 3, AT(maxTexture3D)},
	{27, 3, AT(maxTexture2DLayered)},
	{30, 1, AT(surfaceAlignment)},
	{31, 1, AT(concurrentKernels)},
	{38, 1, AT(l2CacheSize)},
	{39, 1, AT(maxThreadsPerMultiProcessor)},
	{40, 1, AT(asyncEngineCount)},
	{41, 1, AT(unifiedAddressing)},
	{42, 2, AT(maxTexture1DLayered)},
	{45, 2, AT(maxTexture2DGather)},
	{47, 3, AT(maxTexture3DAlt)},
	{51, 1, AT(texturePitchAlignment)},
	{52, 1, AT(maxTextureCubemap)},
	{53, 2, AT(maxTextureCubemapLayered)},
	{55, 1, AT(maxSurface1D)},
	{56, 2, AT(maxSurface2D)},
	{58, 3, AT(maxSurface3D)},
	{61, 2, AT(maxSurface1DLayered)},
	{63, 3, AT(maxSurface2DLayered)},
	{66, 1, AT(maxSurfaceCubemap)},
	{67, 2, AT(maxSurfaceCubemapLayered)},
	{70, 3, AT(maxTexture2DLinear)},
	{73, 2, AT(maxTexture2DMipmap)},
	{75, 1, AT(major)},
	{76, 1, AT(minor)},
	{77, 1, AT(maxTexture1DMipmap)},
	{81, 1, AT(sharedMemPerMultiprocessor)},
	{82, 1, AT(regsPerMultiprocessor)},
	{83, 1, AT(managedMemory)},
	{95, 1, AT(cooperativeLaunch)},
	{97, 1, AT(sharedMemPerBlockOptin)},
	{99, 1, AT(hostRegisterSupported)},
	{106, 1, AT(maxBlocksPerMultiProcessor)},
	{111, 1, AT(reservedSharedMemPerBlock)},
	{115, 1, AT(memoryPoolsSupported)},
	{120, 1, AT(clusterLaunch)},
};

/* Those that are not here are 0: absent.  False: there is none of this number. */
static bool attribute(const struct device *d, int which, int *value)
{
	const struct cudaDeviceProp p = properties_of(d);
	*value = 0;
	for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
		size_t element = (size_t)which - (size_t)members[k].first;
		if (element < (size_t)members[k].count)
			memcpy(value, (const char *)&p + members[k].offset + element * sizeof *value, sizeof *value);
	}
	switch (which) {
	case 13: *value = (int)d->clock_khz; break;
	case 69: *value = LINEAR_TEXELS; break;
	case 15: /* copies beside kernels */
	case 92: /* the driver's: streams that write and wait for words */
	case 93:
	case 94:
	case 122: *value = 1; break;
	case 130: /* no NUMA node */
	case 131:
	case 134: *value = -1; break;
	}
	return which > 0 && which < 148;
}

cudaError_t cudaDeviceGetAttribute(int *value, int which, int device)
{
	device_reach(CHANNEL_ASKED);
	if (!device_get())
		return error_note(cudaErrorNoDevice);
	if (device)
		return error_note(cudaErrorInvalidDevice);
	target_tell_registered();
	return error_note(value && attribute(device_get(), which, value) ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- Limits and settings ---- */

/* cudaLimitStackSize, PrintfFifoSize, MallocHeapSize, DevRuntimeSyncDepth, DevRuntimePendingLaunchCount */
enum { LIMIT_STACK, LIMIT_PRINT, LIMIT_HEAP, LIMIT_DEPTH, LIMIT_PENDING, LIMIT_COUNT };

/* Of these the heap's binds, and those of launches: the model says how large a thread's local memory is, and there is
 * room for all that is printed. */
static size_t limits[LIMIT_COUNT] = {1024, 1 << 20, 8 << 20, 2, 2048};

static bool has_limit(int limit)
{
	return limit >= 0 && limit < LIMIT_COUNT;
}

/* False: too large, or too late, since a kernel that calls malloc has been launched. */
static bool set_limit(int limit, size_t value)
{
	struct lockstep *gpu = device_get()->gpu;
	bool done = true;
	device_lock();
	if (limit == LIMIT_HEAP)
		done = lockstep_set_heap(gpu, value);
	else if (limit == LIMIT_PENDING)
		done = lockstep_set_pending(gpu, value);
	else if (limit == LIMIT_DEPTH)
		lockstep_set_wait_depth(gpu, value);
	device_unlock();
	return done;
}

cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
	cudaError_t error = error_before();
	if (!error && !has_limit(limit))
		error = cudaErrorUnsupportedLimit;
	if (!error && !set_limit(limit, value))
		error = cudaErrorInvalidValue;
	if (!error)
		limits[limit] = value;
	return error_note(error);
}

cudaError_t cudaDeviceGetLimit(size_t *value, int limit)
{
	cudaError_t error = error_unless(value);
	if (!error && !has_limit(limit))
		error = cudaErrorUnsupportedLimit;
	if (!error)
		*value = limits[limit];
	return error_note(error);
}

static unsigned int device_flags;
static int cache_config;

/* The flags say how the host waits, which is not simulated, and that memory can be mapped, which is always so. */
cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	if (flags & ~0x1fu || (flags & 7) > 4)
		return error_note(cudaErrorInvalidValue);
	device_flags = flags;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	return answer((int *)flags, (int)device_flags, cudaSuccess);
}

/* A hint, which the model's fixed division of L1 and shared memory has no use for. */
cudaError_t cudaDeviceSetCacheConfig(int config)
{
	if (config < 0 || config > 3)
		return error_note(cudaErrorInvalidValue);
	cache_config = config;
	return error_note(error_before());
}

cudaError_t cudaDeviceGetCacheConfig(int *config)
{
	return answer(config, cache_config, config ? error_before() : cudaSuccess);
}

/* The width of shared memory's banks is the model's: nothing to choose. */
cudaError_t cudaDeviceSetSharedMemConfig(int config)
{
	return error_note(config < 0 || config > 2 ? cudaErrorInvalidValue : error_before());
}

cudaError_t cudaDeviceGetSharedMemConfig(int *config)
{
	return answer(config, 1, config ? error_before() : cudaSuccess); /* banks of four bytes */
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, int config)
{
	if (config < 0 || config > 2)
		return error_note(cudaErrorInvalidValue);
	return error_note(function_find(function) ? error_before() : cudaErrorInvalidDeviceFunction);
}

/* ---- Versions ---- */

cudaError_t cudaDriverGetVersion(int *version)
{
	return answer(version, VERSION, cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	return answer(version, runtime_version, cudaSuccess);
}
