/* What graphs refuse, what their instances can be given in place of what they have, and memory of their own. CUDA
 * Runtime API 13.0, "Graph Management". */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdint.h>

enum { N = 16 };

static int *numbers; /* of the device */
static char unknown[64];
#define UNKNOWN ((void *)unknown)

static void count_up(void *data)
{
	++*(int *)data;
}

static cudaGraph_t new_graph(void)
{
	cudaGraph_t graph;
	OK(cudaGraphCreate(&graph, 0));
	return graph;
}

static cudaGraphExec_t instance_of(cudaGraph_t graph)
{
	cudaGraphExec_t exec;
	OK(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

static int first_number(void)
{
	int number;
	OK(cudaMemcpy(&number, numbers, sizeof number, cudaMemcpyDeviceToHost));
	return number;
}

/* ---- Arguments ---- */

static void check_arguments(void)
{
	cudaGraph_t graph = new_graph(), other = new_graph(), made;
	cudaGraphNode_t a, b, foreign, node;
	cudaGraphExec_t exec = NULL;
	enum cudaGraphNodeType type;
	unsigned long long flags = 0;
	GIVES(cudaErrorInvalidValue, cudaGraphCreate(NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphCreate(&made, 1)); /* "flags ... must be 0" */
	GIVES(cudaErrorInvalidValue, cudaGraphDestroy(NULL));
	OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
	OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
	OK(cudaGraphAddEmptyNode(&foreign, other, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphAddEmptyNode(NULL, graph, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, NULL, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, &foreign, 1));
	GIVES(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, (cudaGraphNode_t[]){a, NULL}, 2));
	GIVES(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, (cudaGraphNode_t[]){a, a}, 2)); /* twice */
	GIVES(cudaErrorInvalidValue, cudaGraphClone(NULL, graph));
	GIVES(cudaErrorInvalidValue, cudaGraphClone(&made, NULL));
	OK(cudaGraphClone(&made, graph));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeFindInClone(NULL, a, made));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&node, NULL, made));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&node, a, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&node, foreign, made));
	OK(cudaGraphDestroy(made));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetType(NULL, &type));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetType(a, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphDestroyNode(NULL));
	for (unsigned long long k = 0; k < 32; k++) { /* AutoFreeOnLaunch, Upload, DeviceLaunch, UseNodePriority */
		check_entry = (int)k;
		cudaError_t code = k & 16 ? cudaErrorInvalidValue : k & 4 ? cudaErrorNotSupported : cudaSuccess;
		GIVES(code, cudaGraphInstantiateWithFlags(&exec, graph, k));
		cudaGraphInstantiateParams p = {.flags = k, .errNode_out = UNKNOWN, .result_out = 99};
		if (!code) {
			OK(cudaGraphExecGetFlags(exec, &flags));
			CHECK(flags == k);
			OK(cudaGraphExecDestroy(exec));
		}
		GIVES(code, cudaGraphInstantiateWithParams(&exec, graph, &p));
		CHECK(!p.errNode_out &&
			p.result_out == (code == cudaSuccess                    ? cudaGraphInstantiateSuccess
						: code == cudaErrorInvalidValue ? cudaGraphInstantiateInvalidStructure
										: cudaGraphInstantiateError));
		if (!code)
			OK(cudaGraphExecDestroy(exec));
	}
	check_entry = 0;
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(NULL, graph, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, NULL, 0));
	exec = instance_of(graph);
	GIVES(cudaErrorInvalidValue, cudaGraphExecGetFlags(NULL, &flags));
	GIVES(cudaErrorInvalidValue, cudaGraphExecGetFlags(exec, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphExecDestroy(NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphLaunch(NULL, NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaGraphLaunch(exec, UNKNOWN));
	OK(cudaGraphUpload(exec, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphUpload(NULL, NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaGraphUpload(exec, UNKNOWN));
	GIVES(cudaErrorInvalidValue, cudaGraphExecUpdate(NULL, graph, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphExecUpdate(exec, NULL, NULL));
	OK(cudaGraphExecUpdate(exec, graph, NULL));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphDestroy(other));
}

/* "If nodes is NULL, number returned ... If the number is greater than the actual number, the remaining entries will be
 * set to NULL, and the number of nodes actually obtained will be returned." */
static void check_questions(void)
{
	cudaGraph_t graph = new_graph();
	cudaGraphNode_t a, b, c, nodes[4], ends[4];
	cudaGraphEdgeData edges[4];
	size_t count;
	OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
	OK(cudaGraphAddEmptyNode(&b, graph, NULL, 0));
	OK(cudaGraphAddEmptyNode(&c, graph, (cudaGraphNode_t[]){a, b}, 2));
	for (size_t room = 0; room <= 4; room++) {
		check_entry = (int)room;
		for (int k = 0; k < 4; k++)
			nodes[k] = ends[k] = UNKNOWN;
		memset(edges, 1, sizeof edges);
		count = room;
		OK(cudaGraphGetNodes(graph, nodes, &count));
		CHECK(count == (room < 3 ? room : 3));
		CHECK(nodes[0] == (room > 0 ? a : UNKNOWN) && nodes[1] == (room > 1 ? b : UNKNOWN) &&
			nodes[2] == (room > 2 ? c : UNKNOWN) && nodes[3] == (room > 3 ? NULL : UNKNOWN));
		count = room;
		OK(cudaGraphGetRootNodes(graph, nodes, &count));
		CHECK(count == (room < 2 ? room : 2) && (room < 3 || !nodes[2]));
		count = room;
		OK(cudaGraphGetEdges(graph, nodes, ends, edges, &count));
		CHECK(count == (room < 2 ? room : 2));
		CHECK(room < 2 || (nodes[0] == a && nodes[1] == b && ends[0] == c && ends[1] == c));
		CHECK(ends[1] == (room > 1 ? c : UNKNOWN) && ends[2] == (room > 2 ? NULL : UNKNOWN));
		for (size_t k = 0; k < 4; k++)
			CHECK(edges[k].type == (k < room ? 0 : 1));
		memset(edges, 1, sizeof edges);
		count = room;
		OK(cudaGraphNodeGetDependencies(c, nodes, edges, &count));
		CHECK(count == (room < 2 ? room : 2) && edges[room ? room - 1 : 0].type == (room ? 0 : 1));
		memset(edges, 1, sizeof edges);
		count = room;
		OK(cudaGraphNodeGetDependentNodes(a, nodes, edges, &count));
		CHECK(count == (room < 1 ? room : 1) && edges[room ? room - 1 : 0].type == (room ? 0 : 1));
		CHECK(!room || nodes[0] == c);
	}
	check_entry = 0;
	GIVES(cudaErrorInvalidValue, cudaGraphGetNodes(NULL, nodes, &count));
	GIVES(cudaErrorInvalidValue, cudaGraphGetNodes(graph, nodes, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphGetRootNodes(NULL, nodes, &count));
	GIVES(cudaErrorInvalidValue, cudaGraphGetRootNodes(graph, nodes, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphGetEdges(NULL, NULL, NULL, NULL, &count));
	GIVES(cudaErrorInvalidValue, cudaGraphGetEdges(graph, NULL, NULL, NULL, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphGetEdges(graph, nodes, NULL, NULL, &count));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetDependencies(NULL, nodes, NULL, &count));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetDependencies(a, nodes, NULL, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetDependentNodes(NULL, nodes, NULL, &count));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetDependentNodes(a, nodes, NULL, NULL));
	/* Edges that are not there, or are; and of a kind that lets a kernel begin before the other has ended. */
	memset(edges, 0, sizeof edges);
	edges[0].type = 1;
	GIVES(cudaErrorNotSupported, cudaGraphAddDependencies(graph, &a, &b, edges, 1)); /* for kernels alone */
	GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &a, &a, NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &a, NULL, NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, NULL, &a, NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(NULL, &a, &b, NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &a, &c, NULL, 1));
	OK(cudaGraphAddDependencies(graph, NULL, NULL, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, &a, &b, NULL, 1));
	OK(cudaGraphRemoveDependencies(graph, &a, &c, NULL, 1));
	count = 4;
	OK(cudaGraphNodeGetDependencies(c, nodes, NULL, &count));
	CHECK(count == 1 && nodes[0] == b);
	OK(cudaGraphDestroy(graph));
}

/* ---- Other contents for an instance's nodes ---- */

static void check_copies(void)
{
	cudaGraph_t graph = new_graph();
	cudaGraphNode_t node, foreign;
	int host[N], back[N] = {0}, value = 5;
	cudaGraph_t other = new_graph();
	for (int k = 0; k < N; k++)
		host[k] = k + 1;
	OK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, numbers, host, 4, cudaMemcpyHostToDevice));
	OK(cudaGraphAddEmptyNode(&foreign, other, NULL, 0));
	cudaGraphExec_t exec = instance_of(graph);
	OK(cudaGraphExecMemcpyNodeSetParams1D(exec, node, numbers, host + 3, 4, cudaMemcpyHostToDevice));
	OK(cudaGraphLaunch(exec, NULL));
	CHECK(first_number() == 4);
	struct cudaMemcpy3DParms p = {.srcPtr = {host, 8, 8, 1},
		.dstPtr = {numbers, 8, 8, 1},
		.srcPos = {8, 0, 0},
		.extent = {4, 1, 1},
		.kind = cudaMemcpyHostToDevice};
	OK(cudaGraphExecMemcpyNodeSetParams(exec, node, &p));
	OK(cudaGraphLaunch(exec, NULL));
	CHECK(first_number() == 3);
	OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, &counter, &value, 4, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaMemcpyFromSymbol(back, &counter, 4, 0, cudaMemcpyDeviceToHost));
	CHECK(back[0] == 5);
	OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, back + 1, &counter, 4, 0, cudaMemcpyDeviceToHost));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(back[1] == 5 && back[2] == 0);
	GIVES(cudaErrorInvalidValue,
		cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, &counter, &value, 4, 1, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue,
		cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, back, &counter, 1, 4, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidSymbol,
		cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, back, unknown, 1, 4, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue,
		cudaGraphExecMemcpyNodeSetParams1D(NULL, node, numbers, host, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue,
		cudaGraphExecMemcpyNodeSetParams1D(exec, NULL, numbers, host, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue,
		cudaGraphExecMemcpyNodeSetParams1D(exec, foreign, numbers, host, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, node, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams(node, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&node, graph, NULL, 0, NULL));
	/* Of another type, or none. */
	GIVES(cudaErrorInvalidValue, cudaGraphHostNodeSetParams(node, &(struct cudaHostNodeParams){count_up, NULL}));
	GIVES(cudaErrorInvalidValue, cudaGraphHostNodeSetParams(NULL, &(struct cudaHostNodeParams){count_up, NULL}));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeSetParams(node, NULL));
	struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeConditional};
	GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &all));
	all.type = (enum cudaGraphNodeType)14;
	GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &all));
	GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, NULL));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphDestroy(other));
}

