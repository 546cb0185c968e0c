/* Streams whose work becomes a graph, and what must not be done meanwhile.  Expectations: CUDA Runtime API 13.0,
 * "Stream Management" (cudaStreamBeginCapture to cudaThreadExchangeStreamCaptureMode), and CUDA C++ Programming Guide,
 * "Creating a Graph Using Stream Capture". */
#include "kernels.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { N = 64 };

static int *numbers;
static cudaStream_t first, second;

static void fill_in(cudaStream_t stream, int value)
{
	int n = N;
	OK(LAUNCH(fill, 1, 32, stream, &numbers, &value, &n));
}

static void add_one(void *data)
{
	++*(int *)data;
}

/* Kernel, memset, copies, a host function; nothing happens before the launch, and all of it with each. */
static void check_straight(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	enum cudaStreamCaptureStatus status;
	unsigned long long id;
	size_t count;
	int calls = 0, host[N] = {0}, after[N] = {0};
	OK(cudaMemset(numbers, 0, N * sizeof *numbers));
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
	GIVES(cudaErrorIllegalState, cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
	fill_in(first, 6);
	OK(cudaMemcpyAsync(host, numbers, sizeof host, cudaMemcpyDeviceToHost, first));
	OK(cudaMemsetAsync(numbers, 1, 4, first));
	OK(cudaMemcpyAsync(after, numbers, sizeof after, cudaMemcpyDeviceToHost, first));
	OK(cudaLaunchHostFunc(first, add_one, &calls));
	OK(cudaStreamGetCaptureInfo(first, &status, &id, &graph, NULL, NULL, &count));
	CHECK(status == cudaStreamCaptureStatusActive && id && count == 1);
	OK(cudaStreamEndCapture(first, &graph));
	OK(cudaStreamIsCapturing(first, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	OK(cudaStreamSynchronize(first));
	CHECK(!calls && !host[0]);
	OK(cudaGraphGetNodes(graph, NULL, &count));
	CHECK(count == 5);
	OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
	CHECK(count == 4);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	for (int launch = 1; launch <= 2; launch++) {
		memset(host, 0, sizeof host);
		OK(cudaGraphLaunch(exec, first));
		OK(cudaStreamSynchronize(first));
		CHECK(calls == launch && host[0] == 6 && host[N - 1] == 6 && after[0] == 0x01010101 && after[1] == 6);
	}
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

/* Begins a capture: two kernels that wait for each other, in the second stream behind an event; `join` stands behind
 * that one. */
static void capture_fork(int *flags, cudaEvent_t fork, cudaEvent_t join)
{
	int *a = flags, *b = flags + 128;
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
	OK(cudaMemsetAsync(flags, 0, 1024, first));
	OK(cudaEventRecord(fork, first));
	OK(cudaStreamWaitEvent(second, fork, 0));
	OK(LAUNCH(meet, 1, 1, first, &a, &b));
	OK(LAUNCH(meet, 1, 1, second, &b, &a));
	OK(cudaEventRecord(join, second));
}

/* A second stream joins by an event and comes back by another: two kernels that wait for each other, then one behind
 * both. */
static void check_fork(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaEvent_t fork, join;
	int *flags;
	size_t count;
	OK(cudaMalloc((void **)&flags, 1024));
	OK(cudaEventCreate(&fork));
	OK(cudaEventCreate(&join));
	capture_fork(flags, fork, join);
	GIVES(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(second, &graph));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));
	CHECK(!graph);

	capture_fork(flags, fork, join);
	OK(cudaStreamWaitEvent(first, join, 0));
	fill_in(first, 11);
	OK(cudaStreamEndCapture(first, &graph));
	OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
	CHECK(count == 4);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, first));
	OK(cudaGraphLaunch(exec, second)); /* comes after the first launch, though in another stream */
	OK(cudaStreamSynchronize(second));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));

	/* A stream that has joined may go; what it captured must be waited for all the same. */
	cudaStream_t third;
	for (int waits = 0; waits < 2; waits++) {
		int *p;
		OK(cudaStreamCreate(&third));
		OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
		OK(cudaMallocAsync((void **)&p, 64, first));
		OK(cudaEventRecord(fork, first));
		OK(cudaStreamWaitEvent(third, fork, 0));
		OK(cudaFreeAsync(p, third));
		OK(cudaEventRecord(join, third));
		OK(cudaStreamDestroy(third));
		if (waits)
			OK(cudaStreamWaitEvent(first, join, 0));
		GIVES(waits ? cudaSuccess : cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(first, &graph));
	}
	OK(cudaGraphDestroy(graph));

	/* Not waited for before the end. */
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(fork, first));
	OK(cudaStreamWaitEvent(second, fork, 0));
	fill_in(second, 1);
	GIVES(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(first, &graph));
	fill_in(second, 12); /* no stream captures any more */
	OK(cudaStreamSynchronize(second));
	OK(cudaEventDestroy(fork));
	OK(cudaEventDestroy(join));
	OK(cudaFree(flags));
}

