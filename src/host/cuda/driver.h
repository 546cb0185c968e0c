/* The CUDA driver's binary interface, as far as it is offered here: what programs around cuLaunchKernel use.
 *
 * It is the runtime's interface in other words: the same streams, events and memory, and the runtime's errors under the
 * driver's names, whose numbers are the same but for those in driver.c.  Names with _v2 and on are those that
 * CUDA 13.0's header gives to calls without. */
#ifndef LOCKSTEP_HOST_CUDA_DRIVER_H
#define LOCKSTEP_HOST_CUDA_DRIVER_H

#include "host/cuda/runtime.h"
#include "util/tensor_map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
#define DRIVER_ERROR(name, number, text) name = number,
#include "host/cuda/driver_errors.def"
#undef DRIVER_ERROR
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct cuda_context *CUcontext;
typedef struct cuda_library *CUmodule, *CUlibrary;
typedef struct cuda_function *CUfunction, *CUkernel;
typedef struct cuda_link *CUlinkState;
typedef struct cuda_stream *CUstream;
typedef struct cuda_event *CUevent;

/* Devices and contexts */
CUresult cuInit(unsigned int flags);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuDeviceGetUuid(char uuid[16], CUdevice device);
CUresult cuDeviceGetUuid_v2(char uuid[16], CUdevice device);
CUresult cuDeviceGetProperties(int properties[14], CUdevice device);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *texels, int format, unsigned int channels, CUdevice device);
CUresult cuDeviceGetExecAffinitySupport(int *is_supported, int type, CUdevice device);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, void *parameters, int count, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext *context);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **part);
CUresult cuStreamGetCtx_v2_ptsz(CUstream stream, CUcontext *context, void **part);

/* Modules and launches */
CUresult cuModuleLoad(CUmodule *module, const char *file);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, int *options, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name);
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value);
CUresult cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult cuFuncIsLoaded(int *is_loaded, CUfunction function);
CUresult cuFuncLoad(CUfunction function);
CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel kernel, CUdevice device);
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult cuModuleGetLoadingMode(int *mode);
typedef struct CUlaunchConfig {
	unsigned int grid[3], block[3], shared;
	CUstream stream;
	struct cudaLaunchAttribute *attributes;
	unsigned int count;
} CUlaunchConfig;
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra);
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config);
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config);
CUresult cuOccupancyMaxPotentialBlockSize(
	int *grid, int *block, CUfunction function, size_t (*shared_of)(int block), size_t shared, int limit);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
	size_t (*shared_of)(int block), size_t shared, int limit, unsigned int flags);
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream,
	void **parameters, void **extra);
CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream,
	void **parameters, void **extra);
/* Lockstep's own: device/lockstep_control.h */
CUresult cuLaunchFirmwareLOCKSTEP(CUfunction firmware, unsigned int count, const CUfunction *kernels,
	unsigned int threads, CUstream stream, void **parameters);
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream,
	void **parameters);
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned int grid_x, unsigned int grid_y,
	unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
	CUstream stream, void **parameters);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared);

/* Linking and libraries */
CUresult cuLinkCreate_v2(unsigned int count, int *options, void **values, CUlinkState *link);
CUresult cuLinkAddData_v2(CUlinkState link, int type, void *data, size_t bytes, const char *name, unsigned int count,
	int *options, void **values);
CUresult cuLinkAddFile_v2(
	CUlinkState link, int type, const char *path, unsigned int count, int *options, void **values);
CUresult cuLinkComplete(CUlinkState link, void **image, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState link);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuGetExportTable(const void **table, const void *id);
CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags);
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status);

/* Memory */
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address);
CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr address);
CUresult cuPointerGetAttributes(unsigned int count, int *attributes, void **values, CUdeviceptr address);
CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address);
CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element);