/* Arrays take no part in nodes here, which is said. */
static void check_arrays(void)
{
	const struct cudaChannelFormatDesc channel = {32, 0, 0, 0, cudaChannelFormatKindSigned};
	cudaGraph_t graph = new_graph();
	cudaGraphNode_t node;
	cudaArray_t array;
	OK(cudaMallocArray(&array, &channel, 4, 0, 0));
	/* Numbers 0 and 1 become elements 1 and 2, of which the second comes back as number 0. */
	struct cudaMemcpy3DParms p = {.dstArray = array,
		.dstPos = {1, 0, 0},
		.srcPtr = {numbers, 8, 8, 1},
		.extent = {2, 1, 1},
		.kind = cudaMemcpyDeviceToDevice};
	OK(cudaMemcpy(numbers, ((int[]){41, 42}), 8, cudaMemcpyHostToDevice));
	OK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
	p = (struct cudaMemcpy3DParms){.srcArray = array,
		.srcPos = {2, 0, 0},
		.dstPtr = {numbers, 4, 4, 1},
		.extent = {1, 1, 1},
		.kind = cudaMemcpyDeviceToDevice};
	OK(cudaGraphAddMemcpyNode(&node, graph, &node, 1, &p));
	cudaGraphExec_t exec = instance_of(graph);
	OK(cudaGraphLaunch(exec, NULL));
	CHECK(first_number() == 42);
	OK(cudaGraphExecDestroy(exec));
	p.srcPos.x = 4;
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p)); /* past the end */
	OK(cudaFreeArray(array));
	OK(cudaGraphDestroy(graph));
}

