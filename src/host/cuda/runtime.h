/* The CUDA runtime's binary interface, as far as it is offered here: for the replacement itself, and for programs whose
 * host side is compiled without a CUDA toolkit.
 *
 * Names, numbers and layouts are those of CUDA 13.0's headers, since programs were compiled with them; where CUDA 12's
 * differ, see versions/12.c. */
#ifndef LOCKSTEP_HOST_CUDA_RUNTIME_H
#define LOCKSTEP_HOST_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors: see error.c for their texts ---- */

typedef enum cudaError {
#define CUDA_ERROR(name, number, text) name = number,
#include "host/cuda/errors.def"
#undef CUDA_ERROR
} cudaError_t;

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

/* ---- Handles and small types ---- */

typedef struct cuda_stream *cudaStream_t;
typedef struct cuda_event *cudaEvent_t;
typedef struct cuda_function *cudaKernel_t, *cudaFunction_t;
typedef struct cuda_library *cudaLibrary_t;
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

/* As C++ has it, but for the constructor: give all three. */
typedef struct dim3 {
	unsigned int x, y, z;
} dim3;

typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

/* ---- Devices ---- */

struct cudaDeviceProp {
	char name[256];
	char uuid[16];
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int multiProcessorCount, integrated, canMapHostMemory;
	int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3],
		maxTexture2DGather[2];
	int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
	int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2];
	int maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
	int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
	int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
	int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
		canUseHostPointerForRegisteredMem;
	int cooperativeLaunch;
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
	int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
	unsigned int gpuPciDeviceID, gpuPciSubsystemID;
	int hostNumaMultinodeIpcSupported, reserved[56];
};

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaDeviceSetLimit(int limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, int limit);
cudaError_t cudaDeviceSetCacheConfig(int config);
cudaError_t cudaDeviceGetCacheConfig(int *config);
cudaError_t cudaDeviceSetSharedMemConfig(int config);
cudaError_t cudaDeviceGetSharedMemConfig(int *config);
cudaError_t cudaFuncSetSharedMemConfig(const void *function, int config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceGetP2PAttribute(int *value, int which, int from, int to);
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaInitDevice(int device, unsigned int device_settings, unsigned int flags);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

/* ---- Memory ---- */

enum cudaMemcpyKind {
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
	cudaMemcpyDefault
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes {
	enum cudaMemoryType type;
	int device;
	void *devicePointer, *hostPointer;
	long reserved[8];
};
#define cudaMemAttachGlobal 1u
#define cudaMemAttachHost 2u
#define cudaHostRegisterPortable 1u
#define cudaHostRegisterMapped 2u
#define cudaHostAllocPortable 1u
#define cudaHostAllocMapped 2u
#define cudaHostAllocWriteCombined 4u

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaMemGetInfo(size_t *left, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);

/* Pools: what cudaMallocAsync allocates from. */
/* Places: 0 none, 1 a device, 2 the host. */
struct cudaMemLocation {
	int type, id;
};
struct cudaMemAccessDesc {
	struct cudaMemLocation location;
	int flags; /* 0 none, 1 reads, 3 reads and writes */
};
struct cudaMemPoolProps {
	int allocType, handleTypes; /* allocType: 1, pinned */
	struct cudaMemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize; /* 0: the device's memory */
	unsigned short usage;
	unsigned char reserved[54];
};
typedef struct cuda_pool *cudaMemPool_t;

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses, size_t count);
cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, struct cudaMemLocation *location);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, int type);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, int type);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, int type, cudaMemPool_t pool);

cudaError_t cudaMemRangeGetAttribute(void *value, size_t bytes, int attribute, const void *pointer, size_t count);
cudaError_t cudaMemRangeGetAttributes(
	void **values, size_t *bytes, int *attributes, size_t number, const void *pointer, size_t count);

/* ---- Arrays, textures and surfaces ---- */

typedef struct cuda_array *cudaArray_t;
typedef const struct cuda_array *cudaArray_const_t;
typedef struct cuda_mipmapped_array *cudaMipmappedArray_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;

