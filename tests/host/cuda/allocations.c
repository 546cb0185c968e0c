/* What the application makes and gives back leaves nothing behind; and where the host has no memory, a call says
 * cudaErrorMemoryAllocation, and leaves nothing either: CUDA Runtime API 13.0, cudaError_t: "The API call failed
 * because it was unable to allocate enough memory or other resources to perform the requested operation." */
#include "kernels.h"

#include "../allocations.h"
#include "host/cuda/driver.h"

EMBED(fatbin, "kernels.fatbin");

/* Until the first error: then only what gives back is called. */
#define TRY(call) (error = error ? error : (int)(call))

static char *memory; /* 4,096 bytes of the device */
static char host[64];

static void nothing(void *data)
{
	(void)data;
}

static void nothing_of_stream(cudaStream_t stream, cudaError_t status, void *data)
{
	(void)stream, (void)status, (void)data;
}

static int streams(void)
{
	cudaStream_t stream = NULL, other = NULL;
	cudaEvent_t event = NULL;
	int error = 0, value = 3, n = 8;
	TRY(cudaStreamCreate(&stream));
	TRY(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	TRY(cudaMemsetAsync(memory, 1, 64, stream));
	TRY(cudaMemcpyAsync(memory, host, 64, cudaMemcpyHostToDevice, stream));
	TRY(cudaMemcpy2DAsync(memory, 16, host, 8, 8, 4, cudaMemcpyHostToDevice, stream));
	TRY(cudaEventRecord(event, stream));
	TRY(cudaEventRecord(event, stream));
	TRY(cudaStreamWaitEvent(other, event, 0));
	TRY(LAUNCH(fill, 1, 32, other, &memory, &value, &n));
	TRY(cudaLaunchHostFunc(other, nothing, NULL));
	TRY(cudaStreamAddCallback(other, nothing_of_stream, NULL, 0));
	TRY(cudaMemset(memory, 2, 64)); /* after what is in the blocking stream */
	TRY(cudaEventSynchronize(event));
	TRY(cudaStreamSynchronize(NULL));
	if (event)
		OK(cudaEventDestroy(event));
	if (stream)
		OK(cudaStreamDestroy(stream));
	if (other)
		OK(cudaStreamDestroy(other));
	OK(cudaDeviceSynchronize());
	return error;
}

static int memories(void)
{
	void *straight = NULL, *pitched = NULL, *managed = NULL, *pinned = NULL, *pooled = NULL, *own = NULL,
	     *last = NULL;
	struct cudaMemPoolProps properties = {.allocType = 1, .location = {1, 0}};
	cudaMemPool_t pool = NULL;
	size_t pitch;
	int error = 0;
	TRY(cudaMalloc(&straight, 100));
	TRY(cudaMallocPitch(&pitched, &pitch, 100, 3));
	TRY(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal));
	TRY(cudaHostAlloc(&pinned, 100, cudaHostAllocMapped));
	TRY(cudaMemPoolCreate(&pool, &properties));
	TRY(cudaMallocAsync(&pooled, 100, NULL));
	TRY(cudaMallocFromPoolAsync(&own, 100, pool, NULL));
	TRY(cudaMallocFromPoolAsync(&last, 100, pool, NULL));
	TRY(cudaFreeAsync(own, NULL));
	if (!error)
		own = NULL;
	OK(cudaFree(straight));
	OK(cudaFree(pitched));
	OK(cudaFree(managed));
	OK(cudaFree(pooled));
	OK(cudaFree(own));
	OK(cudaFreeHost(pinned));
	if (pool)
		OK(cudaMemPoolDestroy(pool)); /* which goes with the last of it */
	OK(cudaFree(last));
	return error;
}

static int registering(void)
{
	int error = (int)cudaHostRegister(host, sizeof host, cudaHostRegisterMapped);
	if (!error)
		OK(cudaHostUnregister(host));
	return error;
}

static int arrays(void)
{
	const struct cudaChannelFormatDesc channel = {32, 0, 0, 0, cudaChannelFormatKindFloat};
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeMipmappedArray};
	const struct cudaTextureDesc sampling = {.readMode = cudaReadModeElementType, .normalizedCoords = 1};
	cudaArray_t array = NULL, level;
	cudaMipmappedArray_t levels = NULL;
	cudaTextureObject_t texture = 0;
	cudaSurfaceObject_t surface = 0;
	struct cudaPitchedPtr pitched = {NULL, 0, 0, 0};
	int error = 0;
	TRY(cudaMallocArray(&array, &channel, 4, 4, cudaArraySurfaceLoadStore));
	TRY(cudaMallocMipmappedArray(&levels, &channel, (struct cudaExtent){8, 8, 0}, 3, 0));
	TRY(cudaMalloc3D(&pitched, (struct cudaExtent){16, 2, 2}));
	TRY(cudaGetMipmappedArrayLevel(&level, levels, 1));
	TRY(cudaMemcpy2DToArray(level, 0, 0, host, 16, 16, 4, cudaMemcpyHostToDevice));
	TRY(cudaMemcpy2DToArrayAsync(array, 0, 0, host, 16, 16, 4, cudaMemcpyHostToDevice, NULL));
	TRY(cudaMemset3DAsync(pitched, 1, (struct cudaExtent){16, 2, 2}, NULL));
	resource.res.mipmap.mipmap = levels;
	TRY(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
	resource = (struct cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array.array = array};
	TRY(cudaCreateSurfaceObject(&surface, &resource));
	if (texture)
		OK(cudaDestroyTextureObject(texture));
	if (surface)
		OK(cudaDestroySurfaceObject(surface));
	if (array)
		OK(cudaFreeArray(array));
	if (levels)
		OK(cudaFreeMipmappedArray(levels));
	OK(cudaFree(pitched.ptr));
	return error;
}

