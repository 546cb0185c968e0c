/* Each call of per_thread.def and copy_calls.def: in stream 0 it goes to the calling thread's own stream, and in a
 * stream that is given to that one.  The own stream is captured meanwhile, so a call becomes a node of the graph, or is
 * refused as CUDA has it for a stream that is captured (Runtime API 13.0, "Stream Management"; programming guide,
 * "Prohibited and Unhandled Operations"); what would go to the legacy stream gives cudaErrorStreamCaptureImplicit.  The
 * graph is launched afterwards and the bytes are compared. */
#include "kernels.h"

#include <stdint.h>

#define OWN_STREAM(name, parameters, arguments) cudaError_t name##_ptsz parameters;
#include "host/cuda/per_thread.def"
cudaError_t cudaMemcpyBatchAsync_ptsz(void **to, void **from, size_t *bytes, size_t count, void *attributes,
	size_t *firsts, size_t attribute_count, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function, void **arguments);

enum { N = 32, HEIGHT = 2, PITCH = 16, WIDTH = 12 };

static uint8_t *device; /* N bytes */
static uint8_t host[N], got[N];
static cudaArray_t array; /* WIDTH x HEIGHT bytes */
static cudaKernel_t fill_kernel;
static int calls;

static void note(void *data)
{
	calls += *(int *)data;
}

static void note_stream(cudaStream_t stream, cudaError_t status, void *data)
{
	CHECK(stream == cudaStreamPerThread && status == cudaSuccess);
	calls += *(int *)data;
}

static struct cudaMemcpy3DParms box(void *to, void *from)
{
	return (struct cudaMemcpy3DParms){.srcPtr = {from, PITCH, PITCH, HEIGHT},
		.dstPtr = {to, PITCH, PITCH, HEIGHT},
		.extent = {WIDTH, HEIGHT, 1},
		.kind = cudaMemcpyDefault};
}

/* ---- What is enqueued ---- */

enum { FILLED, COPIED, ROWS, SYMBOL, NOTHING };

static int five = 5, words = N / 4, three = 3;

static void *parameters[] = {&device, &five, &words};

/* The call number k; after it, what it has done is in `device` or `got`. */
static cudaError_t enqueue(int k, cudaStream_t stream)
{
	const dim3 one = {1, 1, 1}, warp = {32, 1, 1};
	const struct cudaPitchedPtr rows = {device, PITCH, PITCH, HEIGHT};
	const struct cudaExtent extent = {WIDTH, HEIGHT, 1};
	struct cudaMemcpy3DParms p = box(device, host);
	const struct cudaMemcpy3DPeerParms between = {.srcPtr = p.srcPtr, .dstPtr = p.dstPtr, .extent = p.extent};
	cudaLaunchConfig_t config = {.gridDim = one, .blockDim = warp, .stream = stream};
	switch (k) {
	case 0: return __cudaLaunchKernel_ptsz(fill_kernel, one, warp, parameters, 0, stream);
	case 1: return cudaLaunchKernel_ptsz(&fill, one, warp, parameters, 0, stream);
	case 2: return cudaLaunchCooperativeKernel_ptsz(&fill, one, warp, parameters, 0, stream);
	case 3: return cudaLaunchKernelExC_ptsz(&config, &fill, parameters);
	case 4: return cudaLaunchHostFunc_ptsz(stream, note, &three);
	case 5: return cudaMemcpyAsync_ptsz(device, host, N, cudaMemcpyHostToDevice, stream);
	case 6:
		return cudaMemcpy2DAsync_ptsz(
			device, PITCH, host, PITCH, WIDTH, HEIGHT, cudaMemcpyHostToDevice, stream);
	case 7: return cudaMemcpy3DAsync_ptsz(&p, stream);
	case 8: return cudaMemcpyToSymbolAsync_ptsz(&scale, host, 8, 4, cudaMemcpyHostToDevice, stream);
	case 9: return cudaMemcpyFromSymbolAsync_ptsz(got, &scale, 8, 4, cudaMemcpyDeviceToHost, stream);
	case 10: return cudaMemcpy2DToArrayAsync_ptsz(array, 1, 1, host, PITCH, 5, 1, cudaMemcpyHostToDevice, stream);
	case 11: return cudaMemcpy2DFromArrayAsync_ptsz(got, PITCH, array, 1, 1, 5, 1, cudaMemcpyDeviceToHost, stream);
	case 12: return cudaMemsetAsync_ptsz(device, 0x2b, N, stream);
	case 13: return cudaMemset2DAsync_ptsz(device, PITCH, 0x2c, WIDTH, HEIGHT, stream);
	case 14: return cudaMemset3DAsync_ptsz(rows, 0x2d, extent, stream);
	case 15: return cudaStreamAttachMemAsync_ptsz(stream, total, 0, 4);
	case 16: return cudaMemcpy3DPeerAsync_ptsz(&between, stream);
	case 17: return cudaMemcpyToArrayAsync_ptsz(array, 1, 1, host, 5, cudaMemcpyHostToDevice, stream);
	case 18: return cudaMemcpyFromArrayAsync_ptsz(got, array, 1, 1, 5, cudaMemcpyDeviceToHost, stream);
	case 19:
		return cudaMemcpyBatchAsync_ptsz(
			(void *[]){device}, (void *[]){host}, (size_t[]){N}, 1, NULL, NULL, 0, stream);
	default: return cudaErrorUnknown;
	}
}