/* Arrays, textures and surfaces */
typedef struct cuda_array *CUarray;
typedef struct cuda_mipmapped_array *CUmipmappedArray;
typedef unsigned long long CUtexObject, CUsurfObject;
typedef struct cuda_reference *CUtexref, *CUsurfref;
enum {
	CU_AD_FORMAT_UNSIGNED_INT8 = 1,
	CU_AD_FORMAT_UNSIGNED_INT16,
	CU_AD_FORMAT_UNSIGNED_INT32,
	CU_AD_FORMAT_SIGNED_INT8 = 8,
	CU_AD_FORMAT_SIGNED_INT16,
	CU_AD_FORMAT_SIGNED_INT32,
	CU_AD_FORMAT_HALF = 0x10,
	CU_AD_FORMAT_FLOAT = 0x20
};
typedef struct CUDA_ARRAY_DESCRIPTOR {
	size_t Width, Height;
	int Format;
	unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR {
	size_t Width, Height, Depth;
	int Format;
	unsigned int NumChannels, Flags; /* Flags: cudaArrayLayered ... */
} CUDA_ARRAY3D_DESCRIPTOR;
/* Memory types: 1 host, 2 device, 3 array, 4 whichever the address is. */
typedef struct CUDA_MEMCPY2D {
	size_t srcXInBytes, srcY;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch, dstXInBytes, dstY;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0;
	size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1;
	size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
#define BOX_CALLS(name, parameters)                                                                                    \
	CUresult name(const parameters *copy);                                                                         \
	CUresult name##_ptds(const parameters *copy);
#define BOX_CALLS_ASYNC(name, parameters)                                                                              \
	CUresult name(const parameters *copy, CUstream stream);                                                        \
	CUresult name##_ptsz(const parameters *copy, CUstream stream);
BOX_CALLS(cuMemcpy2D_v2, CUDA_MEMCPY2D)
BOX_CALLS(cuMemcpy2DUnaligned_v2, CUDA_MEMCPY2D)
BOX_CALLS_ASYNC(cuMemcpy2DAsync_v2, CUDA_MEMCPY2D)
BOX_CALLS(cuMemcpy3D_v2, CUDA_MEMCPY3D)
BOX_CALLS_ASYNC(cuMemcpy3DAsync_v2, CUDA_MEMCPY3D)
/* The places' contexts are reserved0 and reserved1, where CUDA_MEMCPY3D_PEER has them. */
BOX_CALLS(cuMemcpy3DPeer, CUDA_MEMCPY3D)
BOX_CALLS_ASYNC(cuMemcpy3DPeerAsync, CUDA_MEMCPY3D)
typedef struct CUDA_RESOURCE_DESC {
	int resType; /* enum cudaResourceType */
	union {
		struct {
			CUarray hArray;
		} array;
		struct {
			CUmipmappedArray hMipmappedArray;
		} mipmap;
		struct {
			CUdeviceptr devPtr;
			int format;
			unsigned int numChannels;
			size_t sizeInBytes;
		} linear;
		struct {
			CUdeviceptr devPtr;
			int format;
			unsigned int numChannels;
			size_t width, height, pitchInBytes;
		} pitch2D;
		int reserved[32];
	} res;
	unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC {
	int addressMode[3], filterMode; /* enum cudaTextureAddressMode, cudaTextureFilterMode */
	/* 1 integers stay integers, 2 normalized coordinates, 0x10 sRGB, 0x40 seamless cubes */
	unsigned int flags;
	unsigned int maxAnisotropy;
	int mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
	int reserved[12];
} CUDA_TEXTURE_DESC;

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array);
CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned int levels);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array);
CUresult cuTexObjectCreate(
	CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampling, const void *view);
CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource);
CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name);
CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name);
CUresult cuTexRefSetFormat(CUtexref reference, int format, int channels);
CUresult cuTexRefSetAddressMode(CUtexref reference, int direction, int mode);
CUresult cuTexRefSetFilterMode(CUtexref reference, int mode);
CUresult cuTexRefSetFlags(CUtexref reference, unsigned int flags);
CUresult cuTexRefSetBorderColor(CUtexref reference, float *color);
CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned int flags);
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref reference, CUdeviceptr address, size_t bytes);
CUresult cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr address, size_t pitch);
CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags);

/* Tensor maps.  Enumerations are numbered as in util/tensor_map.h. */
typedef struct tensor_map CUtensorMap __attribute__((aligned(TENSOR_MAP_ALIGNMENT)));
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, unsigned int type, uint32_t rank, void *address,
	const uint64_t *globalDim, const uint64_t *globalStrides, const uint32_t *boxDim,
	const uint32_t *elementStrides, unsigned int interleave, unsigned int swizzle, unsigned int promotion,
	unsigned int fill);
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, unsigned int type, uint32_t rank, void *address,
	const uint64_t *globalDim, const uint64_t *globalStrides, const int *pixelBoxLowerCorner,
	const int *pixelBoxUpperCorner, uint32_t channels, uint32_t pixels, const uint32_t *elementStrides,
	unsigned int interleave, unsigned int swizzle, unsigned int promotion, unsigned int fill);
CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, unsigned int type, uint32_t rank, void *address,
	const uint64_t *globalDim, const uint64_t *globalStrides, int lower, int upper, uint32_t channels,
	uint32_t pixels, const uint32_t *elementStrides, unsigned int interleave, unsigned int mode,
	unsigned int swizzle, unsigned int promotion, unsigned int fill);
CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address);

/* Streams and events */
/* What it has in CUDA's union: one form for all operations on words. */
typedef union CUstreamBatchMemOpParams {
	int operation;
	struct CUstreamMemOpWord {
		int operation;
		CUdeviceptr address;
		uint64_t value;
		unsigned int flags;
		CUdeviceptr alias;
	} word;
	uint64_t padding[6];
} CUstreamBatchMemOpParams;

#define BATCH(name)                                                                                                    \
	CUresult name(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags);
BATCH(cuStreamBatchMemOp)
BATCH(cuStreamBatchMemOp_ptsz)
BATCH(cuStreamBatchMemOp_v2)
BATCH(cuStreamBatchMemOp_v2_ptsz)

/* Nodes of graphs; nodes of kernels are described by a function or by a library's kernel. */
typedef struct CUDA_KERNEL_NODE_PARAMS {
	struct cudaKernelNodeParams node;
	CUkernel kernel;
	CUcontext context;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS {
	CUcontext ctx;
	unsigned int count;
	CUstreamBatchMemOpParams *paramArray;
	unsigned int flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;
CUresult cuGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
	struct cudaGraphNodeParams *parameters);
CUresult cuGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters);
CUresult cuGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters);
CUresult cuGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *parameters);
CUresult cuGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, int *result);

/* Calls that are the runtime's in other words */
#define CALL(name, parameters, ...) CUresult name parameters;
#define CALL_ANYWHERE CALL
#define OF_DEVICE CALL
#define IN_STREAM(name, parameters, ...) CUresult name parameters, name##_ptsz parameters;
#define WAITING(name, parameters, ...) CUresult name parameters, name##_ptds parameters;
#include "host/cuda/driver_calls.def"
#undef CALL
#undef CALL_ANYWHERE
#undef OF_DEVICE
#undef IN_STREAM
#undef WAITING

#ifdef __cplusplus
}
#endif

#endif
