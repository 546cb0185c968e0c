/* The calls that CUDA 12 has under names of their own (with _v2, _v3) and CUDA 13 without: places of managed memory,
 * edges of graphs, captures.  NEW(name, ending): the form that takes what CUDA 13's does.  Expectations: CUDA Runtime
 * API 13.0, "Memory Management" and "Graph Management". */
#ifndef LOCKSTEP_TESTS_HOST_CUDA_VERSIONS_H
#define LOCKSTEP_TESTS_HOST_CUDA_VERSIONS_H

#include "kernels.h"

#if LOCKSTEP_CUDA_MAJOR >= 13
#define NEW(name, ending) name
#else
#define NEW(name, ending) name##_##ending
cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice, struct cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync_v2(
	const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count);
cudaError_t cudaGraphGetEdges_v2(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count);
cudaError_t cudaGraphNodeGetDependencies_v2(
	cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes_v2(
	cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
	size_t *count);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(
	cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, unsigned int flags);
#endif

/* ---- Places ---- */

static const struct cudaMemLocation on_device = {1, 0}, on_host = {2, 0};

enum { BYTES = 4096 };
enum { SET_READ_MOSTLY = 1, UNSET_READ_MOSTLY, SET_PREFERRED, UNSET_PREFERRED, SET_ACCESSED_BY, UNSET_ACCESSED_BY };
enum {
	READ_MOSTLY = 1,
	PREFERRED,
	ACCESSED_BY,
	PREFETCHED,
	PREFERRED_TYPE,
	PREFERRED_ID,
	PREFETCHED_TYPE,
	PREFETCHED_ID
};

static inline int range_of(const void *pointer, int attribute)
{
	int value = 99;
	OK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, pointer, BYTES));
	return value;
}