/* Nodes of every kind. */
static int fill_graph(cudaGraph_t graph, cudaGraph_t child, cudaEvent_t event, cudaUserObject_t object)
{
	int error = 0, value = 3, n = 8;
	struct cudaKernelNodeParams kernel = {.func = (void *)(uintptr_t)&fill,
		.gridDim = {1, 1, 1},
		.blockDim = {32, 1, 1},
		.kernelParams = (void *[]){&memory, &value, &n}};
	struct cudaHostNodeParams call = {nothing, NULL};
	struct cudaMemsetParams set = {.dst = memory, .elementSize = 1, .width = 4, .height = 1};
	cudaGraphNode_t nodes[8], all[8];
	size_t count = 8;
	TRY(cudaGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
	TRY(cudaGraphAddKernelNode(&nodes[1], graph, nodes, 1, &kernel));
	TRY(cudaGraphAddMemcpyNode1D(&nodes[2], graph, nodes, 2, memory, host, 8, cudaMemcpyHostToDevice));
	TRY(cudaGraphAddMemsetNode(&nodes[3], graph, nodes, 3, &set));
	TRY(cudaGraphAddHostNode(&nodes[4], graph, nodes, 4, &call));
	TRY(cudaGraphAddChildGraphNode(&nodes[5], graph, nodes, 5, child));
	TRY(cudaGraphAddEventWaitNode(&nodes[6], graph, nodes, 1, event));
	TRY(cudaGraphAddEventRecordNode(&nodes[7], graph, nodes, 5, event));
	TRY(cudaGraphKernelNodeGetParams(nodes[1], &kernel));
	TRY(cudaGraphKernelNodeSetParams(nodes[1], &kernel));
	TRY(cudaGraphGetRootNodes(graph, all, &count));
	TRY(cudaGraphNodeGetDependentNodes(nodes[0], all, NULL, &count));
	TRY(cudaGraphAddDependencies(graph, &nodes[6], &nodes[7], NULL, 1));
	TRY(cudaGraphRetainUserObject(graph, object, 1, 0));
	return error;
}

static int graphs(void)
{
	cudaGraph_t graph = NULL, child = NULL, clone = NULL, captured = NULL;
	cudaStream_t stream = NULL;
	cudaGraphExec_t instance = NULL;
	cudaUserObject_t object = NULL;
	cudaGraphNode_t node;
	cudaEvent_t event = NULL;
	int error = 0;
	TRY(cudaEventCreate(&event));
	TRY(cudaUserObjectCreate(&object, host, nothing, 1, cudaUserObjectNoDestructorSync));
	TRY(cudaGraphCreate(&graph, 0));
	TRY(cudaGraphCreate(&child, 0));
	TRY(cudaGraphAddEmptyNode(&node, child, NULL, 0));
	TRY(cudaGraphAddMemcpyNode1D(&node, child, &node, 1, memory, host, 8, cudaMemcpyHostToDevice));
	if (!error)
		error = fill_graph(graph, child, event, object);
	TRY(cudaGraphClone(&clone, graph));
	TRY(cudaGraphInstantiate(&instance, graph, 0));
	TRY(cudaGraphLaunch(instance, NULL));
	TRY(cudaGraphLaunch(instance, NULL));
	TRY(cudaDeviceSynchronize());
	TRY(cudaGraphExecUpdate(instance, graph, NULL));
	/* As a node of another, which is captured. */
	TRY(cudaStreamCreate(&stream));
	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	TRY(cudaGraphLaunch(instance, stream));
	TRY(cudaStreamEndCapture(stream, &captured));
	if (captured)
		OK(cudaGraphDestroy(captured));
	if (stream)
		OK(cudaStreamDestroy(stream));
	if (instance)
		OK(cudaGraphExecDestroy(instance));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < 3; k++) {
		cudaGraph_t one = k == 0 ? graph : k == 1 ? child : clone;
		if (one)
			OK(cudaGraphDestroy(one));
	}
	if (event)
		OK(cudaEventDestroy(event));
	if (object)
		OK(cudaUserObjectRelease(object, 1));
	return error;
}