static const struct {
	int type; /* of the node; -1: none */
	int effect, value;
} enqueued[] = {
	{cudaGraphNodeTypeKernel, FILLED, 5},
	{cudaGraphNodeTypeKernel, FILLED, 5},
	{cudaGraphNodeTypeKernel, FILLED, 5},
	{cudaGraphNodeTypeKernel, FILLED, 5},
	{cudaGraphNodeTypeHost, NOTHING, 0},
	{cudaGraphNodeTypeMemcpy, COPIED, 0},
	{cudaGraphNodeTypeMemcpy, ROWS, -1},
	{cudaGraphNodeTypeMemcpy, ROWS, -1},
	{cudaGraphNodeTypeMemcpy, NOTHING, 0},
	{cudaGraphNodeTypeMemcpy, SYMBOL, 0},
	{cudaGraphNodeTypeMemcpy, NOTHING, 0},
	{cudaGraphNodeTypeMemcpy, SYMBOL, 5},
	{cudaGraphNodeTypeMemset, NOTHING, 0x2b},
	{cudaGraphNodeTypeMemset, ROWS, 0x2c},
	{cudaGraphNodeTypeMemset, ROWS, 0x2d},
	{-1, NOTHING, 0},
	{cudaGraphNodeTypeMemcpy, ROWS, -1},
	{cudaGraphNodeTypeMemcpy, NOTHING, 0},
	{cudaGraphNodeTypeMemcpy, SYMBOL, 5},
	{cudaGraphNodeTypeMemcpy, COPIED, 0},
};

static void check_effect(int k)
{
	uint8_t now[N];
	OK(cudaMemcpy(now, device, N, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		switch (enqueued[k].effect) {
		case FILLED: CHECK(now[i] == (i % 4 ? 0 : enqueued[k].value)); break;
		case COPIED: CHECK(now[i] == host[i]); break;
		case ROWS:
			CHECK(now[i] == (i % PITCH >= WIDTH             ? 0xee
						: enqueued[k].value < 0 ? host[i]
									: enqueued[k].value));
			break;
		case SYMBOL: CHECK(got[i] == (i < (enqueued[k].value ? enqueued[k].value : 8) ? host[i] : 0)); break;
		default: CHECK(now[i] == (enqueued[k].value ? enqueued[k].value : 0xee));
		}
}

static void run_graph(cudaGraph_t graph)
{
	cudaGraphExec_t exec;
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphUpload_ptsz(exec, 0));
	OK(cudaGraphLaunch_ptsz(exec, 0));
	OK(cudaStreamSynchronize_ptsz(0));
	OK(cudaGraphExecDestroy(exec));
}

static void check_enqueued(void)
{
	cudaStream_t given;
	OK(cudaStreamCreateWithFlags(&given, cudaStreamNonBlocking));
	for (check_entry = 0; check_entry < (int)(sizeof enqueued / sizeof *enqueued); check_entry++) {
		cudaGraph_t graph, unused;
		cudaGraphNode_t node;
		enum cudaGraphNodeType type;
		size_t count = 1;
		memset(got, 0, sizeof got);
		OK(cudaMemset(device, 0xee, N));
		OK(cudaDeviceSynchronize());
		OK(cudaStreamBeginCapture_ptsz(0, cudaStreamCaptureModeThreadLocal));
		OK(enqueue(check_entry, 0));
		OK(cudaStreamEndCapture_ptsz(0, &graph));
		OK(cudaGraphGetNodes(graph, &node, &count));
		CHECK(count == (enqueued[check_entry].type >= 0));
		if (count) {
			OK(cudaGraphNodeGetType(node, &type));
			CHECK((int)type == enqueued[check_entry].type);
		}
		run_graph(graph);
		check_effect(check_entry);
		OK(cudaGraphDestroy(graph));
		OK(cudaStreamBeginCapture(given, cudaStreamCaptureModeThreadLocal));
		OK(enqueue(check_entry, given));
		OK(cudaStreamEndCapture_ptsz(given, &unused));
		OK(cudaGraphGetNodes(unused, NULL, &count));
		CHECK(count == (enqueued[check_entry].type >= 0));
		OK(cudaGraphDestroy(unused));
	}
	check_entry = 0;
	CHECK(calls == three);
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC_ptsz(NULL, &fill, parameters));
	OK(cudaStreamDestroy(given));
}

