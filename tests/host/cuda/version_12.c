/* The calls whose names CUDA 12 has with other arguments than CUDA 13, of libcudart.so.12.  Offsets are those of
 * CUDA 12.8's cudaDeviceProp (CUDA Runtime API, "Data Structures"), by which compiled programs read it; before CUDA 12
 * it ended at byte 728. */
#define LOCKSTEP_CUDA_MAJOR 12
#include "versions.h"

#include <stdint.h>

cudaError_t cudaGetDeviceProperties(void *properties, int device);
cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
cudaError_t cudaGraphAddDependencies(
	cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream);
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, int device);

cudaError_t cudaGraphRemoveDependencies(
	cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
	struct cudaGraphNodeParams *parameters);
cudaError_t cudaStreamUpdateCaptureDependencies(
	cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned int flags);
cudaError_t cudaChooseDevice(int *device, const void *wanted);
cudaError_t cudaChooseDevice_v2(int *device, const void *wanted);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaDeviceSetSharedMemConfig(int config);
cudaError_t cudaDeviceGetSharedMemConfig(int *config);
cudaError_t cudaFuncSetSharedMemConfig(const void *function, int config);

enum {
	NAME = 0,
	WARP = 308,
	CLOCK = 348,
	MAJOR = 360,
	OVERLAP = 384,
	CORES = 388,
	TEXTURES = 408,
	END_BEFORE_12 = 728,
	POOLS = 744,
	END = 1032
};

static int at(const char *properties, int offset)
{
	int value;
	memcpy(&value, properties + offset, sizeof value);
	return value;
}

/* From maxTexture1D to maxTexture3D, as attributes of the device. */
static void check_textures(const char *properties)
{
	static const int attributes[] = {21, 77, 69, 22, 23, 73, 74, 70, 71, 72, 45, 46, 24, 25, 26};
	for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
		int value;
		OK(cudaDeviceGetAttribute(&value, attributes[k], 0));
		CHECK(at(properties, TEXTURES + 4 * (int)k) == value);
	}
}

static void check_properties(void)
{
	char whole[END + 8], start[END + 8];
	int cores, major, clock, version;
	memset(whole, 0x55, sizeof whole);
	memset(start, 0x55, sizeof start);
	OK(cudaGetDeviceProperties_v2(whole, 0));
	OK(cudaGetDeviceProperties(start, 0));
	OK(cudaDeviceGetAttribute(&cores, 16, 0));
	OK(cudaDeviceGetAttribute(&major, 75, 0));
	OK(cudaDeviceGetAttribute(&clock, 13, 0));
	CHECK(strstr(whole + NAME, "Lockstep"));
	CHECK(at(whole, WARP) == 32 && at(whole, CORES) == cores && at(whole, MAJOR) == major &&
		at(whole, CLOCK) == clock);
	CHECK(at(whole, OVERLAP) == 1 && at(whole, POOLS) == 1);
	check_textures(whole);
	CHECK(whole[END - 1] == 0 && whole[END] == 0x55);
	CHECK(!memcmp(whole, start, END_BEFORE_12) && start[END_BEFORE_12] == 0x55);
	GIVES(cudaErrorInvalidDevice, cudaGetDeviceProperties_v2(whole, 1));
	OK(cudaRuntimeGetVersion(&version));
	CHECK(version / 1000 == 12);
}

static void check_graphs(void)
{
	cudaGraph_t graph, captured;
	cudaGraphNode_t nodes[2], from[2], to[2];
	cudaGraphEdgeData edges[2];
	const cudaGraphNode_t *after;
	cudaStream_t stream;
	enum cudaStreamCaptureStatus status;
	unsigned long long id, other;
	size_t count = 2;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
	OK(cudaGraphAddEmptyNode(&nodes[1], graph, NULL, 0));
	OK(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], 1));
	OK(cudaGraphGetEdges(graph, from, to, &count));
	CHECK(count == 1 && from[0] == nodes[0] && to[0] == nodes[1]);
	OK(cudaGraphGetEdges_v2(graph, from, to, edges, &count));
	CHECK(count == 1 && edges[0].type == 0);
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaStreamGetCaptureInfo(stream, &status, &id));
	OK(cudaStreamGetCaptureInfo_v2(stream, &status, &other, &captured, &after, &count));
	CHECK(status == cudaStreamCaptureStatusActive && id == other && captured && count == 0);
	OK(cudaGraphAddEmptyNode(&nodes[0], captured, NULL, 0));
	OK(cudaStreamUpdateCaptureDependencies(stream, nodes, 1, cudaStreamSetCaptureDependencies));
	OK(cudaStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &after, &count));
	CHECK(count == 1 && after[0] == nodes[0]);
	OK(cudaStreamEndCapture(stream, &graph));
	CHECK(graph == captured);
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(stream));
}

