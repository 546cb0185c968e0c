/* Graphs made node by node: edges, replays, parameters, child graphs, events, memory of their own, updates.
 * Expectations: CUDA Runtime API 13.0, "Graph Management". */
#include "kernels.h"

#include <stdint.h>

enum { N = 64 };

static int *numbers;

static void check_all(int expected)
{
	int host[N];
	OK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(host[i] == expected);
}

static cudaGraphNode_t add_fill(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, int value)
{
	cudaGraphNode_t node;
	int n = N;
	struct cudaKernelNodeParams p = {.func = (void *)(uintptr_t)&fill,
		.gridDim = {1, 1, 1},
		.blockDim = {32, 1, 1},
		.kernelParams = (void *[]){&numbers, &value, &n}};
	OK(cudaGraphAddKernelNode(&node, graph, after, count, &p)); /* value and n may go now */
	return node;
}

struct sum {
	int *from, total, calls;
};

static void add_up(void *data)
{
	struct sum *sum = data;
	sum->calls++;
	for (int i = 0; i < N; i++)
		sum->total += sum->from[i];
}

/* memset to 3 -> host <- copy <- kernel: each launch does all of it again, in this order. */
static void check_chain(void)
{
	cudaGraph_t graph, clone;
	cudaGraphExec_t exec;
	cudaGraphNode_t nodes[4], found;
	enum cudaGraphNodeType type;
	int *host;
	size_t count;
	OK(cudaMallocHost((void **)&host, N * sizeof *host));
	struct sum sum = {host, 0, 0};
	struct cudaMemsetParams set = {.dst = numbers, .value = 3, .elementSize = 4, .width = N, .height = 1};
	struct cudaHostNodeParams call = {add_up, &sum};
	OK(cudaGraphCreate(&graph, 0));
	nodes[0] = add_fill(graph, NULL, 0, 7);
	OK(cudaGraphAddMemcpyNode1D(
		&nodes[1], graph, &nodes[0], 1, host, numbers, N * sizeof *host, cudaMemcpyDeviceToHost));
	OK(cudaGraphAddMemsetNode(&nodes[2], graph, NULL, 0, &set));
	OK(cudaGraphAddDependencies(graph, &nodes[1], &nodes[2], NULL, 1));
	OK(cudaGraphAddHostNode(&nodes[3], graph, &nodes[1], 1, &call));
	GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &nodes[1], &nodes[2], NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&found, graph, NULL, 1, &set));
	OK(cudaGraphGetNodes(graph, NULL, &count));
	CHECK(count == 4);
	OK(cudaGraphGetRootNodes(graph, NULL, &count));
	CHECK(count == 1);
	OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
	CHECK(count == 3);
	OK(cudaGraphNodeGetDependentNodes(nodes[1], NULL, NULL, &count));
	CHECK(count == 2);
	OK(cudaGraphNodeGetType(nodes[3], &type));
	CHECK(type == cudaGraphNodeTypeHost);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	for (int launch = 1; launch <= 3; launch++) {
		OK(cudaGraphLaunch(exec, NULL));
		OK(cudaDeviceSynchronize());
		CHECK(sum.calls == launch && sum.total == launch * N * 7);
		check_all(3);
	}

	/* An instance is a copy: its nodes are changed by those they were made from. */
	call.userData = &(struct sum){host, 0, 0};
	set.value = 9;
	OK(cudaGraphExecMemsetNodeSetParams(exec, nodes[2], &set));
	OK(cudaGraphExecHostNodeSetParams(exec, nodes[3], &call));
	OK(cudaGraphLaunch(exec, NULL));
	check_all(9);
	CHECK(sum.calls == 3 && ((struct sum *)call.userData)->total == N * 7);
	OK(cudaGraphMemsetNodeGetParams(nodes[2], &set));
	CHECK(set.value == 3 && set.width == N && set.elementSize == 4);

	OK(cudaGraphNodeSetEnabled(exec, nodes[2], 0));
	OK(cudaGraphLaunch(exec, NULL));
	check_all(7);
	/* Only "kernel, memset and memcpy nodes" can be disabled (Runtime API 13.0, cudaGraphNodeSetEnabled). */
	GIVES(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, nodes[3], 0));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(NULL, nodes[2], 0));

	OK(cudaGraphClone(&clone, graph));
	OK(cudaGraphNodeFindInClone(&found, nodes[2], clone));
	CHECK(found != nodes[2]);
	OK(cudaGraphDestroyNode(found));
	OK(cudaGraphGetEdges(clone, NULL, NULL, NULL, &count));
	CHECK(count == 2);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(clone));
	OK(cudaGraphDestroy(graph));
	OK(cudaFreeHost(host));
}