enum {
	cudaChannelFormatKindSigned,
	cudaChannelFormatKindUnsigned,
	cudaChannelFormatKindFloat,
	cudaChannelFormatKindUnsignedNormalized8X1 = 5 /* then 8X2 8X4 16X1 16X2 16X4, and the same six signed */
};
#define cudaArrayLayered 1u
#define cudaArraySurfaceLoadStore 2u
#define cudaArrayCubemap 4u
#define cudaArrayTextureGather 8u
#define cudaArraySparse 0x40u
#define cudaArrayDeferredMapping 0x80u

struct cudaChannelFormatDesc {
	int x, y, z, w, f;
};
struct cudaPos {
	size_t x, y, z;
};
struct cudaExtent {
	size_t width, height, depth;
};
struct cudaPitchedPtr {
	void *ptr;
	size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	struct cudaExtent extent;
	enum cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	int srcDevice;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	int dstDevice;
	struct cudaExtent extent;
};

enum cudaResourceType {
	cudaResourceTypeArray,
	cudaResourceTypeMipmappedArray,
	cudaResourceTypeLinear,
	cudaResourceTypePitch2D
};
struct cudaResourceDesc {
	enum cudaResourceType resType;
	union {
		struct {
			cudaArray_t array;
		} array;
		struct {
			cudaMipmappedArray_t mipmap;
		} mipmap;
		struct {
			void *devPtr;
			struct cudaChannelFormatDesc desc;
			size_t sizeInBytes;
		} linear;
		struct {
			void *devPtr;
			struct cudaChannelFormatDesc desc;
			size_t width, height, pitchInBytes;
		} pitch2D;
		int reserved[32]; /* this and flags: not in CUDA 12 */
	} res;
	unsigned int flags;
};
#define RESOURCE_BYTES offsetof(struct cudaResourceDesc, res.reserved[14]) /* that CUDA 12 has */

enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaTextureDesc {
	enum cudaTextureAddressMode addressMode[3];
	enum cudaTextureFilterMode filterMode;
	enum cudaTextureReadMode readMode;
	int sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned int maxAnisotropy; /* it and the next but four: not looked at */
	enum cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization, seamlessCubemap;
};
#define LINEAR_TEXELS (1 << 28) /* of a texture of linear memory, at most */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *channel, cudaArray_const_t array);
cudaError_t cudaMalloc3DArray(
	cudaArray_t *array, const struct cudaChannelFormatDesc *channel, struct cudaExtent extent, unsigned int flags);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(
	struct cudaChannelFormatDesc *channel, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *channel,
	struct cudaExtent extent, unsigned int levels, unsigned int flags);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_t array, unsigned int number);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);

#define PAIR(name, result, ...)                                                                                        \
	cudaError_t name(__VA_ARGS__);                                                                                 \
	cudaError_t name##Async(__VA_ARGS__, cudaStream_t stream);
#define COPY(name, result, ...)                                                                                        \
	PAIR(name, result, __VA_ARGS__)                                                                                \
	cudaError_t name##_ptds(__VA_ARGS__);                                                                          \
	cudaError_t name##Async_ptsz(__VA_ARGS__, cudaStream_t stream);
#include "host/cuda/copy_calls.def"
#undef COPY
#undef PAIR
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
	size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
	size_t from_x, size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent);

/* `view` must be null: resource views are not offered. */
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
	const struct cudaTextureDesc *sampling, const void *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *sampling, cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceViewDesc(void *view, cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t surface);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
	size_t *texels, const struct cudaChannelFormatDesc *channel, int device);

/* ---- Streams and events ---- */

#define cudaStreamNonBlocking 1u
#define cudaEventBlockingSync 1u
#define cudaEventDisableTiming 2u
#define cudaEventRecordExternal 1u /* these while a graph is captured: a node of their own */
#define cudaEventWaitExternal 1u

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute, const void *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int attribute, void *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

/* ---- Kernels ---- */

struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
	int maxDynamicSharedSizeBytes, preferredShmemCarveout;
	int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
	int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};