static inline void check_places(void)
{
	const struct cudaMemLocation nowhere = {0, 0}, numa = {3, 0}, second = {1, 1};
	char *p, *device, local[64];
	int two[2] = {9, 9}, one = 9, three[3];
	OK(cudaMallocManaged((void **)&p, BYTES, cudaMemAttachGlobal));
	OK(cudaMalloc((void **)&device, BYTES));
	/* Before any advice: -2 is cudaInvalidDeviceId, -1 the host. */
	CHECK(range_of(p, READ_MOSTLY) == 0 && range_of(p, PREFERRED) == -2 && range_of(p, ACCESSED_BY) == -2);
	CHECK(range_of(p, PREFETCHED) == -2 && range_of(p, PREFERRED_TYPE) == 0 && range_of(p, PREFETCHED_TYPE) == 0);
	CHECK(range_of(p, PREFERRED_ID) == 0 && range_of(p, PREFETCHED_ID) == 0);
	OK(NEW(cudaMemAdvise, v2)(
		p, BYTES, SET_READ_MOSTLY, nowhere)); /* "the location argument is ignored for this advice" */
	CHECK(range_of(p, READ_MOSTLY) == 1 && range_of(p, PREFERRED) == -2);
	OK(NEW(cudaMemAdvise, v2)(p, BYTES, UNSET_READ_MOSTLY, nowhere));
	CHECK(range_of(p, READ_MOSTLY) == 0);
	OK(NEW(cudaMemAdvise, v2)(p, BYTES, SET_PREFERRED, on_device));
	CHECK(range_of(p, PREFERRED) == 0 && range_of(p, PREFERRED_TYPE) == 1 && range_of(p, READ_MOSTLY) == 0);
	OK(NEW(cudaMemAdvise, v2)(p, BYTES, SET_PREFERRED, on_host));
	CHECK(range_of(p, PREFERRED) == -1 && range_of(p, PREFERRED_TYPE) == 2 && range_of(p, PREFETCHED) == -2);
	OK(NEW(cudaMemAdvise, v2)(p, BYTES, UNSET_PREFERRED, nowhere));
	CHECK(range_of(p, PREFERRED) == -2 && range_of(p, PREFERRED_TYPE) == 0);
	OK(NEW(cudaMemAdvise, v2)(
		p, BYTES, SET_ACCESSED_BY, on_host)); /* the host always has access: it is no device of the list */
	CHECK(range_of(p, ACCESSED_BY) == -2);
	OK(NEW(cudaMemAdvise, v2)(p, BYTES, SET_ACCESSED_BY, on_device));
	OK(cudaMemRangeGetAttribute(two, sizeof two, ACCESSED_BY, p, BYTES));
	CHECK(two[0] == 0 && two[1] == -2 && range_of(p, PREFERRED) == -2);
	OK(NEW(cudaMemAdvise, v2)(p, BYTES, UNSET_ACCESSED_BY, on_device));
	CHECK(range_of(p, ACCESSED_BY) == -2);
	OK(NEW(cudaMemPrefetchAsync, v2)(p, BYTES, on_device, 0, NULL));
	CHECK(range_of(p, PREFETCHED) == 0 && range_of(p, PREFETCHED_TYPE) == 1 && range_of(p, PREFERRED) == -2);
	OK(NEW(cudaMemPrefetchAsync, v2)(p, BYTES, on_host, 0, NULL));
	CHECK(range_of(p, PREFETCHED) == -1 && range_of(p, PREFETCHED_TYPE) == 2);
	OK(NEW(cudaMemAdvise, v2)(p, BYTES, SET_READ_MOSTLY, nowhere));
	OK(cudaMemRangeGetAttributes(
		(void *[]){&one, two}, (size_t[]){4, 8}, (int[]){READ_MOSTLY, ACCESSED_BY}, 2, p, BYTES));
	CHECK(one == 1 && two[0] == -2 && two[1] == -2);
	const struct {
		cudaError_t code;
		const void *pointer;
		size_t bytes;
		int advice;
		struct cudaMemLocation location;
	} wrong[] = {
		{cudaErrorInvalidValue, p, BYTES, 0, on_device},
		{cudaErrorInvalidValue, p, BYTES, 7, on_device},
		{cudaErrorInvalidValue, p, 0, SET_READ_MOSTLY, on_device},
		{cudaErrorInvalidValue, p, BYTES + 1, SET_READ_MOSTLY, on_device},
		{cudaErrorInvalidValue, p + 1, BYTES, SET_READ_MOSTLY, on_device},
		{cudaErrorInvalidValue, device, BYTES, SET_READ_MOSTLY, on_device},
		{cudaErrorInvalidValue, local, 64, SET_READ_MOSTLY, on_device},
		{cudaErrorInvalidValue, p, BYTES, SET_PREFERRED, nowhere},
		{cudaErrorInvalidValue, p, BYTES, SET_ACCESSED_BY, numa},
		{cudaErrorInvalidDevice, p, BYTES, SET_PREFERRED, second},
		{cudaErrorInvalidDevice, p, BYTES, UNSET_ACCESSED_BY, second},
	};
	for (check_entry = 0; check_entry < (int)(sizeof wrong / sizeof *wrong); check_entry++)
		GIVES(wrong[check_entry].code,
			NEW(cudaMemAdvise, v2)(wrong[check_entry].pointer, wrong[check_entry].bytes,
				wrong[check_entry].advice, wrong[check_entry].location));
	check_entry = 0;
	CHECK(range_of(p, READ_MOSTLY) == 1 && range_of(p, PREFERRED) == -2 && range_of(p, ACCESSED_BY) == -2);
	GIVES(cudaErrorInvalidValue,
		NEW(cudaMemPrefetchAsync, v2)(p, BYTES, on_device, 1, NULL)); /* "flags: ... must be 0" */
	GIVES(cudaErrorInvalidValue, NEW(cudaMemPrefetchAsync, v2)(p, BYTES, nowhere, 0, NULL));
	GIVES(cudaErrorInvalidDevice, NEW(cudaMemPrefetchAsync, v2)(p, BYTES, second, 0, NULL));
	GIVES(cudaErrorInvalidResourceHandle,
		NEW(cudaMemPrefetchAsync, v2)(p, BYTES, on_device, 0, (cudaStream_t)local));
	GIVES(cudaErrorInvalidValue, NEW(cudaMemPrefetchAsync, v2)(device, BYTES, on_device, 0, NULL));
	CHECK(range_of(p, PREFETCHED) == -1);
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(NULL, 4, READ_MOSTLY, p, BYTES));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(three, 3, READ_MOSTLY, p, BYTES));
	GIVES(cudaErrorInvalidValue,
		cudaMemRangeGetAttribute(three, 8, READ_MOSTLY, p, BYTES)); /* "dataSize must be 4" */
	GIVES(cudaErrorInvalidValue,
		cudaMemRangeGetAttribute(three, 6, ACCESSED_BY, p, BYTES)); /* "a multiple of 4 and non-zero" */
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(three, 4, 0, p, BYTES));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(three, 4, 9, p, BYTES));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(three, 4, READ_MOSTLY, p, 0));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(three, 4, READ_MOSTLY, p, BYTES + 1));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(three, 4, READ_MOSTLY, p + 8, BYTES - 7));
	OK(cudaMemRangeGetAttribute(three, 4, READ_MOSTLY, p + 8, BYTES - 8));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(three, 4, READ_MOSTLY, device, BYTES));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(three, 4, READ_MOSTLY, local, 1));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttributes(NULL, (size_t[]){4}, (int[]){1}, 1, p, BYTES));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttributes((void *[]){&one}, NULL, (int[]){1}, 1, p, BYTES));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttributes((void *[]){&one}, (size_t[]){4}, NULL, 1, p, BYTES));
	GIVES(cudaErrorInvalidValue,
		cudaMemRangeGetAttributes((void *[]){&one}, (size_t[]){4}, (int[]){1}, 0, p, BYTES));
	GIVES(cudaErrorInvalidValue,
		cudaMemRangeGetAttributes((void *[]){&one, two}, (size_t[]){4, 8}, (int[]){1, 1}, 2, p, BYTES));
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaFree(p));
	OK(cudaFree(device));
}