/* Without descriptions of edges. */
static void check_plain_edges(void)
{
	struct cudaGraphNodeParams empty = {.type = cudaGraphNodeTypeEmpty};
	cudaGraph_t graph;
	cudaGraphNode_t n[3], seen[2];
	size_t count = 2;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEmptyNode(&n[0], graph, NULL, 0));
	OK(cudaGraphAddEmptyNode(&n[1], graph, NULL, 0));
	OK(cudaGraphAddNode(&n[2], graph, n, 2, &empty));
	OK(cudaGraphNodeGetDependencies(n[2], seen, &count));
	CHECK(count == 2 && seen[0] == n[0] && seen[1] == n[1]);
	OK(cudaGraphRemoveDependencies(graph, &n[0], &n[2], 1));
	OK(cudaGraphNodeGetDependencies(n[2], seen, &count));
	CHECK(count == 1 && seen[0] == n[1]);
	OK(cudaGraphNodeGetDependentNodes(n[1], seen, &count));
	CHECK(count == 1 && seen[0] == n[2]);
	OK(cudaGraphNodeGetDependentNodes(n[0], NULL, &count));
	CHECK(count == 0);
	GIVES(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, &n[0], &n[2], 1));
	OK(cudaGraphDestroy(graph));
}

/* What CUDA 13 has no more: CUDA Runtime API 12.8, "Thread Management [DEPRECATED]" and "Device Management". */
static void check_gone(void)
{
	char properties[END] = {0};
	int device = 9, config = 9, other = 9, *p;
	OK(cudaChooseDevice(&device, properties));
	OK(cudaChooseDevice_v2(&other, properties));
	CHECK(device == 0 && other == 0);
	GIVES(cudaErrorInvalidValue, cudaChooseDevice(&device, NULL));
	GIVES(cudaErrorInvalidValue, cudaChooseDevice_v2(&device, NULL));
	GIVES(cudaErrorInvalidValue, cudaGetDeviceProperties_v2(NULL, 0));
	for (int k = 0; k <= 2; k++) { /* default, four bytes, eight bytes */
		OK(cudaDeviceSetSharedMemConfig(k));
		OK(cudaFuncSetSharedMemConfig(&fill, k));
	}
	GIVES(cudaErrorInvalidValue, cudaDeviceSetSharedMemConfig(-1));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetSharedMemConfig(3));
	GIVES(cudaErrorInvalidValue, cudaFuncSetSharedMemConfig(&fill, -1));
	GIVES(cudaErrorInvalidValue, cudaFuncSetSharedMemConfig(&fill, 3));
	GIVES(cudaErrorInvalidDeviceFunction, cudaFuncSetSharedMemConfig(properties, 0));
	OK(cudaDeviceGetSharedMemConfig(&config));
	CHECK(config == 1);
	GIVES(cudaErrorInvalidValue, cudaDeviceGetSharedMemConfig(NULL));
	/* Both wait for what is enqueued. */
	OK(cudaMallocManaged((void **)&p, 4, cudaMemAttachGlobal));
	*p = 0;
	OK(LAUNCH(fill, 1, 1, NULL, &p, &(int){77}, &(int){1}));
	OK(cudaThreadSynchronize());
	CHECK(*p == 77);
	OK(LAUNCH(fill, 1, 1, NULL, &p, &(int){78}, &(int){1}));
	OK(cudaThreadExit());
	CHECK(*p == 78);
}

static void check_managed(void)
{
	char *p;
	int device;
	OK(cudaMallocManaged((void **)&p, 4096, cudaMemAttachGlobal));
	OK(cudaMemAdvise(p, 4096, 3, -1)); /* prefers the host */
	OK(cudaMemPrefetchAsync(p, 4096, 0, NULL));
	OK(cudaMemRangeGetAttribute(&device, sizeof device, 2, p, 4096));
	CHECK(device == -1);
	OK(cudaMemRangeGetAttribute(&device, sizeof device, 4, p, 4096));
	CHECK(device == 0);
	GIVES(cudaErrorInvalidDevice, cudaMemPrefetchAsync(p, 4096, 1, NULL));
	OK(cudaFree(p));
}

int main(void)
{
	check_properties();
	check_graphs();
	check_managed();
	check_plain_edges();
	check_places();
	check_edges();
	check_capture();
	check_gone();
	return 0;
}