/* Memory that graphs allocate: nothing of it is left on the device, either. */
static int graph_memory(void)
{
	struct cudaMemAllocNodeParams p = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 256};
	cudaGraph_t graph = NULL;
	cudaGraphExec_t instance = NULL;
	cudaGraphNode_t node;
	size_t before, after, all;
	int error = 0;
	OK(cudaMemGetInfo(&before, &all));
	TRY(cudaGraphCreate(&graph, 0));
	TRY(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
	TRY(cudaGraphAddMemFreeNode(&node, graph, &node, 1, p.dptr));
	TRY(cudaGraphInstantiate(&instance, graph, 0));
	TRY(cudaGraphLaunch(instance, NULL));
	OK(cudaDeviceSynchronize());
	if (instance)
		OK(cudaGraphExecDestroy(instance));
	if (graph)
		OK(cudaGraphDestroy(graph));
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before == after);
	return error;
}

static int captures(void)
{
	cudaStream_t stream = NULL, second = NULL, third = NULL;
	cudaEvent_t event = NULL;
	cudaGraph_t graph = NULL;
	void *pointer = NULL;
	int error = 0;
	TRY(cudaStreamCreate(&stream));
	TRY(cudaStreamCreate(&second));
	TRY(cudaStreamCreate(&third));
	TRY(cudaEventCreate(&event));
	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	TRY(cudaMemsetAsync(memory, 1, 16, stream));
	TRY(cudaEventRecord(event, stream));
	TRY(cudaStreamWaitEvent(second, event, 0));
	TRY(cudaMemcpyAsync(memory, host, 16, cudaMemcpyHostToDevice, second));
	TRY(cudaEventRecord(event, second));
	TRY(cudaStreamWaitEvent(stream, event, 0));
	/* Another that joins goes before the end. */
	TRY(cudaStreamWaitEvent(third, event, 0));
	TRY(cudaMemsetAsync(memory, 1, 16, third));
	TRY(cudaEventRecord(event, third));
	if (third)
		OK(cudaStreamDestroy(third));
	TRY(cudaStreamWaitEvent(stream, event, 0));
	TRY(cudaMallocAsync(&pointer, 64, stream));
	TRY(cudaFreeAsync(pointer, stream));
	TRY(cudaLaunchHostFunc(stream, nothing, NULL));
	TRY(cudaStreamEndCapture(stream, &graph));
	if (graph)
		OK(cudaGraphDestroy(graph));
	/* One that is left unfinished. */
	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	TRY(cudaMemsetAsync(memory, 1, 16, stream));
	if (stream)
		OK(cudaStreamDestroy(stream));
	if (second)
		OK(cudaStreamDestroy(second));
	if (event)
		OK(cudaEventDestroy(event));
	return error;
}

/* What is loaded stays on the GPU until the process ends (docs/cuda.md): only the handles go. */
static int libraries(void)
{
	cudaLibrary_t library = NULL;
	cudaKernel_t kernels[8], kernel;
	void *variable;
	int error = 0;
	TRY(cudaLibraryLoadData(&library, fatbin, NULL, NULL, 0, NULL, NULL, 0));
	TRY(cudaLibraryEnumerateKernels(kernels, 8, library));
	TRY(cudaLibraryGetKernel(&kernel, library, "fill"));
	TRY(cudaLibraryGetGlobal(&variable, NULL, library, "counter"));
	if (library)
		OK(cudaLibraryUnload(library));
	return error;
}

/* The driver's interface: contexts, modules with references, links. */
static int driver(void)
{
	static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.global .texref image;\n"
				  ".visible .entry k()\n{\n\tret;\n}\n";
	CUcontext context;
	CUmodule module;
	CUfunction function;
	CUtexref reference;
	CUlinkState link;
	void *image;
	size_t bytes;
	OK((int)cuCtxCreate_v2(&context, 0, 0));
	OK((int)cuModuleLoadData(&module, ptx));
	OK((int)cuModuleGetFunction(&function, module, "k"));
	OK((int)cuModuleGetTexRef(&reference, module, "image"));
	OK((int)cuLinkCreate_v2(0, NULL, NULL, &link));
	OK((int)cuLinkAddData_v2(link, 1, (void *)(uintptr_t)ptx, sizeof ptx, "k", 0, NULL, NULL));
	OK((int)cuLinkComplete(link, &image, &bytes));
	OK((int)cuLinkDestroy(link));
	OK((int)cuModuleUnload(module));
	OK((int)cuCtxDestroy_v2(context));
	return 0;
}

int main(void)
{
	static int (*const makers[])(void) = {streams, memories, arrays, graphs, graph_memory};
	int value = 0, n = 0;
	OK(cudaMalloc((void **)&memory, 4096));
	OK(LAUNCH(fill, 1, 32, NULL, &memory, &value, &n));
	OK(cudaDeviceSynchronize());
	for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
		check_without_memory(makers[k], cudaErrorMemoryAllocation, cudaErrorMemoryAllocation);
	/* A stream goes without an error; what it captured is missed at the next call. */
	check_without_memory(captures, cudaErrorMemoryAllocation, cudaErrorStreamCaptureInvalidated);
	check_without_memory(registering, cudaErrorMemoryAllocation, cudaSuccess); /* reads a file of /proc */
	check_nothing_left(libraries);
	check_nothing_left(driver);
	OK(cudaFree(memory));
	return 0;
}