cudaError_t cudaLaunchKernel(
	const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(
	const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream);

struct cudaLaunchAttribute {
	uint32_t id, padding;
	union {
		char bytes[64];
		int number;
		dim3 size;
	} value;
};
typedef struct cudaLaunchConfig {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	struct cudaLaunchAttribute *attrs;
	unsigned int numAttrs;
} cudaLaunchConfig_t;
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments);

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value);
cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads);
cudaError_t cudaFuncSetCacheConfig(const void *function, int config);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, const void *function, int threads, size_t shared, unsigned int flags);

/* ---- Libraries, and the driver's calls ---- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, int *options, void **values,
	unsigned int count, int *library_options, void **library_values, unsigned int library_count);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file, int *options, void **values,
	unsigned int count, int *library_options, void **library_values, unsigned int library_count);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int room, cudaLibrary_t library);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, int attribute, int value, int device);
#define ENTRY_PER_THREAD 2ull /* flags: the forms for a default stream per thread */
cudaError_t cudaGetExportTable(const void **table, const void *id);
cudaError_t cudaGetDriverEntryPointByVersion(
	const char *name, void **function, unsigned int version, unsigned long long flags, int *status);

/* ---- Graphs ---- */

typedef struct cuda_graph *cudaGraph_t;
typedef struct cuda_node *cudaGraphNode_t;
typedef struct cuda_graph_exec *cudaGraphExec_t;
typedef struct cuda_user_object *cudaUserObject_t;

enum cudaGraphNodeType {
	cudaGraphNodeTypeKernel,
	cudaGraphNodeTypeMemcpy,
	cudaGraphNodeTypeMemset,
	cudaGraphNodeTypeHost,
	cudaGraphNodeTypeGraph,
	cudaGraphNodeTypeEmpty,
	cudaGraphNodeTypeWaitEvent,
	cudaGraphNodeTypeEventRecord,
	cudaGraphNodeTypeMemAlloc = 10,
	cudaGraphNodeTypeMemFree,
	cudaGraphNodeTypeBatchMemOp, /* the driver's interface alone has them */
	cudaGraphNodeTypeConditional
};

typedef unsigned long long cudaGraphConditionalHandle;
#define cudaGraphCondAssignDefault 1u
enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch };

enum cudaStreamCaptureMode {
	cudaStreamCaptureModeGlobal,
	cudaStreamCaptureModeThreadLocal,
	cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
	cudaStreamCaptureStatusNone,
	cudaStreamCaptureStatusActive,
	cudaStreamCaptureStatusInvalidated
};
#define cudaStreamAddCaptureDependencies 0u
#define cudaStreamSetCaptureDependencies 1u

#define cudaGraphInstantiateFlagAutoFreeOnLaunch 1u
#define cudaGraphInstantiateFlagUpload 2u
#define cudaGraphInstantiateFlagDeviceLaunch 4u
#define cudaGraphInstantiateFlagUseNodePriority 8u
#define cudaGraphDebugDotFlagsVerbose 1u
#define cudaGraphUserObjectMove 1u
#define cudaUserObjectNoDestructorSync 1u

enum cudaGraphInstantiateResult {
	cudaGraphInstantiateSuccess,
	cudaGraphInstantiateError,
	cudaGraphInstantiateInvalidStructure,
	cudaGraphInstantiateConditionalHandleUnused = 5
};

enum cudaGraphExecUpdateResult {
	cudaGraphExecUpdateSuccess,
	cudaGraphExecUpdateError,
	cudaGraphExecUpdateErrorTopologyChanged,
	cudaGraphExecUpdateErrorNodeTypeChanged,
	cudaGraphExecUpdateErrorFunctionChanged,
	cudaGraphExecUpdateErrorParametersChanged,
	cudaGraphExecUpdateErrorNotSupported
};

