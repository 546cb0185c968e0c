/* What the runtime accepts just so, and what is one too much: sizes, levels, channels, pitches, places, handles. Limits
 * are those that the device tells; codes are those that the CUDA Runtime API 13.0 names for the like, and where it
 * names none, as for a seamless cubemap, ours. */
#include "kernels.h"

#include <stdint.h>

static const struct cudaChannelFormatDesc single = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static cudaError_t make(struct cudaChannelFormatDesc channel, size_t w, size_t h, size_t d, unsigned int flags)
{
	cudaArray_t array;
	cudaError_t error = cudaMalloc3DArray(&array, &channel, (struct cudaExtent){w, h, d}, flags);
	if (!error)
		OK(cudaFreeArray(array));
	return error;
}

static void arrays(void)
{
	struct cudaDeviceProp p;
	cudaArray_t array;
	const struct cudaChannelFormatDesc byte_float = {8, 0, 0, 0, cudaChannelFormatKindFloat};
	const struct cudaChannelFormatDesc unorm16 = {16, 0, 0, 0, cudaChannelFormatKindUnsignedNormalized8X1 + 3};
	const uint16_t texel[2] = {1, 2};
	OK(cudaGetDeviceProperties(&p, 0));
	size_t before, after, all;
	OK(cudaMemGetInfo(&before, &all));
	OK(cudaMallocArray(&array, &single, 5, 3, 0)); /* rows of whole sectors, which have 32 bytes */
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before - after == 3 * 32);
	OK(cudaFreeArray(array));
	GIVES(cudaErrorInvalidChannelDescriptor, make(byte_float, 4, 0, 0, 0));
	OK(make(single, 4, 4, 6, cudaArrayCubemap));
	GIVES(cudaErrorInvalidValue, make(single, 4, 4, 12, cudaArrayCubemap));
	OK(make(single, 4, 4, 12, cudaArrayCubemap | cudaArrayLayered));
	GIVES(cudaErrorInvalidValue, make(single, 4, 4, 13, cudaArrayCubemap | cudaArrayLayered));
	OK(make(single, (size_t)p.maxTexture1D, 0, 0, 0));
	GIVES(cudaErrorInvalidValue, make(single, (size_t)p.maxTexture1D + 1, 0, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocArray(&array, &single, 4, 4, cudaArrayLayered));
	GIVES(cudaErrorInvalidValue, cudaMallocArray(&array, &single, 4, 4, cudaArrayCubemap));
	OK(cudaMallocArray(&array, &unorm16, 1, 1, 0)); /* two bytes wide */
	OK(cudaMemcpy2DToArray(array, 0, 0, texel, 2, 2, 1, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArray(array, 0, 0, texel, 3, 3, 1, cudaMemcpyHostToDevice));
	OK(cudaFreeArray(array));
}

static void levels(void)
{
	cudaMipmappedArray_t array;
	cudaArray_t level;
	struct cudaExtent extent;
	OK(cudaMallocMipmappedArray(&array, &single, (struct cudaExtent){8, 4, 0}, 9, 0)); /* 8 4 2 1: there are four */
	OK(cudaGetMipmappedArrayLevel(&level, array, 0));
	GIVES(cudaErrorInvalidValue, cudaFreeArray(level));
	OK(cudaGetMipmappedArrayLevel(&level, array, 3));
	GIVES(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, array, 4));
	OK(cudaFreeMipmappedArray(array));
	OK(cudaMallocMipmappedArray(
		&array, &single, (struct cudaExtent){2, 2, 16}, 9, cudaArrayLayered)); /* layers do not become less */
	OK(cudaGetMipmappedArrayLevel(&level, array, 1));
	OK(cudaArrayGetInfo(NULL, &extent, NULL, level));
	CHECK(extent.width == 1 && extent.height == 1 && extent.depth == 16);
	GIVES(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, array, 2));
	OK(cudaFreeMipmappedArray(array));
}