static void check_events_and_calls(void)
{
	cudaGraph_t graph = new_graph(), child = new_graph(), inner;
	cudaGraphNode_t record, wait, call, nested, in_child;
	cudaEvent_t first, second, got = NULL;
	int calls[4] = {0};
	struct cudaHostNodeParams p = {count_up, &calls[0]}, q = {0};
	OK(cudaEventCreate(&first));
	OK(cudaEventCreate(&second));
	OK(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, first));
	OK(cudaGraphAddEventWaitNode(&wait, graph, NULL, 0, second));
	OK(cudaGraphEventWaitNodeGetEvent(wait, &got));
	CHECK(got == second);
	OK(cudaGraphEventRecordNodeGetEvent(record, &got));
	CHECK(got == first);
	OK(cudaGraphAddHostNode(&call, graph, NULL, 0, &p));
	OK(cudaGraphAddHostNode(&in_child, child, NULL, 0, &p));
	OK(cudaGraphAddChildGraphNode(&nested, graph, NULL, 0, child));
	GIVES(cudaErrorInvalidValue, cudaGraphAddEventWaitNode(&wait, graph, NULL, 0, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphEventWaitNodeSetEvent(wait, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphEventRecordNodeSetEvent(record, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphEventRecordNodeSetEvent(wait, first));
	GIVES(cudaErrorInvalidValue, cudaGraphEventWaitNodeSetEvent(record, first));
	cudaGraphExec_t exec = instance_of(graph);
	OK(cudaGraphExecEventRecordNodeSetEvent(exec, record, second));
	OK(cudaGraphExecEventWaitNodeSetEvent(exec, wait, first));
	GIVES(cudaErrorInvalidValue, cudaGraphExecEventRecordNodeSetEvent(exec, record, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphExecEventWaitNodeSetEvent(exec, wait, NULL));
	p.userData = &calls[1];
	OK(cudaGraphExecHostNodeSetParams(exec, call, &p));
	GIVES(cudaErrorInvalidValue, cudaGraphExecHostNodeSetParams(exec, call, NULL));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaEventQuery(second));
	float time;
	OK(cudaEventElapsedTime(&time, second, second));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, first, second)); /* not recorded */
	CHECK(calls[0] == 1 && calls[1] == 1);
	/* The graph itself keeps what it has. */
	OK(cudaGraphHostNodeGetParams(call, &q));
	CHECK(q.fn == count_up && q.userData == &calls[0]);
	p.userData = &calls[2];
	OK(cudaGraphHostNodeSetParams(call, &p));
	OK(cudaGraphHostNodeGetParams(call, &q));
	CHECK(q.userData == &calls[2]);
	OK(cudaGraphEventRecordNodeSetEvent(record, second));
	OK(cudaGraphEventRecordNodeGetEvent(record, &got));
	CHECK(got == second);
	OK(cudaGraphEventWaitNodeSetEvent(wait, first));
	OK(cudaGraphEventWaitNodeGetEvent(wait, &got));
	CHECK(got == first);
	/* Another child for the instance. */
	p.userData = &calls[3];
	OK(cudaGraphHostNodeSetParams(in_child, &p));
	OK(cudaGraphExecChildGraphNodeSetParams(exec, nested, child));
	GIVES(cudaErrorInvalidValue, cudaGraphExecChildGraphNodeSetParams(exec, nested, NULL));
	OK(cudaGraphChildGraphNodeGetGraph(nested, &inner));
	GIVES(cudaErrorInvalidValue, cudaGraphExecChildGraphNodeSetParams(exec, nested, inner)); /* another node's */
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, inner, 0));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(calls[0] == 1 && calls[1] == 2 && calls[3] == 1);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphDestroy(child));
	OK(cudaEventDestroy(first));
	OK(cudaEventDestroy(second));
}

