/* The driver's interface: memory, streams and events, in the runtime's words. */
#include "host/cuda/driver_parts.h"

static void *pointer_of(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

/* ---- Memory ---- */

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE; /* unlike the runtime */
	THROUGH_RUNTIME(cudaMalloc((void **)address, bytes));
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags)
{
	THROUGH_RUNTIME(cudaMallocManaged((void **)address, bytes, flags));
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	if (element != 4 && element != 8 && element != 16)
		return CUDA_ERROR_INVALID_VALUE;
	THROUGH_RUNTIME(cudaMallocPitch((void **)address, pitch, width, height));
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
	THROUGH_RUNTIME(cudaFree(pointer_of(address)));
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes)
{
	THROUGH_RUNTIME(cudaMallocHost(pointer, bytes));
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	THROUGH_RUNTIME(cudaHostAlloc(pointer, bytes, flags));
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer, unsigned int flags)
{
	THROUGH_RUNTIME(cudaHostGetDevicePointer((void **)address, pointer, flags));
}

CUresult cuMemFreeHost(void *pointer)
{
	THROUGH_RUNTIME(cudaFreeHost(pointer));
}

CUresult cuMemGetInfo_v2(size_t *left, size_t *total)
{
	THROUGH_RUNTIME(cudaMemGetInfo(left, total));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	THROUGH_RUNTIME(cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	THROUGH_RUNTIME(cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
	THROUGH_RUNTIME(cudaMemcpy(pointer_of(to), from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
	THROUGH_RUNTIME(cudaMemcpy(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	THROUGH_RUNTIME(cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	THROUGH_RUNTIME(cudaMemcpyAsync(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	THROUGH_RUNTIME(cudaMemcpyAsync(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	THROUGH_RUNTIME(cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
	THROUGH_RUNTIME(fill_elements(pointer_of(to), value, 1, count, stream));
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
	THROUGH_RUNTIME(fill_elements(pointer_of(to), value, 2, count, stream));
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
	THROUGH_RUNTIME(fill_elements(pointer_of(to), value, 4, count, stream));
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count)
{
	return cuMemsetD8Async(to, value, count, NULL);
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count)
{
	return cuMemsetD16Async(to, value, count, NULL);
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count)
{
	return cuMemsetD32Async(to, value, count, NULL);
}

/* ---- Streams ---- */

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	THROUGH_RUNTIME(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
	THROUGH_RUNTIME(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
	THROUGH_RUNTIME(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream)
{
	THROUGH_RUNTIME(cudaStreamQuery(stream));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	THROUGH_RUNTIME(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuLaunchHostFunc(CUstream stream, cudaHostFn_t function, void *data)
{
	THROUGH_RUNTIME(cudaLaunchHostFunc(stream, function, data));
}

/* ---- Events ---- */

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	THROUGH_RUNTIME(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy_v2(CUevent event)
{
	THROUGH_RUNTIME(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	THROUGH_RUNTIME(cudaEventRecord(event, stream));
}

CUresult cuEventSynchronize(CUevent event)
{
	THROUGH_RUNTIME(cudaEventSynchronize(event));
}

CUresult cuEventQuery(CUevent event)
{
	THROUGH_RUNTIME(cudaEventQuery(event));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	THROUGH_RUNTIME(cudaEventElapsedTime(milliseconds, start, end));
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
	return cuEventElapsedTime(milliseconds, start, end);
}
