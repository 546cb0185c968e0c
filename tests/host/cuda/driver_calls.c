/* Calls of the driver that are rows of driver_calls.def, and what else it has beside launches and memory: settings of
 * contexts and functions, what can be asked about pointers, pools, graphs and their capture, the forms of calls for a
 * default stream per thread. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdint.h>

EMBED(binary, "kernels.fatbin");

enum { N = 64 };

static CUcontext context;
static CUmodule module;
static CUfunction fill_function; /* fill(int *to, int value, int count) */
static CUdeviceptr memory;       /* N ints */
static int host[N];

static const int *contents(void)
{
	OK(cuMemcpyDtoH_v2(host, memory, sizeof host));
	return host;
}

/* ---- Settings that have no effect here, but are kept ---- */

static void check_settings(void)
{
	int config = 9, least = 9, greatest = 9;
	unsigned int flags = 99, version = 0;
	unsigned long long id = 0, other = 0;
	CUcontext made;
	CUdevice device = 9;
	OK(cuCtxSetCacheConfig(1));
	OK(cuCtxGetCacheConfig(&config));
	CHECK(config == 1);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxSetCacheConfig(4));
	OK(cuCtxSetSharedMemConfig(2));
	OK(cuCtxGetSharedMemConfig(&config));
	CHECK(config == 1); /* banks of four bytes */
	OK(cuFuncSetCacheConfig(fill_function, 2));
	OK(cuFuncSetSharedMemConfig(fill_function, 1));
	OK(cuProfilerStart());
	OK(cuProfilerStop());
	OK(cuCtxSetFlags(4));
	OK(cuCtxGetFlags(&flags));
	CHECK(flags == 4);
	OK(cuCtxGetStreamPriorityRange(&least, &greatest));
	OK(cuCtxGetDevice_v2(&device, context));
	OK(cuCtxGetApiVersion(NULL, &version));
	CHECK(device == 0 && version == 3020);
	OK(cuCtxGetId(NULL, &id));
	OK(cuCtxCreate_v3(&made, NULL, 0, 0, 0));
	OK(cuCtxGetId(made, &other));
	CHECK(id && other && id != other);
	OK(cuCtxDestroy(made));
	OK(cuCtxPushCurrent(context));
	OK(cuCtxPopCurrent(&made));
	CHECK(made == context);
}

static void check_device(void)
{
	const char *name = NULL;
	OK(cuGetErrorName(CUDA_ERROR_STREAM_CAPTURE_MERGE, &name));
	CHECK(!strcmp(name, "CUDA_ERROR_STREAM_CAPTURE_MERGE"));
	char id[16], uuid[16];
	int properties[14], warp = 0, is_active = 9, can = 9;
	unsigned int flags;
	size_t texels = 0;
	OK(cuDeviceGetUuid_v2(uuid, 0));
	CHECK(!memcmp(uuid, "Lockstep", 8));
	OK(cuDeviceGetPCIBusId(id, sizeof id, 0));
	OK(cuDeviceGetProperties(properties, 0));
	OK(cuDeviceGetAttribute(&warp, 10, 0));
	CHECK(properties[9] == warp && properties[0] == properties[1]);
	OK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
	CHECK(is_active == 1 && flags == 4);
	OK(cuDeviceCanAccessPeer(&can, 0, 0));
	CHECK(!can);
	OK(cuDeviceGetTexture1DLinearMaxWidth(&texels, CU_AD_FORMAT_FLOAT, 1, 0));
	CHECK(texels == LINEAR_TEXELS);
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetUuid(uuid, 1));
}

/* ---- Functions ---- */

static void check_functions(void)
{
	const char *name = NULL;
	size_t offset = 9, bytes = 0;
	int grid = 0, block = 0, blocks = 0, loaded = 9, mode = 0, value = 0;
	unsigned int count = 0;
	CUmodule of = NULL;
	CUstream stream;
	OK(cuFuncGetName(&name, fill_function));
	CHECK(!strcmp(name, "fill"));
	OK(cuKernelGetParamInfo(fill_function, 1, &offset, &bytes));
	CHECK(offset == 8 && bytes == 4);
	OK(cuFuncGetModule(&of, fill_function));
	CHECK(of == module);
	OK(cuFuncLoad(fill_function));
	OK(cuFuncIsLoaded(&loaded, fill_function));
	CHECK(loaded == 1);
	OK(cuModuleGetLoadingMode(&mode));
	CHECK(mode == 1 || mode == 2);
	OK(cuModuleGetFunctionCount(&count, module));
	CHECK(count > 1);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill_function, NULL, 0, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, fill_function, block, 0, 0));
	CHECK(block > 0 && blocks > 0 && grid % blocks == 0);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill_function, NULL, 0, 64));
	CHECK(block <= 64);
	int seven = 7, half = N / 2;
	void *parameters[] = {&memory, &seven, &half};
	const CUlaunchConfig config = {.grid = {1, 1, 1}, .block = {N, 1, 1}};
	OK(cuMemsetD32_v2(memory, 1, N));
	OK(cuLaunchKernelEx(&config, fill_function, parameters, NULL));
	for (int k = 0; k < N; k++)
		CHECK(contents()[k] == (k < N / 2 ? 7 : 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(NULL, fill_function, parameters, NULL));
	OK(cuKernelGetAttribute(&value, 0, fill_function, 0));
	CHECK(value > 0);
	OK(cuStreamCreate(&stream, 0));
	CUcontext of_stream;
	OK(cuStreamGetCtx(stream, &of_stream));
	CHECK(of_stream == context);
	OK(cuStreamDestroy(stream));
}

