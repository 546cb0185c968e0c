/* What CUDA 12 gives other arguments than CUDA 13 does, and what CUDA 13 has no more, for libcudart.so.12.
 *
 * Names with _v2 and _v3 are those that CUDA 12's header gives to calls without.  struct properties is its
 * cudaDeviceProp, as CUDA Runtime API 12.8, "Data Structures", lists its members; programs compiled before CUDA 12 know
 * them up to reservedSharedMemPerBlock. */
#define LOCKSTEP_CUDA_MAJOR 12
#include "host/cuda/graph.h"

#include <stddef.h>
#include <string.h>

const int runtime_version = 12080;

/* ---- Properties ---- */

struct properties {
	char name[256], uuid[16], luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
	int maxTexture[40]; /* as CUDA 13's, with one more behind the second: maxTexture1DLinear */
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
	int asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
	int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
	int singleToDoublePrecisionPerfRatio;
	int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
		canUseHostPointerForRegisteredMem;
	int cooperativeLaunch, cooperativeMultiDeviceLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
	int accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
		timelineSemaphoreInteropSupported;
	int memoryPoolsSupported, gpuDirectRDMASupported;
	unsigned int gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned int memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
	int reserved[63];
};

#define LENGTH_BEFORE_12 offsetof(struct properties, hostRegisterSupported)

_Static_assert(sizeof(struct properties) == 1032, "CUDA 12's cudaDeviceProp");
_Static_assert(LENGTH_BEFORE_12 == 728, "CUDA 11's cudaDeviceProp");

enum { ATTRIBUTE_CLOCK = 13, ATTRIBUTE_OVERLAP = 15, ATTRIBUTE_MEMORY_CLOCK = 36 };

static int attribute(int which)
{
	int value = 0;
	cudaDeviceGetAttribute(&value, which, 0);
	return value;
}

#define TAKE(member) memcpy(&to->member, &from->member, sizeof to->member)

static void convert(struct properties *to, const struct cudaDeviceProp *from)
{
	const char *textures = (const char *)from + offsetof(struct cudaDeviceProp, maxTexture1D);
	memset(to, 0, sizeof *to);
	TAKE(name), TAKE(uuid), TAKE(totalGlobalMem), TAKE(sharedMemPerBlock), TAKE(regsPerBlock), TAKE(warpSize),
		TAKE(memPitch);
	TAKE(maxThreadsPerBlock), TAKE(maxThreadsDim), TAKE(maxGridSize), TAKE(totalConstMem), TAKE(major), TAKE(minor);
	TAKE(textureAlignment), TAKE(texturePitchAlignment), TAKE(multiProcessorCount), TAKE(integrated),
		TAKE(canMapHostMemory);
	memcpy(to->maxTexture, textures, 2 * sizeof(int));
	to->maxTexture[2] = LINEAR_TEXELS;
	memcpy(to->maxTexture + 3, textures + 2 * sizeof(int), 37 * sizeof(int));
	TAKE(surfaceAlignment), TAKE(concurrentKernels), TAKE(pciBusID), TAKE(pciDeviceID), TAKE(pciDomainID),
		TAKE(asyncEngineCount);
	TAKE(unifiedAddressing), TAKE(memoryBusWidth), TAKE(l2CacheSize), TAKE(persistingL2CacheMaxSize);
	TAKE(maxThreadsPerMultiProcessor), TAKE(streamPrioritiesSupported), TAKE(globalL1CacheSupported),
		TAKE(localL1CacheSupported);
	TAKE(sharedMemPerMultiprocessor), TAKE(regsPerMultiprocessor), TAKE(managedMemory),
		TAKE(hostNativeAtomicSupported);
	TAKE(pageableMemoryAccess), TAKE(concurrentManagedAccess), TAKE(canUseHostPointerForRegisteredMem),
		TAKE(cooperativeLaunch);
	TAKE(sharedMemPerBlockOptin), TAKE(directManagedMemAccessFromHost), TAKE(maxBlocksPerMultiProcessor);
	TAKE(reservedSharedMemPerBlock), TAKE(hostRegisterSupported), TAKE(memoryPoolsSupported), TAKE(clusterLaunch);
	to->clockRate = attribute(ATTRIBUTE_CLOCK);
	to->memoryClockRate = attribute(ATTRIBUTE_MEMORY_CLOCK);
	to->deviceOverlap = attribute(ATTRIBUTE_OVERLAP);
}

static cudaError_t properties_up_to(size_t length, void *properties, int device)
{
	struct cudaDeviceProp newer;
	struct properties whole;
	if (!properties)
		return error_note(cudaErrorInvalidValue);
	cudaError_t error = device_properties(&newer, device);
	if (error)
		return error;
	convert(&whole, &newer);
	memcpy(properties, &whole, length);
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(void *properties, int device)
{
	return properties_up_to(LENGTH_BEFORE_12, properties, device);
}

cudaError_t cudaGetDeviceProperties_v2(void *properties, int device)
{
	return properties_up_to(sizeof(struct properties), properties, device);
}

/* ---- What CUDA 13 gives other arguments: a place of memory by its device's number, -1 the host ---- */

static struct cudaMemLocation location_of(int device)
{
	return device == -1 ? (struct cudaMemLocation){2, 0} : (struct cudaMemLocation){1, device};
}

#define CHANGED(name, parameters_of_12, call_of_12, parameters_of_13, call_of_13)                                      \
	cudaError_t name parameters_of_12                                                                              \
	{                                                                                                              \
		return call_of_12;                                                                                     \
	}                                                                                                              \
	cudaError_t name##_v2 parameters_of_13                                                                         \
	{                                                                                                              \
		return call_of_13;                                                                                     \
	}
#define CHANGED_IN_STREAM(name, parameters_of_12, call_of_12, parameters_of_13, call_of_13)                            \
	CHANGED(name, parameters_of_12, call_of_12, parameters_of_13, call_of_13)                                      \
	cudaError_t name##_ptsz parameters_of_12                                                                       \
	{                                                                                                              \
		stream = own_or(stream);                                                                               \
		return call_of_12;                                                                                     \
	}                                                                                                              \
	cudaError_t name##_v2_ptsz parameters_of_13                                                                    \
	{                                                                                                              \
		stream = own_or(stream);                                                                               \
		return call_of_13;                                                                                     \
	}
#include "host/cuda/versions/changed.def"

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
	return capture_info(stream, status, id, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count)
{
	return capture_info(stream, status, id, graph, after, NULL, count);
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
	size_t *count)
{
	return capture_info(stream, status, id, graph, after, edges, count);
}

cudaError_t cudaStreamGetCaptureInfo_ptsz(
	cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
	return capture_info(own_or(stream), status, id, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count)
{
	return capture_info(own_or(stream), status, id, graph, after, NULL, count);
}

cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
	size_t *count)
{
	return capture_info(own_or(stream), status, id, graph, after, edges, count);
}

/* ---- What CUDA 13 has no more ---- */

cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}
