/* What CUDA 13 gives other arguments than CUDA 12 does, for libcudart.so.13: declared in runtime.h. */
#include "host/cuda/graph.h"

const int runtime_version = 13000;

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	return device_properties(properties, device);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
	cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *count)
{
	return capture_info(stream, status, id, graph, after, edges, count);
}

cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
	size_t *count)
{
	return capture_info(own_or(stream), status, id, graph, after, edges, count);
}

#define CHANGED(name, parameters_of_12, call_of_12, parameters, call)                                                  \
	cudaError_t name parameters                                                                                    \
	{                                                                                                              \
		return call;                                                                                           \
	}
#define CHANGED_IN_STREAM(name, parameters_of_12, call_of_12, parameters, call)                                        \
	CHANGED(name, parameters_of_12, call_of_12, parameters, call)                                                  \
	cudaError_t name##_ptsz parameters                                                                             \
	{                                                                                                              \
		stream = own_or(stream);                                                                               \
		return call;                                                                                           \
	}
#include "host/cuda/versions/changed.def"