/* Two kernels that wait for each other, without an edge between them; then with edges in a ring, which is no graph to
 * run. */
static void check_together(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec = NULL;
	cudaGraphNode_t nodes[2];
	int *flags, *a, *b;
	OK(cudaMalloc((void **)&flags, 1024));
	OK(cudaMemset(flags, 0, 1024));
	a = flags, b = flags + 128;
	OK(cudaGraphCreate(&graph, 0));
	struct cudaKernelNodeParams p = {.func = (void *)(uintptr_t)&meet,
		.gridDim = {1, 1, 1},
		.blockDim = {1, 1, 1},
		.kernelParams = (void *[]){&a, &b}};
	OK(cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &p));
	p.kernelParams = (void *[]){&b, &a};
	OK(cudaGraphAddKernelNode(&nodes[1], graph, NULL, 0, &p));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphAddDependencies(graph, nodes, nodes + 1, NULL, 1));
	OK(cudaGraphAddDependencies(graph, nodes + 1, nodes, NULL, 1));
	cudaGraphInstantiateParams how = {0};
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &how));
	CHECK(how.result_out == cudaGraphInstantiateInvalidStructure);
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(flags));
}

/* A child graph between two nodes, and an event that is recorded behind it. */
static void check_child(void)
{
	cudaGraph_t child, graph, inner;
	cudaGraphExec_t exec;
	cudaGraphNode_t nodes[4];
	cudaEvent_t event;
	int host[N];
	size_t count;
	OK(cudaEventCreate(&event));
	OK(cudaGraphCreate(&child, 0));
	nodes[0] = add_fill(child, NULL, 0, 20);
	add_fill(child, nodes, 1, 21);
	OK(cudaGraphCreate(&graph, 0));
	nodes[0] = add_fill(graph, NULL, 0, 5);
	OK(cudaGraphAddChildGraphNode(&nodes[1], graph, nodes, 1, child));
	OK(cudaGraphDestroy(child)); /* the node has a copy */
	OK(cudaGraphAddMemcpyNode1D(
		&nodes[2], graph, &nodes[1], 1, host, numbers, sizeof host, cudaMemcpyDeviceToHost));
	OK(cudaGraphAddEventRecordNode(&nodes[3], graph, &nodes[2], 1, event));
	OK(cudaGraphChildGraphNodeGetGraph(nodes[1], &inner));
	OK(cudaGraphGetNodes(inner, NULL, &count));
	CHECK(count == 2);
	GIVES(cudaErrorInvalidValue, cudaGraphDestroy(inner));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cudaGraphDestroy(graph)); /* the instance, too */
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaEventSynchronize(event));
	for (int i = 0; i < N; i++)
		CHECK(host[i] == 21);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaEventDestroy(event));
}

/* The arguments that a node has kept, and others in their place; a launch that is enqueued keeps its own. */
static void check_parameters(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	int value = 40, n = N, *host;
	struct cudaKernelNodeParams p;
	OK(cudaMallocHost((void **)&host, 2 * sizeof *host));
	OK(cudaStreamCreate(&stream));
	OK(cudaGraphCreate(&graph, 0));
	cudaGraphNode_t node = add_fill(graph, NULL, 0, 30);
	OK(cudaGraphKernelNodeGetParams(node, &p));
	CHECK(p.func == &fill && p.blockDim.x == 32 && *(int *)p.kernelParams[1] == 30 &&
		*(int **)p.kernelParams[0] == numbers);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaMemcpyAsync(&host[0], numbers, sizeof *host, cudaMemcpyDeviceToHost, stream));
	p.kernelParams = (void *[]){&numbers, &value, &n};
	OK(cudaGraphExecKernelNodeSetParams(exec, node, &p));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaMemcpyAsync(&host[1], numbers, sizeof *host, cudaMemcpyDeviceToHost, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(host[0] == 30 && host[1] == 40);
	p.blockDim.x = 100000;
	GIVES(cudaErrorInvalidConfiguration, cudaGraphKernelNodeSetParams(node, &p));

	/* The whole instance from another graph of the same form, and of another. */
	cudaGraph_t other;
	cudaGraphExecUpdateResultInfo info;
	OK(cudaGraphCreate(&other, 0));
	node = add_fill(other, NULL, 0, 50);
	OK(cudaGraphExecUpdate(exec, other, &info));
	CHECK(info.result == cudaGraphExecUpdateSuccess);
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	check_all(50);
	add_fill(other, &node, 1, 60);
	GIVES(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
	CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && !info.errorNode);
	OK(cudaGraphDestroy(other));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(stream));
	OK(cudaFreeHost(host));
}

