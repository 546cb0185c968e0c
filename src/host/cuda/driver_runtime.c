/* The driver's calls that are the runtime's in other words: see driver_calls.def; and some that refuse more than it. */
#include "host/cuda/driver_parts.h"
#include "host/cuda/graph.h"

static void *pointer_of(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

/* A place of memory by its device's number; -1: the host. */
static struct cudaMemLocation location_of(CUdevice device)
{
	return device == -1 ? (struct cudaMemLocation){2, 0} : (struct cudaMemLocation){1, device};
}

/* As cudaMemcpy and its like: the stream is the default one, null, or the thread's own. */
static cudaError_t copy_straight(CUstream stream, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	return stream ? cudaMemcpy_ptds(to, from, bytes, kind) : cudaMemcpy(to, from, bytes, kind);
}

static cudaError_t copy_to_array(
	CUstream stream, CUarray to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	return stream ? cudaMemcpyToArray_ptds(to, x, y, from, bytes, kind)
		      : cudaMemcpyToArray(to, x, y, from, bytes, kind);
}

static cudaError_t copy_from_array(
	CUstream stream, void *to, CUarray from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind)
{
	return stream ? cudaMemcpyFromArray_ptds(to, from, x, y, bytes, kind)
		      : cudaMemcpyFromArray(to, from, x, y, bytes, kind);
}

/* The width is in elements. */
static cudaError_t fill_rows(
	CUdeviceptr to, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height, CUstream stream)
{
	size_t bytes;
	if (to % element || pitch % element || __builtin_mul_overflow(width, (size_t)element, &bytes))
		return cudaErrorInvalidValue;
	const struct way way = {"cuMemset...", stream, false};
	return fill_rectangle(&way, pointer_of(to), pitch, value, element, bytes, height);
}

#define CALL(name, parameters, ...)                                                                                    \
	CUresult name parameters                                                                                       \
	{                                                                                                              \
		THROUGH_RUNTIME((__VA_ARGS__));                                                                        \
	}
#define CALL_ANYWHERE(name, parameters, ...)                                                                           \
	CUresult name parameters                                                                                       \
	{                                                                                                              \
		QUIETLY((__VA_ARGS__));                                                                                \
	}
#define OF_DEVICE(name, parameters, ...)                                                                               \
	CUresult name parameters                                                                                       \
	{                                                                                                              \
		CUresult why = driver_check_device(#name, device);                                                     \
		if (why)                                                                                               \
			return why;                                                                                    \
		QUIETLY((__VA_ARGS__));                                                                                \
	}
#define IN_STREAM(name, parameters, ...)                                                                               \
	CALL(name, parameters, __VA_ARGS__)                                                                            \
	CUresult name##_ptsz parameters                                                                                \
	{                                                                                                              \
		stream = own_or(stream);                                                                               \
		THROUGH_RUNTIME((__VA_ARGS__));                                                                        \
	}
#define WAITING(name, parameters, ...)                                                                                 \
	CUresult name parameters                                                                                       \
	{                                                                                                              \
		CUstream const stream = NULL;                                                                          \
		THROUGH_RUNTIME((__VA_ARGS__));                                                                        \
	}                                                                                                              \
	CUresult name##_ptds parameters                                                                                \
	{                                                                                                              \
		CUstream const stream = cudaStreamPerThread;                                                           \
		THROUGH_RUNTIME((__VA_ARGS__));                                                                        \
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