/* A node that waits for an event: for what the event stands for when the graph is launched, also in another stream. */
static void check_waiting(void)
{
	cudaGraph_t graph = new_graph();
	cudaGraphNode_t nodes[2];
	cudaEvent_t event;
	cudaStream_t stream, other;
	int *gate, *back;
	OK(cudaEventCreate(&event));
	OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	OK(cudaMallocHost((void **)&gate, 2 * sizeof *gate));
	back = gate + 1;
	*back = 0;
	OK(cudaGraphAddEventWaitNode(&nodes[0], graph, NULL, 0, event));
	OK(cudaGraphAddMemcpyNode1D(&nodes[1], graph, nodes, 1, back, numbers, sizeof *back, cudaMemcpyDeviceToHost));
	cudaGraphExec_t exec = instance_of(graph);
	OK(cudaMemset(numbers, 0, sizeof *numbers));
	OK(cudaGraphLaunch(exec, stream)); /* never recorded: nothing to wait for */
	OK(cudaStreamSynchronize(stream));
	for (int round = 1; round <= 2; round++) {
		__atomic_store_n(gate, 0, __ATOMIC_RELEASE);
		GIVES(CUDA_SUCCESS, cuStreamWaitValue32_v2((CUstream)other, (CUdeviceptr)(uintptr_t)gate, 1, 1));
		OK(cudaMemsetAsync(numbers, round, 1, other));
		OK(cudaEventRecord(event, other));
		OK(cudaGraphLaunch(exec, stream));
		GIVES(cudaErrorNotReady, cudaStreamQuery(stream));
		__atomic_store_n(gate, 1, __ATOMIC_RELEASE);
		OK(cudaStreamSynchronize(stream));
		CHECK(*back == round);
	}
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFreeHost(gate));
	OK(cudaEventDestroy(event));
	OK(cudaStreamDestroy(stream));
	OK(cudaStreamDestroy(other));
}