/* What spoils a capture, by its error. */
static void check_forbidden(void)
{
	cudaGraph_t graph;
	cudaEvent_t event, outside;
	enum cudaStreamCaptureStatus status;
	int *p, n = N, one = 1;
	GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
	GIVES(cudaErrorIllegalState, cudaStreamEndCapture(first, &graph));
	OK(cudaEventCreate(&event));
	OK(cudaEventCreate(&outside));
	OK(cudaEventRecord(outside, second));
#define SPOILED_BY(error, call)                                                                                        \
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));                                                \
	GIVES(error, call);                                                                                            \
	OK(cudaStreamGetCaptureInfo(first, &status, NULL, NULL, NULL, NULL, NULL));                                    \
	CHECK(status == cudaStreamCaptureStatusInvalidated);                                                           \
	GIVES(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(numbers, 0, 4, first));                               \
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph))
	SPOILED_BY(cudaErrorStreamCaptureUnsupported, cudaMalloc((void **)&p, 4));
	SPOILED_BY(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(first));
	SPOILED_BY(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(first));
	SPOILED_BY(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
	SPOILED_BY(cudaErrorStreamCaptureUnsupported, cudaMemcpy(&n, numbers, 4, cudaMemcpyDeviceToHost));
	SPOILED_BY(cudaErrorStreamCaptureImplicit, LAUNCH(fill, 1, 32, NULL, &numbers, &one, &n));
	SPOILED_BY(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(first, outside, 0));

	/* Relaxed: only what contradicts capture itself. */
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
	OK(cudaMalloc((void **)&p, 4));
	OK(cudaFree(p));
	OK(cudaEventRecord(event, first));
	GIVES(cudaErrorCapturedEvent, cudaEventQuery(event));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));

	/* Two captures that meet. */
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
	OK(cudaStreamBeginCapture(second, cudaStreamCaptureModeRelaxed));
	OK(cudaEventRecord(event, first));
	GIVES(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(second, event, 0));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(second, &graph));
	OK(cudaEventDestroy(event));
	OK(cudaEventDestroy(outside));
}

/* Beginning, ending and joining what cannot be (Runtime API 13.0, "Stream Management"; programming guide, "Stream
 * Capture"). */
