/* The device as the application sees it: properties, attributes, limits, versions; what sets them. */
#include "host/cuda/objects.h"

#include <stdio.h>
#include <string.h>

#define VERSION 13000 /* of the driver that a program asks about */

/* ---- Which device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
	device_reach(CHANNEL_ASKED);
	if (!count)
		return error_note(cudaErrorInvalidValue);
	*count = device_get() ? 1 : 0;
	return error_note(*count ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device)
{
	if (!device)
		return error_note(cudaErrorInvalidValue);
	*device = 0;
	return error_note(error_before());
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

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	return error_note(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
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
	*properties = properties_of(device_get());
	return cudaSuccess;
}

/* The attributes' numbers, CUDA's enum cudaDeviceAttr; those that are not here are 0: absent. */
static bool attribute(const struct device *d, int which, int *value)
{
	const struct cudaDeviceProp p = properties_of(d);
	switch (which) {
	case 1: *value = p.maxThreadsPerBlock; break;
	case 2:
	case 3:
	case 4: *value = p.maxThreadsDim[which - 2]; break;
	case 5:
	case 6:
	case 7: *value = p.maxGridSize[which - 5]; break;
	case 8: *value = (int)p.sharedMemPerBlock; break;
	case 9: *value = (int)p.totalConstMem; break;
	case 10: *value = p.warpSize; break;
	case 11: *value = (int)p.memPitch; break;
	case 12: *value = p.regsPerBlock; break;
	case 13: *value = (int)d->clock_khz; break;
	case 14: *value = (int)p.textureAlignment; break;
	case 15: *value = 1; break; /* copies beside kernels */
	case 16: *value = p.multiProcessorCount; break;
	case 19: *value = p.canMapHostMemory; break;
	case 21: *value = p.maxTexture1D; break;
	case 22:
	case 23: *value = p.maxTexture2D[which - 22]; break;
	case 24:
	case 25:
	case 26: *value = p.maxTexture3D[which - 24]; break;
	case 27:
	case 28:
	case 29: *value = p.maxTexture2DLayered[which - 27]; break;
	case 30: *value = (int)p.surfaceAlignment; break;
	case 31: *value = p.concurrentKernels; break;
	case 38: *value = p.l2CacheSize; break;
	case 39: *value = p.maxThreadsPerMultiProcessor; break;
	case 40: *value = p.asyncEngineCount; break;
	case 41: *value = p.unifiedAddressing; break;
	case 42:
	case 43: *value = p.maxTexture1DLayered[which - 42]; break;
	case 45:
	case 46: *value = p.maxTexture2DGather[which - 45]; break;
	case 47:
	case 48:
	case 49: *value = p.maxTexture3DAlt[which - 47]; break;
	case 51: *value = (int)p.texturePitchAlignment; break;
	case 52: *value = p.maxTextureCubemap; break;
	case 53:
	case 54: *value = p.maxTextureCubemapLayered[which - 53]; break;
	case 55: *value = p.maxSurface1D; break;
	case 56:
	case 57: *value = p.maxSurface2D[which - 56]; break;
	case 58:
	case 59:
	case 60: *value = p.maxSurface3D[which - 58]; break;
	case 61:
	case 62: *value = p.maxSurface1DLayered[which - 61]; break;
	case 63:
	case 64:
	case 65: *value = p.maxSurface2DLayered[which - 63]; break;
	case 66: *value = p.maxSurfaceCubemap; break;
	case 67:
	case 68: *value = p.maxSurfaceCubemapLayered[which - 67]; break;
	case 69: *value = LINEAR_TEXELS; break;
	case 70:
	case 71:
	case 72: *value = p.maxTexture2DLinear[which - 70]; break;
	case 73:
	case 74: *value = p.maxTexture2DMipmap[which - 73]; break;
	case 77: *value = p.maxTexture1DMipmap; break;
	case 75: *value = p.major; break;
	case 76: *value = p.minor; break;
	case 81: *value = (int)p.sharedMemPerMultiprocessor; break;
	case 82: *value = p.regsPerMultiprocessor; break;
	case 83: *value = p.managedMemory; break;
	case 95: *value = p.cooperativeLaunch; break;
	case 97: *value = (int)p.sharedMemPerBlockOptin; break;
	case 99: *value = p.hostRegisterSupported; break;
	/* the driver's: streams that write and wait for words */
	case 92:
	case 93:
	case 94:
	case 122: *value = 1; break;
	case 106: *value = p.maxBlocksPerMultiProcessor; break;
	case 111: *value = (int)p.reservedSharedMemPerBlock; break;
	case 115: *value = p.memoryPoolsSupported; break;
	case 120: *value = p.clusterLaunch; break;
	case 130:
	case 131:
	case 134: *value = -1; break; /* no NUMA node */
	default: *value = 0; return which > 0 && which < 148;
	}
	return true;
}

cudaError_t cudaDeviceGetAttribute(int *value, int which, int device)
{
	device_reach(CHANNEL_ASKED);
	if (!device_get())
		return error_note(cudaErrorNoDevice);
	if (device)
		return error_note(cudaErrorInvalidDevice);
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

/* The model's L2 keeps nothing longer than the rest. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	return error_note(error_before());
}

/* False: too late, since a kernel that calls malloc has been launched, or too large. */
static bool set_heap(size_t bytes)
{
	bool done;
	device_lock();
	done = lockstep_set_heap(device_get()->gpu, bytes);
	device_unlock();
	return done;
}

static bool set_pending(size_t grids)
{
	bool done;
	device_lock();
	done = lockstep_set_pending(device_get()->gpu, grids);
	device_unlock();
	return done;
}

static void set_depth(size_t levels)
{
	device_lock();
	lockstep_set_wait_depth(device_get()->gpu, levels);
	device_unlock();
}

cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
	cudaError_t error = error_before();
	if (!error && !has_limit(limit))
		error = cudaErrorUnsupportedLimit;
	if (!error && limit == LIMIT_HEAP && !set_heap(value))
		error = cudaErrorInvalidValue;
	if (!error && limit == LIMIT_PENDING && !set_pending(value))
		error = cudaErrorInvalidValue;
	if (!error && limit == LIMIT_DEPTH)
		set_depth(value);
	if (!error)
		limits[limit] = value;
	return error_note(error);
}

cudaError_t cudaDeviceGetLimit(size_t *value, int limit)
{
	cudaError_t error = error_before();
	if (!error && !value)
		error = cudaErrorInvalidValue;
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
	if (!flags)
		return error_note(cudaErrorInvalidValue);
	*flags = device_flags;
	return cudaSuccess;
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
	if (!config)
		return error_note(cudaErrorInvalidValue);
	*config = cache_config;
	return error_note(error_before());
}

/* Programs call it last, so that profilers write their files: what is enqueued is carried out.  Memory stays until the
 * process ends. */
cudaError_t cudaDeviceReset(void)
{
	return error_note(tasks_finish());
}

/* What `lockstep run` reports does not depend on them: it reports every launch. */
cudaError_t cudaProfilerStart(void)
{
	return error_note(error_before());
}

cudaError_t cudaProfilerStop(void)
{
	return error_note(error_before());
}

/* ---- Versions ---- */

cudaError_t cudaDriverGetVersion(int *version)
{
	if (!version)
		return error_note(cudaErrorInvalidValue);
	*version = VERSION;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	if (!version)
		return error_note(cudaErrorInvalidValue);
	*version = runtime_version;
	return cudaSuccess;
}