/* "Kernel, Memset, and Memcpy nodes". */
static void check_switching(void)
{
	cudaGraph_t graph = new_graph();
	cudaGraphNode_t nodes[4];
	int value = 8, n = N, host = 9, calls = 0;
	unsigned int enabled = 7;
	struct cudaKernelNodeParams kernel = {.func = (void *)(uintptr_t)&fill,
		.gridDim = {1, 1, 1},
		.blockDim = {1, 1, 1},
		.kernelParams = (void *[]){&numbers, &value, &n}};
	struct cudaMemsetParams set = {.dst = numbers, .elementSize = 4, .width = 1, .height = 1, .value = 7};
	struct cudaHostNodeParams call = {count_up, &calls};
	OK(cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &kernel));
	OK(cudaGraphAddMemsetNode(&nodes[1], graph, nodes, 1, &set));
	OK(cudaGraphAddMemcpyNode1D(&nodes[2], graph, nodes, 2, numbers, &host, 4, cudaMemcpyHostToDevice));
	OK(cudaGraphAddHostNode(&nodes[3], graph, NULL, 0, &call));
	cudaGraphExec_t exec = instance_of(graph);
	for (int k = 2; k >= 0; k--) { /* 9, then 7, 8, and nothing is written */
		check_entry = k;
		OK(cudaGraphLaunch(exec, NULL));
		CHECK(first_number() == (k == 2 ? 9 : k == 1 ? 7 : 8));
		OK(cudaGraphNodeGetEnabled(exec, nodes[k], &enabled));
		CHECK(enabled == 1);
		OK(cudaGraphNodeSetEnabled(exec, nodes[k], 0));
		OK(cudaGraphNodeGetEnabled(exec, nodes[k], &enabled));
		CHECK(enabled == 0);
	}
	check_entry = 0;
	OK(cudaMemset(numbers, 0, 4));
	OK(cudaGraphLaunch(exec, NULL));
	CHECK(first_number() == 0 && calls == 4);
	OK(cudaGraphNodeSetEnabled(exec, nodes[2], 5));
	OK(cudaGraphLaunch(exec, NULL));
	CHECK(first_number() == 9);
	GIVES(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, nodes[3], 1));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, nodes[3], &enabled));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, nodes[0], NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(NULL, nodes[0], &enabled));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, NULL, &enabled));
	GIVES(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(nodes[0], NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, nodes[0], NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(nodes[1], NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(exec, nodes[1], NULL));
	kernel.func = NULL;
	GIVES(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(nodes[0], &kernel));
	kernel.func = UNKNOWN;
	GIVES(cudaErrorInvalidDeviceFunction, cudaGraphKernelNodeSetParams(nodes[0], &kernel));
	set.value = 6;
	OK(cudaGraphMemsetNodeSetParams(nodes[1], &set));
	OK(cudaGraphMemsetNodeGetParams(nodes[1], &set));
	CHECK(set.value == 6);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

/* ---- Updates ---- */

enum form { EMPTY, FILLING, COPYING, FROM_HOST, NESTED, NESTED_TWICE };

/* A node of the form, and one after it, or after both, or after none. */
static cudaGraph_t shaped(enum form form, size_t edges)
{
	static int host[N];
	cudaGraph_t graph = new_graph(), child;
	cudaGraphNode_t nodes[3];
	struct cudaMemsetParams set = {.dst = numbers, .elementSize = 4, .width = 1, .height = 1};
	OK(cudaGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
	if (form == EMPTY)
		OK(cudaGraphAddEmptyNode(&nodes[1], graph, NULL, 0));
	else if (form == FILLING)
		OK(cudaGraphAddMemsetNode(&nodes[1], graph, NULL, 0, &set));
	else if (form == COPYING || form == FROM_HOST)
		OK(cudaGraphAddMemcpyNode1D(&nodes[1], graph, NULL, 0, numbers, form == COPYING ? numbers + 8 : host, 4,
			cudaMemcpyDefault));
	else {
		child = new_graph();
		OK(cudaGraphAddEmptyNode(&nodes[1], child, NULL, 0));
		if (form == NESTED_TWICE)
			OK(cudaGraphAddEmptyNode(&nodes[1], child, NULL, 0));
		OK(cudaGraphAddChildGraphNode(&nodes[1], graph, NULL, 0, child));
		OK(cudaGraphDestroy(child));
	}
	OK(cudaGraphAddEmptyNode(&nodes[2], graph, nodes, edges));
	return graph;
}

static void check_updates(void)
{
	static const struct {
		enum form from, to;
		size_t from_edges, to_edges;
		enum cudaGraphExecUpdateResult result;
		int node; /* number of errorNode in the graph that is given; -1: none */
	} updates[] = {
		{EMPTY, EMPTY, 1, 1, cudaGraphExecUpdateSuccess, -1},
		{FILLING, FILLING, 2, 2, cudaGraphExecUpdateSuccess, -1},
		{COPYING, COPYING, 2, 2, cudaGraphExecUpdateSuccess, -1},
		{NESTED, NESTED, 0, 0, cudaGraphExecUpdateSuccess, -1},
		{EMPTY, FILLING, 1, 1, cudaGraphExecUpdateErrorNodeTypeChanged, 1},
		{FILLING, NESTED, 1, 1, cudaGraphExecUpdateErrorNodeTypeChanged, 1},
		{EMPTY, EMPTY, 1, 2, cudaGraphExecUpdateErrorTopologyChanged, 2},
		{EMPTY, EMPTY, 1, 0, cudaGraphExecUpdateErrorTopologyChanged, 2},
		{COPYING, FROM_HOST, 1, 1, cudaGraphExecUpdateErrorParametersChanged, 1},
		{NESTED, NESTED_TWICE, 1, 1, cudaGraphExecUpdateErrorTopologyChanged, -1},
	};
	for (size_t k = 0; k < sizeof updates / sizeof *updates; k++) {
		cudaGraph_t from = shaped(updates[k].from, updates[k].from_edges),
			    to = shaped(updates[k].to, updates[k].to_edges);
		cudaGraphExec_t exec = instance_of(from);
		cudaGraphExecUpdateResultInfo info = {0};
		cudaGraphNode_t nodes[3];
		size_t count = 3;
		check_entry = (int)k;
		OK(cudaGraphGetNodes(to, nodes, &count));
		GIVES(updates[k].result ? cudaErrorGraphExecUpdateFailure : cudaSuccess,
			cudaGraphExecUpdate(exec, to, &info));
		CHECK(info.result == updates[k].result &&
			info.errorNode == (updates[k].node < 0 ? NULL : nodes[updates[k].node]) && !info.errorFromNode);
		OK(cudaGraphLaunch(exec, NULL)); /* it is whole still */
		OK(cudaDeviceSynchronize());
		OK(cudaGraphExecDestroy(exec));
		OK(cudaGraphDestroy(from));
		OK(cudaGraphDestroy(to));
	}
	check_entry = 0;
}

/* ---- Memory ---- */

enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH };

static uint64_t sum_of(int attribute)
{
	uint64_t value = 99;
	OK(cudaDeviceGetGraphMemAttribute(0, attribute, &value));
	return value;
}

static cudaGraphNode_t add_memory(cudaGraph_t graph, size_t bytes, void **pointer)
{
	struct cudaMemAllocNodeParams p = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = bytes};
	cudaGraphNode_t node;
	OK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
	*pointer = p.dptr;
	return node;
}

static void check_memory_arguments(void)
{
	const struct cudaMemAllocNodeParams good = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 64};
	cudaGraph_t graph = new_graph();
	cudaGraphNode_t node;
	uint64_t value = 0;
	for (int k = 0; k < 6; k++) {
		struct cudaMemAllocNodeParams p = good;
		check_entry = k;
		if (k == 1)
			p.bytesize = 0;
		else if (k == 2)
			p.poolProps.allocType = 2;
		else if (k == 3)
			p.poolProps.handleTypes = 1;
		else if (k == 4)
			p.poolProps.location.type = 2;
		else if (k == 5)
			p.poolProps.location.id = 1;
		GIVES(k ? cudaErrorInvalidValue : cudaSuccess, cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
	}
	check_entry = 0;
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&node, graph, NULL, 0, NULL));
	struct cudaMemAllocNodeParams huge = good;
	huge.bytesize = (size_t)1 << 60;
	GIVES(cudaErrorMemoryAllocation, cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &huge));
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&node, graph, NULL, 0, numbers)); /* not a graph's */
	/* In a child that was given away, too: the whole has no copy, and none of its nodes goes. */
	cudaGraph_t whole = new_graph(), inner = new_graph(), copy;
	struct cudaGraphNodeParams given = {.type = cudaGraphNodeTypeGraph, .graph = {inner, 1}};
	void *inside;
	add_memory(inner, 64, &inside);
	OK(cudaGraphAddNode(&node, whole, NULL, NULL, 0, &given));
	GIVES(cudaErrorNotSupported, cudaGraphClone(&copy, whole));
	GIVES(cudaErrorNotSupported, cudaGraphDestroyNode(node));
	GIVES(cudaErrorInvalidValue, cudaGraphDestroy(inner)); /* which is the node's */
	OK(cudaGraphDestroy(whole));
	/* Nodes of memory stay: neither they nor edges can be taken out, and the graph is no node of another. */
	OK(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
	GIVES(cudaErrorNotSupported, cudaGraphDestroyNode(node));
	cudaGraph_t other = new_graph();
	GIVES(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&node, other, NULL, 0, graph));
	OK(cudaGraphDestroy(other));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetGraphMemAttribute(1, USED, &value));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetGraphMemAttribute(0, USED, NULL));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetGraphMemAttribute(0, -1, &value));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetGraphMemAttribute(0, 4, &value));
	GIVES(cudaErrorInvalidDevice, cudaDeviceSetGraphMemAttribute(1, USED_HIGH, &value));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, USED_HIGH, NULL));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, USED, &value));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, RESERVED, &value));
	value = 1;
	GIVES(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, USED_HIGH, &value));
	OK(cudaDeviceGraphMemTrim(0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGraphMemTrim(1));
	OK(cudaGraphDestroy(graph));
}