/* ---- What waits: refused while the stream is captured, and spoils that ---- */

static cudaError_t wait_for(int k)
{
	const struct cudaPitchedPtr rows = {device, PITCH, PITCH, HEIGHT};
	struct cudaMemcpy3DParms p = box(device, host);
	const struct cudaMemcpy3DPeerParms between = {.srcPtr = p.srcPtr, .dstPtr = p.dstPtr, .extent = p.extent};
	switch (k) {
	case 0: return cudaMemcpy_ptds(device, host, N, cudaMemcpyHostToDevice);
	case 1: return cudaMemcpy2D_ptds(device, PITCH, host, PITCH, WIDTH, HEIGHT, cudaMemcpyHostToDevice);
	case 2: return cudaMemcpy3D_ptds(&p);
	case 3: return cudaMemset_ptds(device, 0x31, N);
	case 4: return cudaMemset2D_ptds(device, PITCH, 0x32, WIDTH, HEIGHT);
	case 5: return cudaMemset3D_ptds(rows, 0x33, (struct cudaExtent){WIDTH, HEIGHT, 1});
	case 6: return cudaMemcpyToSymbol_ptds(&scale, host + 1, 8, 4, cudaMemcpyHostToDevice);
	case 7: return cudaMemcpyFromSymbol_ptds(got, &scale, 8, 4, cudaMemcpyDeviceToHost);
	case 8: return cudaMemcpy2DToArray_ptds(array, 2, 1, host, PITCH, 5, 1, cudaMemcpyHostToDevice);
	case 9: return cudaMemcpy2DFromArray_ptds(got, PITCH, array, 2, 1, 5, 1, cudaMemcpyDeviceToHost);
	case 10: return cudaStreamSynchronize_ptsz(0);
	case 11: return cudaStreamQuery_ptsz(0);
	case 12: return cudaStreamAddCallback_ptsz(0, note_stream, &three, 0);
	case 13: return cudaMemcpy2DArrayToArray_ptds(array, 1, 0, array, 2, 1, 3, 1, cudaMemcpyDeviceToDevice);
	case 14: return cudaMemcpyFromArray_ptds(got, array, 1, 0, 3, cudaMemcpyDeviceToHost);
	case 15: return cudaMemcpyToArray_ptds(array, 0, 0, host, 3, cudaMemcpyHostToDevice);
	case 16: return cudaMemcpy3DPeer_ptds(&between);
	default: return cudaErrorUnknown;
	}
}

enum { WAITS = 17 };