/* ---- Pointers ---- */

static void check_pointers(void)
{
	CUdeviceptr base = 0, at = memory + 8;
	size_t bytes = 0;
	int type = 0, ordinal = 9, types[] = {2, 9, 11}; /* memory's type, the device, where it begins */
	void *pointer = NULL, *shared;
	unsigned long long start = 0;
	void *answers[] = {&type, &ordinal, &start};
	OK(cuMemGetAddressRange_v2(&base, &bytes, at));
	CHECK(base == memory && bytes >= sizeof host);
	GIVES(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange_v2(&base, &bytes, 8));
	OK(cuPointerGetAttribute(&type, 2, at));
	CHECK(type == 2);
	OK(cuPointerGetAttribute(&pointer, 3, at));
	CHECK(pointer == (void *)(uintptr_t)at);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&pointer, 4, at)); /* the host has no address for it */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&pointer, 99, at));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, 2, 8));
	OK(cuPointerGetAttributes(3, types, answers, at));
	CHECK(type == 2 && ordinal == 0 && start == memory);
	OK(cuPointerGetAttributes(3, types, answers, 8));
	CHECK(type == 0 && ordinal == -2 && start == 0);
	OK(cuMemHostAlloc(&shared, 64, 0));
	OK(cuPointerGetAttribute(&type, 2, (CUdeviceptr)(uintptr_t)shared));
	OK(cuPointerGetAttribute(&pointer, 4, (CUdeviceptr)(uintptr_t)shared));
	CHECK(type == 1 && pointer == shared);
	OK(cuMemFreeHost(shared));
}

/* ---- Memory ---- */

static void check_memory(void)
{
	cudaMemPool_t pool, other;
	CUdeviceptr made, pieces[2] = {memory, memory + 8}, from[2] = {memory + 16, memory + 24};
	size_t bytes[2] = {4, 4};
	uint64_t threshold = 4096, got = 0;
	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuDeviceGetMemPool(&other, 0));
	CHECK(pool == other);
	OK(cuMemPoolSetAttribute(pool, 4, &threshold)); /* CU_MEMPOOL_ATTR_RELEASE_THRESHOLD */
	OK(cuMemPoolGetAttribute(pool, 4, &got));
	CHECK(got == threshold);
	OK(cuMemAllocAsync(&made, 256, NULL));
	OK(cuMemcpyPeer(made, context, memory, context, 4));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(made, NULL, memory, context, 4));
	OK(cuMemFreeAsync(made, NULL));
	OK(cuMemsetD2D16_v2(memory, 16, 0x1234, 2, 4)); /* four bytes of each 16 */
	for (int k = 0; k < 16; k++)
		CHECK((contents()[k] == 0x12341234) == (k % 4 == 0));
	OK(cuMemsetD32_v2(memory, 5, N));
	OK(cuMemsetD32_v2(memory + 16, 6, 1));
	OK(cuMemsetD32_v2(memory + 24, 7, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync_v2(pieces, from, bytes, 2, NULL, NULL, 0, NULL));
	OK(cuMemcpyBatchAsync_v2_ptsz(pieces, from, bytes, 2, NULL, NULL, 0, NULL));
	OK(cuStreamSynchronize_ptsz(NULL));
	CHECK(contents()[0] == 6 && contents()[1] == 5 && contents()[2] == 7);
	CUDA_MEMCPY3D box = {.srcMemoryType = 2,
		.srcDevice = memory,
		.reserved0 = context,
		.dstMemoryType = 2,
		.dstDevice = memory + 128,
		.reserved1 = context,
		.WidthInBytes = 12,
		.Height = 1,
		.Depth = 1};
	OK(cuMemcpy3DPeer(&box));
	CHECK(contents()[32] == 6 && contents()[34] == 7);
	box.reserved1 = NULL;
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemcpy3DPeer(&box));
}

/* ---- Graphs ---- */