static void check_sums(void)
{
	cudaGraph_t graph = new_graph();
	uint64_t zero = 0;
	void *a, *b, *freed = NULL;
	cudaGraphNode_t first = add_memory(graph, 4096, &a), free_node;
	struct cudaMemAllocNodeParams q = {.accessDescCount = 9};
	OK(cudaGraphMemAllocNodeGetParams(first, &q));
	CHECK(q.poolProps.allocType == 1 && q.poolProps.location.type == 1 && q.poolProps.location.id == 0 &&
		q.bytesize == 4096 && q.dptr == a && q.accessDescCount == 0);
	CHECK(sum_of(RESERVED) == 4096);
	add_memory(graph, 1024, &b);
	OK(cudaGraphAddMemFreeNode(&free_node, graph, &first, 1, a));
	OK(cudaGraphMemFreeNodeGetParams(free_node, &freed));
	CHECK(freed == a);
	CHECK(sum_of(USED) == 0 && sum_of(RESERVED) == 5120 && sum_of(RESERVED_HIGH) >= 5120);
	cudaGraphExec_t exec = instance_of(graph);
	OK(cudaGraphLaunch(exec, NULL));
	CHECK(sum_of(USED) == 1024 && sum_of(USED_HIGH) >= 4096);
	OK(cudaDeviceSetGraphMemAttribute(0, USED_HIGH, &zero)); /* "The value must be 0": it begins anew */
	CHECK(sum_of(USED_HIGH) == 1024);
	OK(cudaFree(b));
	CHECK(sum_of(USED) == 0 && sum_of(USED_HIGH) == 1024);
	/* With the instance, not one more at a time; without, again. */
	cudaGraphExec_t second;
	GIVES(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	for (int k = 0; k < 2; k++) { /* "automatically free memory allocated in a graph before relaunching" */
		OK(cudaGraphLaunch(exec, NULL));
		OK(cudaDeviceSynchronize());
		CHECK(sum_of(USED) == 1024);
	}
	OK(cudaFreeAsync(b, NULL));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	CHECK(sum_of(RESERVED) == 0 && sum_of(RESERVED_HIGH) >= 5120);
	OK(cudaDeviceSetGraphMemAttribute(0, RESERVED_HIGH, &zero));
	CHECK(sum_of(RESERVED_HIGH) == 0 && sum_of(USED_HIGH) >= 1024);
	struct cudaPointerAttributes attributes;
	OK(cudaPointerGetAttributes(&attributes, b));
	CHECK(attributes.type == cudaMemoryTypeUnregistered); /* it is no memory any more */
}

/* What outlives its graph goes when it is freed; and a launch that cannot be, since it frees what is not there, changes
 * nothing. */
static void check_outliving(void)
{
	cudaGraph_t graph = new_graph(), other = new_graph();
	struct cudaPointerAttributes attributes;
	size_t before, after, all;
	void *a, *b;
	cudaGraphNode_t node;
	OK(cudaMemGetInfo(&before, &all));
	add_memory(graph, 4096, &a);
	cudaGraphExec_t exec = instance_of(graph), second;
	OK(cudaGraphLaunch(exec, NULL));
	add_memory(other, 512, &b);
	OK(cudaGraphAddMemFreeNode(&node, other, NULL, 0, a));
	second = instance_of(other);
	OK(cudaGraphLaunch(second, NULL)); /* allocates b, frees a */
	CHECK(sum_of(USED) == 512);
	OK(cudaFree(b));
	GIVES(cudaErrorInvalidValue, cudaGraphLaunch(second, NULL)); /* a is not allocated */
	CHECK(sum_of(USED) == 0);
	GIVES(cudaErrorInvalidValue, cudaFree(b));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaGraphLaunch(second, NULL));
	OK(cudaGraphExecDestroy(second));
	OK(cudaGraphDestroy(other));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph)); /* b lives on */
	OK(cudaPointerGetAttributes(&attributes, b));
	CHECK(attributes.type == cudaMemoryTypeDevice);
	OK(cudaMemset(b, 1, 512));
	GIVES(cudaErrorInvalidValue, cudaFreeHost(b));
	OK(cudaFree(b));
	OK(cudaPointerGetAttributes(&attributes, b));
	CHECK(attributes.type == cudaMemoryTypeUnregistered);
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before == after && sum_of(RESERVED) == 0);
}