static void check_waiting(void)
{
	uint8_t now[N];
	for (check_entry = 0; check_entry < WAITS; check_entry++) {
		cudaGraph_t graph;
		OK(cudaStreamBeginCapture_ptsz(0, cudaStreamCaptureModeRelaxed));
		GIVES(cudaErrorStreamCaptureUnsupported, wait_for(check_entry));
		GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture_ptsz(0, &graph));
	}
	calls = 0;
	memset(got, 0, sizeof got);
	for (check_entry = 0; check_entry < WAITS; check_entry++) {
		OK(cudaMemset(device, 0xee, N));
		OK(cudaDeviceSynchronize());
		OK(wait_for(check_entry));
		OK(cudaMemcpy(now, device, N, cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++) {
			int row = i % PITCH < WIDTH;
			if (check_entry == 0)
				CHECK(now[i] == host[i]);
			else if (check_entry < 3 || check_entry == 16)
				CHECK(now[i] == (row ? host[i] : 0xee));
			else if (check_entry < 6)
				CHECK(now[i] == (row || check_entry == 3 ? 0x2e + check_entry : 0xee));
			else
				CHECK(now[i] == 0xee);
			if (check_entry == 7)
				CHECK(got[i] == (i < 8 ? host[i + 1] : 0));
			if (check_entry == 9)
				CHECK(got[i] == (i < 5 ? host[i] : i < 8 ? host[i + 1] : 0));
			if (check_entry == 14 && i < 3) /* which the copy within the array has brought */
				CHECK(got[i] == host[i]);
		}
	}
	check_entry = 0;
	OK(cudaStreamSynchronize_ptsz(0));
	CHECK(calls == three);
	GIVES(cudaErrorInvalidValue, cudaMemcpy_ptds(device, host, N + 1, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemset_ptds(host, 1, N));
}

/* ---- Memory, events and questions ---- */

static void check_memory(void)
{
	cudaMemPool_t pool;
	cudaGraph_t graph;
	void *p, *q;
	size_t count = 0;
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	OK(cudaStreamBeginCapture_ptsz(0, cudaStreamCaptureModeThreadLocal));
	OK(cudaMallocAsync_ptsz(&p, 64, 0));
	OK(cudaMallocFromPoolAsync_ptsz(&q, 64, pool, 0));
	OK(cudaFreeAsync_ptsz(p, 0));
	OK(cudaFreeAsync_ptsz(q, 0));
	OK(cudaStreamEndCapture_ptsz(0, &graph));
	OK(cudaGraphGetNodes(graph, NULL, &count));
	CHECK(count == 4 && p != q);
	OK(cudaGraphDestroy(graph));
}

/* A graph launched in a captured stream is a node of the other. */
static void check_graph_launch(void)
{
	cudaGraph_t inner, outer;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	enum cudaGraphNodeType type;
	size_t count = 1;
	OK(cudaGraphCreate(&inner, 0));
	OK(cudaGraphInstantiate(&exec, inner, 0));
	OK(cudaStreamBeginCapture_ptsz(0, cudaStreamCaptureModeThreadLocal));
	OK(cudaGraphLaunch_ptsz(exec, 0));
	OK(cudaStreamEndCapture_ptsz(0, &outer));
	OK(cudaGraphGetNodes(outer, &node, &count));
	CHECK(count == 1);
	OK(cudaGraphNodeGetType(node, &type));
	CHECK(type == cudaGraphNodeTypeGraph);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(inner));
	OK(cudaGraphDestroy(outer));
}

static void check_events(void)
{
	cudaEvent_t event, outside;
	cudaStream_t second;
	cudaGraph_t graph;
	cudaGraphNode_t nodes[2];
	enum cudaGraphNodeType type;
	enum cudaStreamCaptureStatus status;
	size_t count = 2;
	OK(cudaEventCreate(&event));
	OK(cudaEventCreate(&outside));
	OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	OK(cudaStreamBeginCapture_ptsz(0, cudaStreamCaptureModeThreadLocal));
	OK(cudaEventRecord_ptsz(event, 0));
	OK(cudaStreamWaitEvent_ptsz(second, event, 0)); /* which joins */
	OK(cudaStreamIsCapturing_ptsz(second, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaMemsetAsync_ptsz(device, 1, N, second));
	OK(cudaEventRecord_ptsz(event, second));
	OK(cudaStreamWaitEvent_ptsz(0, event, 0)); /* without it: unjoined */
	OK(cudaEventRecordWithFlags_ptsz(outside, 0, cudaEventRecordExternal));
	OK(cudaStreamEndCapture_ptsz(0, &graph));
	OK(cudaGraphGetNodes(graph, nodes, &count));
	CHECK(count == 2);
	OK(cudaGraphNodeGetType(nodes[1], &type));
	CHECK(type == cudaGraphNodeTypeEventRecord);
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(second));
	OK(cudaEventDestroy(event));
	OK(cudaEventDestroy(outside));
}