/* All zero: the later node comes after the earlier one is over. */
typedef struct cudaGraphEdgeData {
	unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;

typedef struct cudaGraphInstantiateParams {
	unsigned long long flags;
	cudaStream_t uploadStream;
	cudaGraphNode_t errNode_out;
	enum cudaGraphInstantiateResult result_out;
} cudaGraphInstantiateParams;

typedef struct cudaGraphExecUpdateResultInfo {
	enum cudaGraphExecUpdateResult result;
	cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

struct cudaKernelNodeParams {
	void *func;
	dim3 gridDim, blockDim;
	unsigned int sharedMemBytes;
	void **kernelParams, **extra;
};

struct cudaMemsetParams {
	void *dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height; /* width: elements */
};

struct cudaHostNodeParams {
	cudaHostFn_t fn;
	void *userData;
};

struct cudaMemAllocNodeParams {
	struct cudaMemPoolProps poolProps;
	const struct cudaMemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	void *dptr;
};

struct cudaConditionalNodeParams {
	cudaGraphConditionalHandle handle;
	enum cudaGraphConditionalNodeType type;
	unsigned int size;        /* bodies */
	cudaGraph_t *phGraph_out; /* the array of the bodies, which is the node's */
};

/* The parameters of a node of any type. */
struct cudaGraphNodeParams {
	enum cudaGraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
		struct cudaKernelNodeParams kernel;
		struct {
			int flags, reserved[3];
			struct cudaMemcpy3DParms copyParams;
		} memcpy;
		struct cudaMemsetParams memset;
		struct cudaHostNodeParams host;
		struct {
			cudaGraph_t graph;
			int ownership;
		} graph;
		struct {
			cudaEvent_t event;
		} eventWait, eventRecord;
		struct cudaMemAllocNodeParams alloc;
		struct {
			void *dptr;
		} free;
		struct cudaConditionalNodeParams conditional;
	};
	long long reserved2;
};

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *file, unsigned int flags);

/* Adding: `after` are the nodes that the new one comes after. */
#define NODE(add, set, set_instance, prepare, ...)                                                                     \
	cudaError_t add(                                                                                               \
		cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, __VA_ARGS__);    \
	cudaError_t set(cudaGraphNode_t node, __VA_ARGS__);                                                            \
	cudaError_t set_instance(cudaGraphExec_t exec, cudaGraphNode_t node, __VA_ARGS__);
#include "host/cuda/node_calls.def"
#undef NODE
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	size_t count, struct cudaMemAllocNodeParams *parameters);

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from);
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int attribute, void *value);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute, const void *value);

/* Parameters of nodes: of the graph's, and of one that is instantiated. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *parameters);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *parameters);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *parameters);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters);
cudaError_t cudaGraphExecNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *parameters);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled);

cudaError_t cudaGraphConditionalHandleCreate(
	cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value, unsigned int flags);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphInstantiateWithParams(
	cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *parameters);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result);
cudaError_t cudaGraphInstantiateWithParams_ptsz(
	cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *parameters);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value);
cudaError_t cudaDeviceGraphMemTrim(int device);

cudaError_t cudaUserObjectCreate(
	cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy, unsigned int count, unsigned int flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count);
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count);
cudaError_t cudaGraphRetainUserObject(
	cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags);
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count);

/* ---- Calls that are one expression, mostly others with fewer arguments ---- */

#define SHORT(name, parameters, result) cudaError_t name parameters;
#include "host/cuda/short_calls.def"
#undef SHORT

/* ---- What CUDA 12 has with other arguments: see versions/12.c ---- */

#ifndef LOCKSTEP_CUDA_MAJOR
#define LOCKSTEP_CUDA_MAJOR 13
#endif
#if LOCKSTEP_CUDA_MAJOR >= 13
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
	cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *count);
#define CHANGED(name, parameters_of_12, call_of_12, parameters, call) cudaError_t name parameters;
#define CHANGED_IN_STREAM CHANGED
#include "host/cuda/versions/changed.def"
#undef CHANGED
#undef CHANGED_IN_STREAM
#endif

/* ---- What nvcc's code calls ---- */

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **module);
void __cudaUnregisterFatBinary(void **module);
char __cudaInitModule(void **module);
void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name, int thread_limit,
	void *tid, void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int is_extern, size_t bytes,
	int is_constant, int is_global);
void __cudaRegisterManagedVar(void **module, void **host, char *device, const char *name, int is_extern, size_t bytes,
	int is_constant, int is_global);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(
	cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