/* ---- Edges ---- */

static inline void check_edges(void)
{
	const cudaGraphEdgeData plain[2] = {{0}}, odd[2] = {{0}, {.type = 1}}, port[1] = {{.from_port = 1}};
	cudaGraph_t graph, other;
	cudaGraphNode_t n[4], foreign, from[4], to[4], added;
	cudaGraphEdgeData edges[4];
	struct cudaGraphNodeParams empty = {.type = cudaGraphNodeTypeEmpty},
				   unknown = {.type = (enum cudaGraphNodeType)99};
	size_t count;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphCreate(&other, 0));
	OK(cudaGraphAddEmptyNode(&foreign, other, NULL, 0));
	for (int k = 0; k < 3; k++)
		OK(cudaGraphAddEmptyNode(&n[k], graph, NULL, 0));
	OK(NEW(cudaGraphAddNode, v2)(&n[3], graph, (cudaGraphNode_t[]){n[0], n[1]}, plain, 2, &empty));
	OK(NEW(cudaGraphAddDependencies, v2)(
		graph, (cudaGraphNode_t[]){n[0], n[1]}, (cudaGraphNode_t[]){n[2], n[2]}, plain, 2));
	OK(NEW(cudaGraphGetEdges, v2)(graph, NULL, NULL, NULL, &count));
	CHECK(count == 4);
	memset(edges, 0x55, sizeof edges);
	OK(NEW(cudaGraphNodeGetDependencies, v2)(n[3], from, edges, &count));
	CHECK(count == 2 && from[0] == n[0] && from[1] == n[1] && !memcmp(edges, plain, sizeof plain));
	count = 1; /* "numEdges is set to the number actually returned" */
	from[1] = NULL;
	OK(NEW(cudaGraphNodeGetDependencies, v2)(n[3], from, NULL, &count));
	CHECK(count == 1 && from[0] == n[0] && !from[1]);
	count = 4; /* "the remaining entries will be set to NULL" */
	OK(NEW(cudaGraphNodeGetDependencies, v2)(n[3], from, NULL, &count));
	CHECK(count == 2 && from[1] == n[1] && !from[2] && !from[3]);
	memset(edges, 0x55, sizeof edges);
	count = 4;
	OK(NEW(cudaGraphNodeGetDependentNodes, v2)(n[1], to, edges, &count));
	CHECK(count == 2 && ((to[0] == n[2] && to[1] == n[3]) || (to[0] == n[3] && to[1] == n[2])) &&
		!memcmp(edges, plain, sizeof plain));
	OK(NEW(cudaGraphNodeGetDependentNodes, v2)(n[3], NULL, NULL, &count));
	CHECK(count == 0);
	OK(NEW(cudaGraphRemoveDependencies, v2)(graph, &n[0], &n[2], plain, 1));
	count = 4;
	memset(edges, 0x55, sizeof edges);
	OK(NEW(cudaGraphGetEdges, v2)(graph, from, to, edges, &count));
	CHECK(count == 3 && edges[2].type == 0);
	for (size_t k = 0; k < count; k++)
		CHECK((to[k] == n[3] && (from[k] == n[0] || from[k] == n[1])) || (to[k] == n[2] && from[k] == n[1]));
	const struct {
		cudaError_t code;
		cudaGraph_t graph;
		const cudaGraphNode_t *from, *to;
		const cudaGraphEdgeData *edges;
		size_t count;
	} wrong[] = {
		{cudaErrorInvalidValue, NULL, &n[0], &n[2], NULL, 1},
		{cudaErrorInvalidValue, graph, NULL, &n[2], NULL, 1},
		{cudaErrorInvalidValue, graph, &n[0], NULL, NULL, 1},
		{cudaErrorInvalidValue, graph, &n[0], &n[0], NULL, 1},
		{cudaErrorInvalidValue, graph, &foreign, &n[0], NULL, 1},
		{cudaErrorInvalidValue, graph, &n[0], &foreign, NULL, 1},
		{cudaErrorInvalidValue, graph, &(cudaGraphNode_t){NULL}, &n[0], NULL, 1},
		{cudaErrorNotSupported, graph, (cudaGraphNode_t[]){n[0], n[2]}, (cudaGraphNode_t[]){n[2], n[3]}, odd,
			2},
	};
	for (check_entry = 0; check_entry < (int)(sizeof wrong / sizeof *wrong); check_entry++)
		GIVES(wrong[check_entry].code,
			NEW(cudaGraphAddDependencies, v2)(wrong[check_entry].graph, wrong[check_entry].from,
				wrong[check_entry].to, wrong[check_entry].edges, wrong[check_entry].count));
	check_entry = 0;
	GIVES(cudaErrorInvalidValue,
		NEW(cudaGraphAddDependencies, v2)(graph, &n[1], &n[2], NULL, 1)); /* "already exists" */
	GIVES(cudaErrorInvalidValue,
		NEW(cudaGraphRemoveDependencies, v2)(graph, &n[0], &n[2], NULL, 1)); /* there is none */
	GIVES(cudaErrorNotSupported, NEW(cudaGraphRemoveDependencies, v2)(graph, &n[1], &n[2], port, 1));
	OK(NEW(cudaGraphAddDependencies, v2)(graph, NULL, NULL, NULL, 0));
	GIVES(cudaErrorInvalidValue, NEW(cudaGraphAddNode, v2)(&added, graph, &foreign, NULL, 1, &empty));
	GIVES(cudaErrorInvalidValue,
		NEW(cudaGraphAddNode, v2)(&added, graph, (cudaGraphNode_t[]){n[0], n[0]}, NULL, 2, &empty));
	GIVES(cudaErrorInvalidValue, NEW(cudaGraphAddNode, v2)(&added, graph, NULL, NULL, 1, &empty));
	GIVES(cudaErrorInvalidValue, NEW(cudaGraphAddNode, v2)(&added, graph, NULL, NULL, 0, NULL));
	GIVES(cudaErrorInvalidValue, NEW(cudaGraphAddNode, v2)(NULL, graph, NULL, NULL, 0, &empty));
	GIVES(cudaErrorNotSupported, NEW(cudaGraphAddNode, v2)(&added, graph, n, port, 1, &empty));
	CHECK(NEW(cudaGraphAddNode, v2)(&added, graph, NULL, NULL, 0, &unknown) != cudaSuccess);
	GIVES(cudaErrorInvalidValue, NEW(cudaGraphGetEdges, v2)(graph, from, to, NULL, NULL));
	GIVES(cudaErrorInvalidValue, NEW(cudaGraphNodeGetDependencies, v2)(NULL, from, NULL, &count));
	GIVES(cudaErrorInvalidValue, NEW(cudaGraphNodeGetDependentNodes, v2)(n[0], to, NULL, NULL));
	OK(NEW(cudaGraphGetEdges, v2)(graph, NULL, NULL, NULL, &count));
	CHECK(count == 3);
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphDestroy(other));
}