static void check_wrong(void)
{
	cudaGraph_t graph = NULL, given;
	cudaStream_t wrong = (cudaStream_t)&graph, third;
	cudaEvent_t event;
	cudaGraphNode_t node, nodes[3];
	enum cudaStreamCaptureStatus status;
	enum cudaStreamCaptureMode mode = (enum cudaStreamCaptureMode)3;
	size_t count;
	OK(cudaEventCreate(&event));
	OK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamBeginCapture(wrong, cudaStreamCaptureModeGlobal));
	GIVES(cudaErrorInvalidValue, cudaStreamBeginCapture(first, (enum cudaStreamCaptureMode)3));
	GIVES(cudaErrorInvalidValue, cudaStreamBeginCapture(first, (enum cudaStreamCaptureMode) - 1));
	GIVES(cudaErrorStreamCaptureUnsupported,
		cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamEndCapture(wrong, &graph));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamIsCapturing(wrong, &status));
	GIVES(cudaErrorInvalidValue, cudaStreamIsCapturing(first, NULL));
	GIVES(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(NULL));
	GIVES(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(&mode));
	/* Twice; into nothing; in another stream than it began. */
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorIllegalState, cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorInvalidValue, cudaStreamEndCapture(first, NULL));
	OK(cudaStreamIsCapturing(first, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaStreamIsCapturing(second, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	/* The legacy stream would depend on a blocking stream's capture: asking about it says so, and spoils
	 * nothing. */
	GIVES(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(cudaStreamLegacy, &status));
	OK(cudaStreamIsCapturing(first, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaEventRecord(event, first));
	OK(cudaStreamWaitEvent(third, event, 0));
	graph = (cudaGraph_t)&node;
	GIVES(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(third, &graph));
	CHECK(!graph);
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));
	CHECK(!graph);
	GIVES(cudaErrorCapturedEvent, cudaStreamWaitEvent(third, event, 0)); /* its capture is over */
	/* Work of a stream that joined and was not waited for: also where the stream is gone meanwhile. */
	for (int destroyed = 0; destroyed < 2; destroyed++) {
		OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
		OK(cudaEventRecord(event, first));
		OK(cudaStreamWaitEvent(third, event, 0));
		OK(cudaMemsetAsync(numbers, 0, 4, third));
		if (destroyed)
			OK(cudaStreamDestroy(third));
		GIVES(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(first, &graph));
	}
	/* It is joined when it was waited for before it went. */
	OK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
	OK(cudaEventRecord(event, first));
	OK(cudaStreamWaitEvent(third, event, 0));
	OK(cudaMemsetAsync(numbers, 0, 4, third));
	OK(cudaEventRecord(event, third));
	OK(cudaStreamWaitEvent(first, event, 0));
	OK(cudaStreamDestroy(third));
	OK(cudaStreamEndCapture(first, &graph));
	OK(cudaGraphDestroy(graph));
	/* The stream that began it is destroyed: so is the capture. */
	OK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
	OK(cudaStreamBeginCapture(third, cudaStreamCaptureModeGlobal));
	OK(cudaStreamDestroy(third));
	OK(cudaDeviceSynchronize());
	/* Into a graph that is there, behind one of its nodes. */
	OK(cudaGraphCreate(&given, 0));
	OK(cudaGraphAddEmptyNode(&node, given, NULL, 0));
	GIVES(cudaErrorInvalidValue,
		cudaStreamBeginCaptureToGraph(first, NULL, &node, NULL, 1, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorInvalidValue,
		cudaStreamBeginCaptureToGraph(first, given, NULL, NULL, 1, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorInvalidValue,
		cudaStreamBeginCaptureToGraph(first, given, &node, NULL, 1, (enum cudaStreamCaptureMode)3));
	GIVES(cudaErrorNotSupported, cudaStreamBeginCaptureToGraph(first, given, &node, &(cudaGraphEdgeData){.type = 1},
					     1, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorStreamCaptureUnsupported,
		cudaStreamBeginCaptureToGraph(NULL, given, &node, NULL, 1, cudaStreamCaptureModeRelaxed));
	OK(cudaStreamBeginCaptureToGraph(first, given, &node, NULL, 1, cudaStreamCaptureModeRelaxed));
	OK(cudaMemsetAsync(numbers, 0, 4, first));
	OK(cudaStreamEndCapture(first, &graph));
	CHECK(graph == given);
	count = 3;
	OK(cudaGraphGetNodes(given, nodes, &count));
	CHECK(count == 2 && nodes[0] == node);
	OK(cudaGraphNodeGetDependencies(nodes[1], nodes, NULL, &count));
	CHECK(count == 1 && nodes[0] == node);
	/* A spoilt one leaves the application its graph. */
	OK(cudaStreamBeginCaptureToGraph(first, given, &node, NULL, 1, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(first));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));
	CHECK(!graph);
	OK(cudaGraphGetNodes(given, NULL, &count));
	CHECK(count == 2);
	OK(cudaGraphDestroy(given));
	OK(cudaEventDestroy(event));
}

static void *in_another_thread(void *nothing)
{
	cudaGraph_t graph;
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
	int *p;
	GIVES(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(first, &graph));
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == cudaStreamCaptureModeGlobal);
	OK(cudaMalloc((void **)&p, 4)); /* another thread's capture is its own affair */
	OK(cudaFree(p));
	return nothing;
}

static void *end_elsewhere(void *mode)
{
	cudaGraph_t graph = NULL;
	bool may = *(enum cudaStreamCaptureMode *)mode == cudaStreamCaptureModeRelaxed;
	GIVES(may ? cudaSuccess : cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(first, &graph));
	CHECK(!graph == !may);
	if (may)
		OK(cudaGraphDestroy(graph));
	return NULL;
}

/* "If the mode argument to cudaStreamBeginCapture was not cudaStreamCaptureModeRelaxed, this call must be from the same
 * thread as cudaStreamBeginCapture." */
static void check_ends(void)
{
	static const enum cudaStreamCaptureMode modes[] = {
		cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};
	for (int k = 0; k < 3; k++) {
		enum cudaStreamCaptureMode mode = modes[k];
		cudaGraph_t graph;
		pthread_t thread;
		check_entry = k;
		OK(cudaStreamBeginCapture(first, mode));
		CHECK(!pthread_create(&thread, NULL, end_elsewhere, &mode));
		CHECK(!pthread_join(thread, NULL));
		if (mode == cudaStreamCaptureModeRelaxed)
			continue;
		OK(cudaStreamEndCapture(first, &graph));
		OK(cudaGraphDestroy(graph));
	}
	check_entry = 0;
}

static void check_threads(void)
{
	cudaGraph_t graph;
	pthread_t thread;
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
	CHECK(!pthread_create(&thread, NULL, in_another_thread, NULL));
	CHECK(!pthread_join(thread, NULL));
	OK(cudaStreamEndCapture(first, &graph));
	OK(cudaGraphDestroy(graph));
}

/* Memory that is allocated in the order of a stream, used and freed there: nodes. */
static void check_memory(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int *p, host[N] = {0}, n = N, value = 13;
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
	OK(cudaMallocAsync((void **)&p, N * sizeof *p, first));
	OK(LAUNCH(fill, 1, 32, first, &p, &value, &n));
	OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, first));
	OK(cudaFreeAsync(p, first));
	OK(cudaStreamEndCapture(first, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	for (int launch = 0; launch < 2; launch++) {
		OK(cudaGraphLaunch(exec, first));
		OK(cudaStreamSynchronize(first));
		CHECK(host[0] == 13 && host[N - 1] == 13);
		memset(host, 0, sizeof host);
	}
	GIVES(cudaErrorInvalidValue, cudaFree(p));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

/* A cooperative kernel, and a graph's launch, as nodes. */
static void check_nested(void)
{
	cudaGraph_t graph, outer;
	cudaGraphExec_t exec, outer_exec;
	cudaGraphNode_t node;
	enum cudaGraphNodeType type;
	size_t count = 1;
	int *x, *y, n = 256, host[256];
	OK(cudaMalloc((void **)&x, 1024));
	OK(cudaMalloc((void **)&y, 1024));
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
	OK(cudaMemsetAsync(y, 0, 1024, first));
	OK(cudaLaunchCooperativeKernel(&rounds, (dim3){4, 1, 1}, (dim3){64, 1, 1}, (void *[]){&x, &y, &n}, 0, first));
	OK(cudaStreamEndCapture(first, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
	OK(cudaGraphLaunch(exec, first));
	OK(cudaStreamEndCapture(first, &outer));
	OK(cudaGraphGetNodes(outer, &node, &count));
	OK(cudaGraphNodeGetType(node, &type));
	CHECK(count == 1 && type == cudaGraphNodeTypeGraph);
	OK(cudaGraphInstantiate(&outer_exec, outer, 0));
	OK(cudaGraphLaunch(outer_exec, first));
	OK(cudaMemcpyAsync(host, y, sizeof host, cudaMemcpyDeviceToHost, first));
	OK(cudaStreamSynchronize(first));
	for (int i = 0; i < n; i++)
		CHECK(host[i] == 10000 + 5 * ((i + 64) % n));
	OK(cudaGraphExecDestroy(outer_exec));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(outer));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(x));
	OK(cudaFree(y));
}

/* An event that the graph waits for, rather than for what was captured; outside of a capture there is no such flag. */
static void check_external(void)
{
	cudaEvent_t event;
	cudaGraph_t graph;
	cudaGraphNode_t nodes[2];
	enum cudaGraphNodeType type;
	size_t count = 2;
	OK(cudaEventCreate(&event));
	OK(cudaEventRecord(event, second));
	GIVES(cudaErrorInvalidValue, cudaStreamWaitEvent(first, event, cudaEventWaitExternal));
	OK(cudaStreamWaitEvent(first, event, 0));
	OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
	OK(cudaStreamWaitEvent(first, event, cudaEventWaitExternal));
	OK(cudaStreamEndCapture(first, &graph));
	OK(cudaGraphGetNodes(graph, nodes, &count));
	CHECK(count == 1);
	OK(cudaGraphNodeGetType(nodes[0], &type));
	CHECK(type == cudaGraphNodeTypeWaitEvent);
	OK(cudaGraphDestroy(graph));
	OK(cudaEventDestroy(event));
}

int main(void)
{
	OK(cudaMalloc((void **)&numbers, N * sizeof *numbers));
	OK(cudaStreamCreate(&first));
	OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	check_straight();
	check_fork();
	check_forbidden();
	check_wrong();
	check_threads();
	check_ends();
	check_memory();
	check_nested();
	check_external();
	OK(cudaStreamDestroy(first));
	OK(cudaStreamDestroy(second));
	OK(cudaFree(numbers));
	return 0;
}