static void check_graph(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t nodes[4];
	cudaGraphNode_t listed[4];
	size_t count = 4;
	int nine = 9, few = 4;
	void *parameters[] = {&memory, &nine, &few};
	CUDA_KERNEL_NODE_PARAMS kernel = {{NULL, {1, 1, 1}, {N, 1, 1}, 0, parameters, NULL}, fill_function, NULL}, got;
	struct cudaMemsetParams set = {(void *)(uintptr_t)memory, 0, 3, 4, N, 1};
	CUDA_MEMCPY3D copy = {.srcMemoryType = 2,
		.srcDevice = memory,
		.dstMemoryType = 2,
		.dstDevice = memory,
		.dstXInBytes = 64,
		.WidthInBytes = 20,
		.Height = 1,
		.Depth = 1};
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &set, context));
	OK(cuGraphAddKernelNode_v2(&nodes[1], graph, &nodes[0], 1, &kernel));
	OK(cuGraphAddMemcpyNode(&nodes[2], graph, &nodes[1], 1, &copy, context));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemcpyNode(&nodes[3], graph, NULL, 0, &copy, NULL));
	OK(cuGraphGetNodes(graph, listed, &count));
	CHECK(count == 3);
	count = 4;
	OK(cuGraphGetEdges_v2(graph, NULL, NULL, NULL, &count));
	CHECK(count == 2);
	OK(cuGraphKernelNodeGetParams_v2(nodes[1], &got));
	CHECK(got.node.func == (void *)fill_function && !got.kernel && got.node.blockDim.x == N);
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuGraphLaunch(exec, NULL));
	OK(cuCtxSynchronize());
	for (int k = 0; k < N; k++)
		CHECK(contents()[k] == (k < 4 || (k >= 16 && k < 20) ? 9 : 3));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	/* The same copy as a node of any kind. */
	struct cudaGraphNodeParams any = {.type = cudaGraphNodeTypeMemcpy};
	memcpy(&any.memcpy.copyParams, &copy, sizeof any.memcpy.copyParams);
	memcpy((char *)&any.memcpy.copyParams + sizeof any.memcpy.copyParams,
		(char *)&copy + sizeof any.memcpy.copyParams, sizeof copy - sizeof any.memcpy.copyParams);
	OK(cuMemsetD32_v2(memory, 4, N / 4));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddNode_v2(&nodes[0], graph, NULL, NULL, 0, &any));
	OK(cuGraphInstantiate_v2(&exec, graph, NULL, NULL, 0));
	OK(cuGraphLaunch(exec, NULL));
	OK(cuCtxSynchronize());
	CHECK(contents()[16] == 4 && contents()[20] == 4 && contents()[21] == 3);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* What a call enqueues in stream 0 goes to the thread's own stream, which is captured; in another one to that one. */
static void check_per_thread(void)
{
	cudaGraph_t graph;
	enum cudaStreamCaptureStatus status;
	size_t count = 9;
	int one = 1, all = N;
	void *parameters[] = {&memory, &one, &all};
	const CUlaunchConfig config = {.grid = {1, 1, 1}, .block = {N, 1, 1}};
	CUDA_MEMCPY2D rows = {.srcMemoryType = 2,
		.srcDevice = memory,
		.dstMemoryType = 2,
		.dstDevice = memory + 64,
		.WidthInBytes = 8,
		.Height = 1};
	OK(cuStreamBeginCapture_v2_ptsz(NULL, cudaStreamCaptureModeRelaxed));
	OK(cuLaunchKernel_ptsz(fill_function, 1, 1, 1, N, 1, 1, 0, NULL, parameters, NULL));
	OK(cuLaunchKernelEx_ptsz(&config, fill_function, parameters, NULL));
	OK(cuMemcpyAsync_ptsz(memory, memory + 64, 4, NULL));
	OK(cuMemcpy2DAsync_v2_ptsz(&rows, NULL));
	OK(cuMemsetD32_v2_ptds(memory, 1, N));
	OK(cuMemsetD2D8Async_ptsz(memory, 16, 1, 4, 4, NULL));
	OK(cuStreamIsCapturing_ptsz(NULL, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cuStreamEndCapture_ptsz(NULL, &graph));
	OK(cuGraphGetNodes(graph, NULL, &count));
	CHECK(count == 6);
	OK(cuGraphDestroy(graph));
	OK(cuStreamBeginCapture_v2_ptsz(NULL, cudaStreamCaptureModeRelaxed));
	GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemcpyDtoH_v2_ptds(host, memory, 4));
	GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture_ptsz(NULL, &graph));
	OK(cuMemcpyDtoD_v2_ptds(memory, memory + 16, 4));
	OK(cuMemcpy2D_v2_ptds(&rows));
}

/* What needs no context makes none. */
static void check_without_context(void)
{
	CUcontext none = (CUcontext)1;
	cudaMemPool_t pool;
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuInit(0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetDefaultMemPool(&pool, 1));
	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuCtxGetCurrent(&none));
	CHECK(!none);
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemPoolTrimTo(pool, 0));
}

int main(void)
{
	check_without_context();
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuModuleLoadData(&module, binary));
	OK(cuModuleGetFunction(&fill_function, module, "fill"));
	OK(cuMemAlloc_v2(&memory, sizeof host));
	check_settings();
	check_device();
	check_functions();
	check_pointers();
	check_memory();
	check_graph();
	check_per_thread();
	OK(cuMemFree_v2(memory));
	OK(cuModuleUnload(module));
	OK(cuDevicePrimaryCtxRelease(0));
	return 0;
}