static void copies(void)
{
	const struct cudaChannelFormatDesc byte = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
	static uint8_t host[4][8], back[4][8];
	cudaArray_t a, b;
	uint8_t *memory;
	char *managed;
	for (int k = 0; k < 32; k++)
		host[k / 8][k % 8] = (uint8_t)k;
	OK(cudaMallocArray(&a, &byte, 8, 4, 0));
	OK(cudaMallocArray(&b, &single, 8, 4, 0));
	OK(cudaMalloc((void **)&memory, 64));
	GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(a, 8, 0, host, 1, cudaMemcpyHostToDevice)); /* behind the row */
	OK(cudaMemcpyToArray(a, 0, 0, host, sizeof host, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DArrayToArray(a, 0, 1, a, 0, 0, 8, 1, cudaMemcpyDefault));
	GIVES(cudaErrorInvalidMemcpyDirection,
		cudaMemcpy2DArrayToArray(a, 0, 1, a, 0, 0, 8, 1, cudaMemcpyHostToDevice));
	struct cudaMemcpy3DParms p = {
		.srcArray = a, .dstArray = b, .extent = {2, 1, 1}, .kind = cudaMemcpyDeviceToDevice};
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p)); /* "must have the same element size" */
	p = (struct cudaMemcpy3DParms){.srcArray = a,
		.dstPtr = {back, 8, 8, 4},
		.dstPos = {3, 2, 0},
		.extent = {4, 2, 1},
		.kind = cudaMemcpyDeviceToHost};
	OK(cudaMemcpy3D(&p));
	CHECK(back[2][3] == 0 && back[2][6] == 3 && back[3][3] == 0 && back[3][6] == 3 && back[2][2] == 0 &&
		back[2][4] == 1);
	p = (struct cudaMemcpy3DParms){.srcPtr = {memory, 4, 8, 1},
		.dstPtr = {memory + 32, 8, 8, 1},
		.extent = {8, 1, 2},
		.kind = cudaMemcpyDeviceToDevice};
	GIVES(cudaErrorInvalidPitchValue, cudaMemcpy3D(&p));
	GIVES(cudaErrorInvalidValue,
		cudaMemcpy(memory, memory + 32, 4, cudaMemcpyHostToDevice)); /* from where the host cannot read */
	GIVES(cudaErrorInvalidValue, cudaMemcpy(memory, NULL, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidDevice, cudaMemcpyPeer(memory, 0, memory + 32, 1, 4));
	GIVES(cudaErrorInvalidValue,
		cudaMemcpyToSymbol(&counter, host, 0, 8, cudaMemcpyHostToDevice)); /* it has four bytes */
	/* Each part of a variable at its offset: written as a whole and read in parts, and the other way round. */
	int whole[4] = {11, 22, 33, 44}, part = 0;
	OK(cudaMemcpyToSymbol(&scale, whole, sizeof whole, 0, cudaMemcpyHostToDevice));
	for (size_t k = 0; k < 4; k++) {
		OK(cudaMemcpyFromSymbol(&part, &scale, 4, 4 * k, cudaMemcpyDeviceToHost));
		CHECK(part == whole[k]);
		part = 100 + (int)k;
		OK(cudaMemcpyToSymbolAsync(&scale, &part, 4, 4 * k, cudaMemcpyHostToDevice, NULL));
	}
	OK(cudaMemcpyFromSymbolAsync(whole, &scale, sizeof whole, 0, cudaMemcpyDeviceToHost, NULL));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < 4; k++)
		CHECK(whole[k] == 100 + k);
	OK(cudaMemcpy2D(memory, SIZE_MAX, host, SIZE_MAX, 8, 1,
		cudaMemcpyHostToDevice)); /* of one row the pitch means nothing */
	OK(cudaMallocManaged((void **)&managed, 1 << 20, cudaMemAttachGlobal));
	OK(cudaMemset(managed, 9, 1 << 20));
	CHECK(managed[0] == 9 &&
		managed[(1 << 20) - 1] == 9); /* "synchronous with respect to the host", as it is not device memory */
	OK(cudaFree(managed));
	OK(cudaFree(memory));
	OK(cudaFreeArray(a));
	OK(cudaFreeArray(b));
}

static cudaError_t texture(struct cudaResourceDesc resource, struct cudaTextureDesc sampling)
{
	cudaTextureObject_t made;
	cudaError_t error = cudaCreateTextureObject(&made, &resource, &sampling, NULL);
	if (!error)
		OK(cudaDestroyTextureObject(made));
	return error;
}

