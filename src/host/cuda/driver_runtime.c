/* The driver's calls that are the runtime's in other words: see driver_calls.def; and two that refuse more than it. */
#include "host/cuda/driver_parts.h"

static void *pointer_of(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

#define CALL(name, parameters, call)                                                                                   \
	CUresult name parameters                                                                                       \
	{                                                                                                              \
		THROUGH_RUNTIME(call);                                                                                 \
	}
#define CALL_ANYWHERE(name, parameters, call)                                                                          \
	CUresult name parameters                                                                                       \
	{                                                                                                              \
		QUIETLY(call);                                                                                         \
	}
#include "host/cuda/driver_calls.def"

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	THROUGH_RUNTIME(cudaMalloc((void **)address, bytes));
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	if (element != 4 && element != 8 && element != 16)
		return CUDA_ERROR_INVALID_VALUE;
	THROUGH_RUNTIME(cudaMallocPitch((void **)address, pitch, width, height));
}
