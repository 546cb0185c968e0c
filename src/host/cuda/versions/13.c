/* What CUDA 13 gives other arguments than CUDA 12 does, for libcudart.so.13: declared in runtime.h. */
#include "host/cuda/graph.h"

const int runtime_version = 13000;

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	return device_properties(properties, device);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
	return wanted ? cudaGetDevice(device) : error_note(cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, struct cudaMemLocation location)
{
	return memory_advise(pointer, bytes, advice, location);
}

cudaError_t cudaMemPrefetchAsync(
	const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream)
{
	return flags ? error_note(cudaErrorInvalidValue) : memory_prefetch(pointer, bytes, location, stream);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count)
{
	return graph_add_edges(graph, from, to, edges, count);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count)
{
	return graph_remove_edges(graph, from, to, edges, count);
}

cudaError_t cudaGraphGetEdges(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count)
{
	return graph_edges(graph, from, to, edges, count);
}

cudaError_t cudaGraphNodeGetDependencies(
	cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count)
{
	return node_before(node, nodes, edges, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(
	cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count)
{
	return node_after(node, nodes, edges, count);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters)
{
	return graph_add_node(node, graph, after, edges, count, parameters);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
	cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *count)
{
	return capture_info(stream, status, id, graph, after, edges, count);
}

cudaError_t cudaStreamUpdateCaptureDependencies(
	cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, unsigned int flags)
{
	return capture_update(stream, nodes, edges, count, flags);
}