static void textures(void)
{
	enum { PITCH = 512, ROWS = 3, WIDTH = 100 };
	const struct cudaTextureDesc plain = {.addressMode = {1, 1, 1}};
	struct cudaDeviceProp p;
	char *memory;
	cudaArray_t cube;
	cudaMipmappedArray_t array;
	OK(cudaGetDeviceProperties(&p, 0));
	OK(cudaMalloc((void **)&memory, (ROWS - 1) * PITCH + WIDTH * 4)); /* of the last row only its texels */
	struct cudaResourceDesc plane = {
		.resType = cudaResourceTypePitch2D, .res.pitch2D = {memory, single, WIDTH, ROWS, PITCH}};
	OK(texture(plane, plain));
	plane.res.pitch2D.width++;
	GIVES(cudaErrorInvalidValue, texture(plane, plain));
	plane.res.pitch2D.width = PITCH / 4 + 1, plane.res.pitch2D.height = 1;
	GIVES(cudaErrorInvalidValue, texture(plane, plain));
	plane.res.pitch2D.width = 2, plane.res.pitch2D.pitchInBytes = p.texturePitchAlignment + 4;
	GIVES(cudaErrorInvalidValue, texture(plane, plain));
	struct cudaResourceDesc row = {
		.resType = cudaResourceTypeLinear, .res.linear = {memory, single, (ROWS - 1) * PITCH + WIDTH * 4}};
	OK(texture(row, plain));
	row.res.linear.devPtr = memory + p.textureAlignment;
	GIVES(cudaErrorInvalidValue, texture(row, plain));
	OK(cudaFree(memory));
	OK(cudaMallocMipmappedArray(&array, &single, (struct cudaExtent){8, 4, 0}, 2, 0));
	struct cudaResourceDesc mipmapped = {.resType = cudaResourceTypeMipmappedArray, .res.mipmap.mipmap = array};
	struct cudaTextureDesc sampling = plain;
	GIVES(cudaErrorInvalidValue, texture(mipmapped, sampling));
	sampling.normalizedCoords = 1;
	OK(texture(mipmapped, sampling));
	OK(cudaFreeMipmappedArray(array));
	OK(cudaMalloc3DArray(&cube, &single, (struct cudaExtent){4, 4, 6}, cudaArrayCubemap));
	struct cudaResourceDesc faces = {.resType = cudaResourceTypeArray, .res.array.array = cube};
	sampling.seamlessCubemap = 1;
	GIVES(cudaErrorNotSupported, texture(faces, sampling));
	OK(cudaFreeArray(cube));
}

static void memory(void)
{
	static _Alignas(4096) char pages[3 * 4096];
	void *p, *managed;
	size_t pitch;
	int mostly = 9;
	struct cudaMemLocation device = {1, 0};
	GIVES(cudaErrorInvalidValue, cudaMallocPitch(&p, &pitch, SIZE_MAX, 1));
	for (size_t width = 511; width <= 1025; width++) { /* rows of whole 512 bytes, and no more */
		if (width > 513 && width < 1023)
			continue;
		OK(cudaMallocPitch(&p, &pitch, width, 2));
		CHECK(pitch == (width <= 512 ? 512 : width <= 1024 ? 1024 : 1536));
		OK(cudaMemset(p, 1, 2 * pitch));
		GIVES(cudaErrorInvalidValue, cudaMemset(p, 1, 2 * pitch + 1));
		OK(cudaFree(p));
	}
	OK(cudaHostRegister(pages + 4096, 4096, 0));
	GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(pages, 4097, 0));
	OK(cudaHostRegister(pages, 4096, 0)); /* side by side */
	OK(cudaHostUnregister(pages));
	OK(cudaHostUnregister(pages + 4096));
	OK(cudaMallocManaged(&managed, 8192, cudaMemAttachGlobal));
	OK(cudaMemAdvise(managed, 4096, 1, device)); /* of a part: the whole is not read mostly */
	OK(cudaMemRangeGetAttribute(&mostly, sizeof mostly, 1, managed, 8192));
	CHECK(mostly == 0);
	OK(cudaStreamAttachMemAsync(NULL, managed, 8192, 4));
	GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(NULL, managed, 4096, 4));
	GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(NULL, managed, 8192, 3));
	OK(cudaFree(managed));
}