/* ---- Objects of the application's ---- */

static void check_user_objects(void)
{
	cudaGraph_t graph = new_graph();
	cudaUserObject_t objects[3];
	int calls[3] = {0};
	for (int k = 0; k < 3; k++) {
		OK(cudaUserObjectCreate(&objects[k], &calls[k], count_up, 1, cudaUserObjectNoDestructorSync));
		OK(cudaGraphRetainUserObject(graph, objects[k], 1, cudaGraphUserObjectMove));
	}
	OK(cudaGraphReleaseUserObject(graph, objects[0], 1)); /* the others are the graph's still */
	CHECK(calls[0] == 1 && !calls[1] && !calls[2]);
	OK(cudaGraphReleaseUserObject(graph, objects[2], 1));
	CHECK(calls[2] == 1 && !calls[1]);
	GIVES(cudaErrorInvalidValue, cudaGraphReleaseUserObject(graph, objects[1], 2));
	GIVES(cudaErrorInvalidValue, cudaGraphReleaseUserObject(NULL, objects[1], 1));
	GIVES(cudaErrorInvalidValue, cudaGraphReleaseUserObject(graph, NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaGraphRetainUserObject(NULL, objects[1], 1, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphRetainUserObject(graph, objects[1], 0, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphRetainUserObject(graph, objects[1], (unsigned int)INT32_MAX + 1, 0));
	GIVES(cudaErrorInvalidValue, cudaUserObjectRetain(NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaUserObjectRetain(objects[1], (unsigned int)INT32_MAX + 1));
	GIVES(cudaErrorInvalidValue, cudaUserObjectRelease(NULL, 1));
	cudaUserObject_t object;
	GIVES(cudaErrorInvalidValue, cudaUserObjectCreate(&object, calls, count_up, (unsigned int)INT32_MAX + 1,
					     cudaUserObjectNoDestructorSync));
	OK(cudaUserObjectCreate(&object, &calls[0], count_up, INT32_MAX, cudaUserObjectNoDestructorSync));
	OK(cudaUserObjectRelease(object, INT32_MAX));
	CHECK(calls[0] == 2);
	OK(cudaGraphDestroy(graph));
	CHECK(calls[1] == 1);
	/* A clone holds once, however often the graph does, and an instance as well. */
	cudaGraph_t clone;
	graph = new_graph();
	OK(cudaUserObjectCreate(&object, &calls[2], count_up, 3, cudaUserObjectNoDestructorSync));
	OK(cudaGraphRetainUserObject(graph, object, 3, cudaGraphUserObjectMove));
	OK(cudaGraphClone(&clone, graph));
	cudaGraphExec_t exec = instance_of(graph);
	OK(cudaGraphReleaseUserObject(graph, object, 3));
	GIVES(cudaErrorInvalidValue, cudaGraphReleaseUserObject(graph, object, 1));
	OK(cudaGraphDestroy(graph));
	GIVES(cudaErrorInvalidValue, cudaGraphReleaseUserObject(clone, object, 2));
	OK(cudaGraphExecDestroy(exec));
	CHECK(calls[2] == 1);
	OK(cudaGraphDestroy(clone));
	CHECK(calls[2] == 2);
}

int main(void)
{
	OK(cudaMalloc((void **)&numbers, N * sizeof *numbers));
	check_arguments();
	check_questions();
	check_copies();
	check_arrays();
	check_events_and_calls();
	check_waiting();
	check_switching();
	check_updates();
	check_memory_arguments();
	check_sums();
	check_outliving();
	check_user_objects();
	OK(cudaFree(numbers));
	return 0;
}