static void check_questions(void)
{
	enum { SYNCHRONIZATION = 3 };
	char value[64] = {0};
	unsigned int flags = 9;
	int number = 9;
	cudaStream_t made;
	OK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
	OK(cudaStreamGetFlags_ptsz(made, &flags));
	CHECK(flags == cudaStreamNonBlocking);
	OK(cudaStreamGetFlags_ptsz(0, &flags));
	CHECK(flags == 0);
	OK(cudaStreamGetPriority_ptsz(0, &number));
	CHECK(number == 0);
	number = 9;
	OK(cudaStreamGetDevice_ptsz(0, &number));
	CHECK(number == 0);
	number = 2;
	OK(cudaStreamSetAttribute_ptsz(0, SYNCHRONIZATION, &number));
	OK(cudaStreamGetAttribute_ptsz(0, SYNCHRONIZATION, value));
	CHECK(value[0] == 2);
	OK(cudaStreamGetAttribute(cudaStreamPerThread, SYNCHRONIZATION, value));
	CHECK(value[0] == 2);
	OK(cudaStreamGetAttribute(cudaStreamLegacy, SYNCHRONIZATION, value));
	CHECK(value[0] == 0);
	OK(cudaStreamCopyAttributes_ptsz(made, 0));
	OK(cudaStreamGetAttribute_ptsz(made, SYNCHRONIZATION, value));
	CHECK(value[0] == 2);
	number = 1;
	OK(cudaStreamSetAttribute_ptsz(made, SYNCHRONIZATION, &number));
	OK(cudaStreamCopyAttributes_ptsz(0, made));
	OK(cudaStreamGetAttribute_ptsz(0, SYNCHRONIZATION, value));
	CHECK(value[0] == 1);
	OK(cudaStreamGetAttribute(cudaStreamLegacy, SYNCHRONIZATION, value));
	CHECK(value[0] == 0);
	OK(cudaStreamDestroy(made));
}

/* Pieces of managed memory. */
static void check_pieces(void)
{
	enum { LAST_PREFETCH = 4, BYTES = 4096 };
	void *pieces[2];
	size_t bytes[2] = {BYTES, BYTES}, firsts[2] = {0, 1};
	struct cudaMemLocation locations[2] = {{1, 0}, {2, 0}};
	int place = 9;
	for (int k = 0; k < 2; k++)
		OK(cudaMallocManaged(&pieces[k], BYTES, cudaMemAttachGlobal));
	OK(cudaMemPrefetchBatchAsync_ptsz(pieces, bytes, 2, locations, firsts, 2, 0, 0));
	OK(cudaMemRangeGetAttribute(&place, sizeof place, LAST_PREFETCH, pieces[0], BYTES));
	CHECK(place == 0);
	OK(cudaMemRangeGetAttribute(&place, sizeof place, LAST_PREFETCH, pieces[1], BYTES));
	CHECK(place == -1);
	GIVES(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync_ptsz(pieces, bytes, 2, locations, firsts, 3, 0, 0));
	OK(cudaMemDiscardBatchAsync_ptsz(pieces, bytes, 2, 0, 0));
	OK(cudaMemDiscardAndPrefetchBatchAsync_ptsz(pieces, bytes, 2, locations, firsts, 1, 0, 0));
	OK(cudaMemRangeGetAttribute(&place, sizeof place, LAST_PREFETCH, pieces[1], BYTES));
	CHECK(place == 0);
	GIVES(cudaErrorInvalidValue, cudaMemDiscardBatchAsync_ptsz(pieces, bytes, 2, 1, 0));
	for (int k = 0; k < 2; k++)
		OK(cudaFree(pieces[k]));
	GIVES(cudaErrorInvalidValue, cudaMemDiscardBatchAsync_ptsz(pieces, bytes, 2, 0, 0));
	cudaGetLastError();
}

/* A stream's capture that goes on in a graph; and the driver's calls by their names. */
static void check_rest(void)
{
	cudaGraph_t graph, same;
	void *own = NULL, *common = NULL;
	int status = 9;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaStreamBeginCaptureToGraph_ptsz(0, graph, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
	OK(cudaMemsetAsync_ptsz(device, 1, N, 0));
	OK(cudaStreamEndCapture_ptsz(0, &same));
	CHECK(same == graph);
	OK(cudaGraphDestroy(graph));
	OK(cudaGetDriverEntryPoint_ptsz("cuStreamQuery", &own, 0, &status));
	OK(cudaGetDriverEntryPoint("cuStreamQuery", &common, 0, &status));
	CHECK(own && common && own != common && status == 0);
}

int main(void)
{
	const struct cudaChannelFormatDesc byte = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
	load_total();
	OK(__cudaGetKernel(&fill_kernel, &fill));
	OK(cudaMalloc((void **)&device, N));
	OK(cudaMallocArray(&array, &byte, WIDTH, HEIGHT, 0));
	for (int i = 0; i < N; i++)
		host[i] = (uint8_t)(i * 5 + 3);
	check_enqueued();
	check_waiting();
	check_memory();
	check_graph_launch();
	check_events();
	check_questions();
	check_pieces();
	check_rest();
	OK(cudaFreeArray(array));
	OK(cudaFree(device));
	return 0;
}