static void graphs(void)
{
	cudaGraph_t graph, other;
	cudaGraphNode_t a, b, c, nodes[3];
	cudaGraphExec_t exec;
	cudaGraphExecUpdateResultInfo info;
	size_t count = 3;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
	OK(cudaGraphAddEmptyNode(&b, graph, NULL, 0));
	OK(cudaGraphAddEmptyNode(&c, graph, &a, 1));
	OK(cudaGraphClone(&other, graph));
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&exec, graph, 16));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cudaGraphDestroyNode(a));
	OK(cudaGraphGetRootNodes(graph, nodes, &count));
	CHECK(count == 2 && nodes[0] == b && nodes[1] == c);
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphExecUpdate(exec, other, &info));
	OK(cudaGraphDestroy(other));
	OK(cudaGraphCreate(&other, 0)); /* as many edges, but after another node */
	OK(cudaGraphAddEmptyNode(&a, other, NULL, 0));
	OK(cudaGraphAddEmptyNode(&b, other, NULL, 0));
	OK(cudaGraphAddEmptyNode(&c, other, &b, 1));
	GIVES(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
	CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
	OK(cudaGraphDestroy(other));
	OK(cudaGraphExecDestroy(exec));
}

static void streams(void)
{
	cudaStream_t free_one, stream;
	cudaEvent_t event, captured;
	cudaGraph_t graph;
	unsigned char value[64];
	int *memory;
	OK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
	OK(cudaStreamCreate(&stream));
	OK(cudaEventCreate(&event));
	OK(cudaEventCreate(&captured));
	OK(cudaMalloc((void **)&memory, 4));
	GIVES(cudaErrorInvalidValue, cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
	OK(cudaStreamBeginCapture(free_one, cudaStreamCaptureModeRelaxed));
	OK(cudaMemsetAsync(memory, 1, 4, NULL));     /* the legacy stream waits for blocking streams alone */
	OK(cudaStreamWaitEvent(free_one, event, 0)); /* never recorded: nothing to wait for */
	OK(cudaEventRecord(captured, free_one));
	float time;
	GIVES(cudaErrorCapturedEvent, cudaEventElapsedTime(&time, captured, event));
	GIVES(cudaErrorCapturedEvent, cudaEventElapsedTime(&time, event, captured));
	OK(cudaStreamEndCapture(free_one, &graph));
	OK(cudaGraphDestroy(graph));
	memset(value, 0xff, sizeof value);
	OK(cudaStreamGetAttribute(stream, 8, value)); /* the priority: an int */
	for (size_t k = 0; k < sizeof value; k++)
		CHECK(value[k] == 0);
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamPerThread));
	GIVES(cudaErrorInvalidConfiguration,
		cudaLaunchKernel(&say, (dim3){131072, 65535, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaFree(memory));
	OK(cudaEventDestroy(event));
	OK(cudaEventDestroy(captured));
	OK(cudaStreamDestroy(stream));
	OK(cudaStreamDestroy(free_one));
}

static void captures(void)
{
	struct cudaMemAllocNodeParams wanted = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 256};
	cudaStream_t stream, second;
	cudaEvent_t event;
	cudaGraph_t graph, captured;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	size_t count;
	int *memory;
	OK(cudaMalloc((void **)&memory, 4));
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamCreate(&second));
	OK(cudaEventCreate(&event));
	/* What a spoilt capture recorded cannot be waited for. */
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(event, stream));
	GIVES(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamWaitEvent(second, event, 0));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
	/* Memory whose freeing is refused, since the legacy stream would wait for what is captured, is there still. */
	struct cudaPointerAttributes attributes;
	size_t before, after, all;
	void *block;
	OK(cudaMallocAsync(&block, 4096, NULL));
	OK(cudaMemGetInfo(&before, &all));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorStreamCaptureImplicit, cudaFreeAsync(block, NULL));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
	OK(cudaPointerGetAttributes(&attributes, block));
	OK(cudaMemGetInfo(&after, &all));
	CHECK(attributes.type == cudaMemoryTypeDevice && before == after);
	OK(cudaMemset(block, 1, 4096));
	OK(cudaFreeAsync(block, NULL));
	GIVES(cudaErrorInvalidValue, cudaFreeAsync(block, NULL));
	/* An event stands for what was before its last record, and for nothing of those before. */
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaMemsetAsync(memory, 1, 4, stream));
	OK(cudaEventRecord(event, stream));
	OK(cudaStreamWaitEvent(second, event, 0));
	OK(cudaMemsetAsync(memory, 2, 4, second));
	OK(cudaEventRecord(event, second));
	OK(cudaStreamWaitEvent(stream, event, 0));
	enum cudaStreamCaptureStatus status;
	OK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, NULL, NULL, &count));
	CHECK(count == 2);
	OK(cudaEventRecord(event, stream));
	OK(cudaStreamWaitEvent(second, event, 0));
	OK(cudaStreamGetCaptureInfo(second, &status, NULL, NULL, NULL, NULL, &count));
	CHECK(count == 2); /* each node once */
	OK(cudaMemsetAsync(memory, 3, 4, second));
	OK(cudaEventRecord(event, second));
	OK(cudaStreamWaitEvent(stream, event, 0));
	OK(cudaStreamEndCapture(stream, &captured));
	OK(cudaGraphGetEdges(captured, NULL, NULL, NULL, &count));
	CHECK(count == 3);
	OK(cudaGraphDestroy(captured));
	GIVES(cudaErrorCapturedEvent, cudaEventQuery(event));
	OK(cudaEventRecord(event, stream)); /* and from now on it is one of streams again */
	OK(cudaEventSynchronize(event));
	/* A graph with memory of its own is no node of another. */
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &wanted));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, stream));
	OK(cudaStreamEndCapture(stream, &captured));
	OK(cudaGraphDestroy(captured));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	/* The application's graph stays when the stream goes. */
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
	OK(cudaMemsetAsync(memory, 1, 4, stream));
	OK(cudaStreamDestroy(stream));
	OK(cudaGraphGetNodes(graph, NULL, &count));
	CHECK(count == 1);
	OK(cudaGraphDestroy(graph));
	OK(cudaEventDestroy(event));
	OK(cudaStreamDestroy(second));
	OK(cudaFree(memory));
}