/* A slice of rows in two dimensions, of which the middle is copied. */
static void check_box(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	char host[4][8], back[2][4] = {0};
	char *device;
	struct cudaMemcpy3DParms p = {
		.srcPos = {2, 1, 0}, .dstPtr = {back, 4, 4, 2}, .extent = {4, 2, 1}, .kind = cudaMemcpyDeviceToHost};
	for (int i = 0; i < 32; i++)
		host[i / 8][i % 8] = (char)i;
	OK(cudaMalloc((void **)&device, sizeof host));
	OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
	p.srcPtr = (struct cudaPitchedPtr){device, 8, 8, 4};
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
	p.extent.height = 4;
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p)); /* past the allocation's end */
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(back[0][0] == 10 && back[0][3] == 13 && back[1][0] == 18 && back[1][3] == 21);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(device));
}

/* Memory that a launch allocates and the application frees. */
static void check_memory(void)
{
	cudaGraph_t graph, freeing;
	cudaGraphExec_t exec, second;
	cudaGraphNode_t nodes[2];
	struct cudaMemAllocNodeParams p = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 4096};
	struct cudaMemsetParams set = {.value = 8, .elementSize = 1, .width = 4096, .height = 1};
	uint64_t used;
	char host[4096];
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &p));
	set.dst = p.dptr;
	OK(cudaGraphAddMemsetNode(&nodes[1], graph, nodes, 1, &set));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	GIVES(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));
	GIVES(cudaErrorNotSupported, cudaGraphClone(&freeing, graph));
	GIVES(cudaErrorInvalidValue, cudaFree(p.dptr)); /* not allocated yet */
	OK(cudaGraphLaunch(exec, NULL));
	GIVES(cudaErrorInvalidValue, cudaGraphLaunch(exec, NULL)); /* still allocated */
	OK(cudaDeviceGetGraphMemAttribute(0, 0, &used));
	CHECK(used == 4096);
	OK(cudaMemcpy(host, p.dptr, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host[0] == 8 && host[4095] == 8);
	OK(cudaFreeAsync(p.dptr, NULL));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaFree(p.dptr));
	OK(cudaDeviceGetGraphMemAttribute(0, 0, &used));
	CHECK(used == 0);

	/* Freed by a launch of another graph. */
	OK(cudaGraphCreate(&freeing, 0));
	OK(cudaGraphAddMemFreeNode(&nodes[0], freeing, NULL, 0, p.dptr));
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&nodes[1], freeing, NULL, 0, p.dptr));
	OK(cudaGraphInstantiate(&second, freeing, 0));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaGraphLaunch(second, NULL));
	OK(cudaDeviceSynchronize());
	GIVES(cudaErrorInvalidValue, cudaFree(p.dptr));
	OK(cudaGraphExecDestroy(second)); /* the graph's own node is there still */
	GIVES(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&nodes[1], freeing, NULL, 0, p.dptr));
	OK(cudaGraphDestroy(freeing));
	OK(cudaGraphCreate(&freeing, 0));
	OK(cudaGraphAddMemFreeNode(&nodes[0], freeing, NULL, 0, p.dptr));
	OK(cudaGraphDestroy(freeing));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaDeviceGetGraphMemAttribute(0, 2, &used));
	CHECK(used == 0);
}

static void count_up(void *data)
{
	++*(int *)data;
}

static void check_objects(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaUserObject_t object;
	int destroyed = 0;
	OK(cudaUserObjectCreate(&object, &destroyed, count_up, 1, cudaUserObjectNoDestructorSync));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphDestroy(graph));
	CHECK(!destroyed);
	OK(cudaGraphExecDestroy(exec));
	CHECK(destroyed == 1);
}

int main(void)
{
	OK(cudaMalloc((void **)&numbers, N * sizeof *numbers));
	check_chain();
	check_together();
	check_child();
	check_parameters();
	check_box();
	check_memory();
	check_objects();
	OK(cudaFree(numbers));
	return 0;
}