/* ---- Captures ---- */

static inline void check_capture(void)
{
	cudaStream_t stream;
	cudaGraph_t graph = NULL, same;
	cudaGraphNode_t node;
	const cudaGraphNode_t *after;
	const cudaGraphEdgeData port = {.from_port = 1}, *edges;
	enum cudaStreamCaptureStatus status;
	unsigned long long id = 0, none = 7;
	size_t count = 9;
	int *p, zero = 0;
	OK(cudaMalloc((void **)&p, 64));
	OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	OK(NEW(cudaStreamGetCaptureInfo, v3)(stream, &status, &none, &graph, &after, &edges, &count));
	CHECK(status == cudaStreamCaptureStatusNone && none == 0 && !graph && count == 0);
	GIVES(cudaErrorIllegalState, NEW(cudaStreamUpdateCaptureDependencies, v2)(stream, NULL, NULL, 0, 0));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	OK(cudaMemsetAsync(p, 0, 64, stream));
	OK(NEW(cudaStreamGetCaptureInfo, v3)(stream, &status, &id, &graph, &after, &edges, &count));
	CHECK(status == cudaStreamCaptureStatusActive && id > 0 && graph && count == 1 && !edges);
	node = after[0];
	OK(NEW(cudaStreamGetCaptureInfo, v3)(stream, &status, NULL, NULL, NULL, NULL, NULL));
	GIVES(cudaErrorInvalidValue,
		NEW(cudaStreamGetCaptureInfo, v3)(stream, NULL, &id, &graph, &after, &edges, &count));
	GIVES(cudaErrorInvalidResourceHandle,
		NEW(cudaStreamGetCaptureInfo, v3)((cudaStream_t)&zero, &status, &id, &graph, &after, &edges, &count));
	/* Where it goes on: behind nothing, behind a node, behind that and another. */
	OK(NEW(cudaStreamUpdateCaptureDependencies, v2)(stream, NULL, NULL, 0, cudaStreamSetCaptureDependencies));
	OK(NEW(cudaStreamGetCaptureInfo, v3)(stream, &status, NULL, NULL, &after, NULL, &count));
	CHECK(count == 0);
	OK(cudaMemsetAsync(p, 0, 64, stream));
	OK(NEW(cudaStreamGetCaptureInfo, v3)(stream, &status, NULL, NULL, &after, NULL, &count));
	CHECK(count == 1 && after[0] != node);
	OK(NEW(cudaGraphNodeGetDependencies, v2)(after[0], NULL, NULL, &count));
	CHECK(count == 0);
	OK(NEW(cudaStreamUpdateCaptureDependencies, v2)(stream, &node, NULL, 1, cudaStreamAddCaptureDependencies));
	OK(NEW(cudaStreamGetCaptureInfo, v3)(stream, &status, NULL, NULL, &after, NULL, &count));
	CHECK(count == 2 && after[0] != node && after[1] == node);
	OK(NEW(cudaStreamUpdateCaptureDependencies, v2)(
		stream, &node, &(cudaGraphEdgeData){0}, 1, cudaStreamSetCaptureDependencies));
	OK(NEW(cudaStreamGetCaptureInfo, v3)(stream, &status, NULL, NULL, &after, NULL, &count));
	CHECK(count == 1 && after[0] == node);
	GIVES(cudaErrorInvalidValue, NEW(cudaStreamUpdateCaptureDependencies, v2)(stream, &node, NULL, 1, 2));
	GIVES(cudaErrorInvalidValue, NEW(cudaStreamUpdateCaptureDependencies, v2)(stream, NULL, NULL, 1, 0));
	GIVES(cudaErrorNotSupported, NEW(cudaStreamUpdateCaptureDependencies, v2)(stream, &node, &port, 1, 0));
	GIVES(cudaErrorInvalidResourceHandle,
		NEW(cudaStreamUpdateCaptureDependencies, v2)((cudaStream_t)&zero, &node, NULL, 1, 0));
	OK(cudaStreamEndCapture(stream, &same));
	CHECK(same == graph);
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(stream));
	OK(cudaFree(p));
}

#endif