static uint64_t get(cudaMemPool_t pool, int attribute)
{
	uint64_t value;
	OK(cudaMemPoolGetAttribute(pool, attribute, &value));
	return value;
}

static void pools(void)
{
	enum { MEBIBYTE = 1 << 20, RESERVED_HIGH = 6, USED_HIGH = 8 };
	const struct cudaMemPoolProps properties = {.allocType = 1, .location = {1, 0}, .maxSize = 4 * MEBIBYTE};
	cudaMemPool_t pool;
	uint64_t zero = 0;
	size_t before, after, all;
	int reuse = 5;
	void *a, *b;
	OK(cudaMemPoolCreate(&pool, &properties));
	OK(cudaMemPoolSetAttribute(pool, 1, &reuse));
	OK(cudaMemPoolGetAttribute(pool, 1, &reuse));
	CHECK(reuse == 1); /* "int": enabled */
	OK(cudaMemGetInfo(&before, &all));
	OK(cudaMallocFromPoolAsync(&a, MEBIBYTE, pool, NULL));
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before - after == MEBIBYTE);
	OK(cudaMallocFromPoolAsync(&b, 3 * MEBIBYTE, pool, NULL)); /* all that there may be */
	OK(cudaFreeAsync(b, NULL));
	OK(cudaMemPoolSetAttribute(pool, USED_HIGH, &zero));
	OK(cudaMemPoolSetAttribute(pool, RESERVED_HIGH, &zero));
	CHECK(get(pool, USED_HIGH) == MEBIBYTE && get(pool, RESERVED_HIGH) == 4 * MEBIBYTE);
	OK(cudaFreeAsync(a, NULL));
	OK(cudaMemPoolDestroy(pool));
}

int main(void)
{
	arrays();
	levels();
	copies();
	textures();
	memory();
	graphs();
	streams();
	captures();
	pools();
	puts("passed");
	return 0;
}
