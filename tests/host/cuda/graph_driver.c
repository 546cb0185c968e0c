/* Graphs by the driver's interface, and what only it has: conditional nodes, nodes that write words and wait for them,
 * attributes of kernel nodes, parameters of copies.  CUDA Driver API 13.0, "Graph Management". */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdint.h>

EMBED(code, "conditional.fatbin");

enum { N = 64, GEQ = 0, EQ = 1, WAIT_32 = 1, WRITE_32 = 2, FLUSH = 3, WRITE_64 = 5, BARRIER = 6 };
enum { ACCESS_WINDOW = 1, COOPERATIVE = 2, SYNCHRONIZATION = 3, CLUSTER = 4, PRIORITY = 8 };

static CUcontext context;
static int *numbers;
static uint32_t *words;

static CUdeviceptr at(const void *pointer)
{
	return (CUdeviceptr)(uintptr_t)pointer;
}

static cudaGraphExec_t instance_of(cudaGraph_t graph)
{
	cudaGraphExec_t exec;
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	return exec;
}

static void launch(cudaGraphExec_t exec)
{
	OK(cuGraphLaunch(exec, NULL));
	OK(cuStreamSynchronize(NULL));
}

static int number_at(const void *device)
{
	int number;
	OK(cuMemcpyDtoH_v2(&number, at(device), sizeof number));
	return number;
}

/* ---- Conditional nodes ---- */

static void check_conditional(void)
{
	CUmodule module;
	CUfunction set, note;
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphConditionalHandle handle;
	int host[4];
	unsigned value = 1;
	OK(cuModuleLoadData(&module, code));
	OK(cuModuleGetFunction(&set, module, "set"));
	OK(cuModuleGetFunction(&note, module, "note"));
	OK(cuGraphCreate(&graph, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphConditionalHandleCreate(&handle, graph, NULL, 0, 0));
	OK(cuGraphConditionalHandleCreate(&handle, graph, context, 0, 0));
	CUDA_KERNEL_NODE_PARAMS kernel = {
		.node = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = (void *[]){&handle, &value}},
		.kernel = set};
	OK(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &kernel));
	struct cudaGraphNodeParams p = {
		.type = cudaGraphNodeTypeConditional, .conditional = {handle, cudaGraphCondTypeSwitch, 2, NULL}};
	OK(cuGraphAddNode_v2(&node, graph, &node, NULL, 1, &p));
	for (int k = 0; k < 2; k++) {
		kernel.kernel = note;
		kernel.node.kernelParams = (void *[]){&numbers, &k};
		OK(cuGraphAddKernelNode_v2(&node, p.conditional.phGraph_out[k], NULL, 0, &kernel));
	}
	OK(cuMemsetD32_v2(at(numbers), 0, N));
	cudaGraphExec_t exec = instance_of(graph);
	launch(exec);
	OK(cuMemcpyDtoH_v2(host, at(numbers), sizeof host));
	CHECK(host[0] == 1 && host[1] == 1);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuModuleUnload(module));
}

/* ---- Words ---- */

/* Writes, waits for what it has written, and waits for another stream. */
static void check_words(void)
{
	CUstream stream;
	cudaGraph_t graph;
	cudaGraphNode_t node, filled;
	enum cudaGraphNodeType type;
	int value = 3, n = N;
	CUstreamBatchMemOpParams ops[] = {{.word = {WRITE_32, at(words), 5, 0, 0}}, {.operation = BARRIER},
		{.word = {WAIT_32, at(words), 5, EQ, 0}}, {.word = {WRITE_64, at(words + 2), 1ull << 40, 0, 0}},
		{.word = {WAIT_32, at(words + 1), 9, GEQ, 0}}};
	CUDA_BATCH_MEM_OP_NODE_PARAMS p = {context, 5, ops, 0}, got;
	CUDA_KERNEL_NODE_PARAMS kernel = {.node = {.gridDim = {1, 1, 1},
						  .blockDim = {32, 1, 1},
						  .kernelParams = (void *[]){&numbers, &value, &n}}};
	OK(cudaGetFuncBySymbol(&kernel.kernel, &fill));
	OK(cuStreamCreate(&stream, 1));
	OK(cuMemsetD32_v2(at(words), 0, 8));
	OK(cuMemsetD32_v2(at(numbers), 0, N));
	OK(cuStreamSynchronize(NULL));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p));
	OK(cuGraphAddKernelNode_v2(&filled, graph, &node, 1, &kernel));
	OK(cuGraphNodeGetType(node, &type));
	CHECK(type == cudaGraphNodeTypeBatchMemOp && type == 12);
	cudaGraphExec_t exec = instance_of(graph);
	OK(cuGraphLaunch(exec, stream));
	GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
	CHECK(number_at(words) == 5 && number_at(words + 3) == 256 && number_at(numbers) == 0);
	OK(cuStreamWriteValue32_v2(NULL, at(words + 1), 10, 0));
	OK(cuStreamSynchronize(stream));
	CHECK(number_at(numbers) == 3);
	/* Parameters that are asked for, and changed. */
	OK(cuGraphBatchMemOpNodeGetParams(node, &got));
	CHECK(got.count == 5 && got.paramArray != ops && !memcmp(got.paramArray, ops, sizeof ops));
	ops[0].word.value = 6;
	p.count = 1;
	OK(cuGraphExecBatchMemOpNodeSetParams(exec, node, &p));
	launch(exec);
	CHECK(number_at(words) == 6);
	p.count = 2;
	OK(cuGraphBatchMemOpNodeSetParams(node, &p));
	OK(cuGraphBatchMemOpNodeGetParams(node, &got));
	CHECK(got.count == 2 && got.paramArray[0].word.value == 6);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphBatchMemOpNodeGetParams(filled, &got));
	ops[0].word.address += 2;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p));
	ops[0].operation = FLUSH;
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p));
	p.flags = 1;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuStreamDestroy_v2(stream));
}

/* ---- Attributes ---- */

union value {
	char bytes[64];
	int number;
	dim3 size;
};

/* A kernel that synchronises its grid, which it can when it is cooperative; other parameters leave it so. */
static void check_attributes(void)
{
	cudaGraph_t graph;
	cudaGraphNode_t node, other;
	int n = N, *x = numbers, *y = numbers + N;
	union value value = {.number = 1}, got = {{0}}, window;
	CUDA_KERNEL_NODE_PARAMS kernel = {
		.node = {.gridDim = {2, 1, 1}, .blockDim = {32, 1, 1}, .kernelParams = (void *[]){&x, &y, &n}}};
	OK(cudaGetFuncBySymbol(&kernel.kernel, &rounds));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &kernel));
	OK(cuGraphKernelNodeGetAttribute(node, COOPERATIVE, &got));
	CHECK(got.number == 0);
	OK(cuGraphKernelNodeSetAttribute(node, COOPERATIVE, &value));
	OK(cuGraphKernelNodeSetParams_v2(node, &kernel));
	OK(cuGraphKernelNodeGetAttribute(node, COOPERATIVE, &got));
	CHECK(got.number == 1);
	OK(cuMemsetD32_v2(at(y), 0, N));
	cudaGraphExec_t exec = instance_of(graph);
	OK(cuGraphExecKernelNodeSetParams_v2(exec, node, &kernel));
	launch(exec);
	CHECK(number_at(y) == 10000); /* 0 + 1,000 + ... + 4,000, by groups that wait for each other */
	/* Hints are kept; what is no attribute of a node is refused. */
	memset(&window, 7, sizeof window);
	value.number = -3;
	OK(cuGraphKernelNodeSetAttribute(node, PRIORITY, &value));
	OK(cuGraphKernelNodeSetAttribute(node, ACCESS_WINDOW, &window));
	OK(cuGraphAddKernelNode_v2(&other, graph, NULL, 0, &kernel));
	OK(cuGraphKernelNodeGetAttribute(other, PRIORITY, &got));
	CHECK(got.number == 0);
	OK(cuGraphKernelNodeCopyAttributes(other, node));
	OK(cuGraphKernelNodeGetAttribute(other, PRIORITY, &got));
	CHECK(got.number == -3);
	OK(cuGraphKernelNodeGetAttribute(other, ACCESS_WINDOW, &got));
	CHECK(!memcmp(&got, &window, sizeof got));
	OK(cuGraphKernelNodeGetAttribute(other, COOPERATIVE, &got));
	CHECK(got.number == 1);
	value.size = (dim3){2, 1, 1}; /* no model has clusters but h200 */
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuGraphKernelNodeSetAttribute(node, CLUSTER, &value));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeSetAttribute(node, SYNCHRONIZATION, &value));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetAttribute(node, 16, &value));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetAttribute(node, -1, &value));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetAttribute(NULL, PRIORITY, &value));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* ---- Copies, and edges ---- */

static void check_copies(void)
{
	cudaGraph_t graph;
	cudaGraphNode_t node;
	int host[N] = {0};
	CUDA_MEMCPY3D got, copy = {.srcMemoryType = 2,
				   .srcDevice = at(numbers),
				   .dstMemoryType = 1,
				   .dstHost = host,
				   .WidthInBytes = 16,
				   .srcPitch = 32,
				   .Height = 2,
				   .Depth = 1};
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
	OK(cuGraphMemcpyNodeGetParams(node, &got));
	CHECK(got.srcMemoryType == 2 && got.srcDevice == at(numbers) && got.srcPitch == 32 && !got.srcHost);
	CHECK(got.dstMemoryType == 1 && got.dstHost == host && !got.dstDevice);
	CHECK(got.WidthInBytes == 16 && got.Height == 2 && got.Depth == 1);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphMemcpyNodeGetParams(node, NULL));
	OK(cuGraphDestroy(graph));
}

/* A programmatic edge comes after all the same: "griddepcontrol" has nothing to wait for. */
static void check_edges(void)
{
	const cudaGraphEdgeData early = {.from_port = 1, .type = 1}, wrong = {.from_port = 3, .type = 1};
	int one = 1, two = 2, n = N;
	cudaGraph_t graph;
	cudaGraphNode_t first, second, empty;
	CUDA_KERNEL_NODE_PARAMS kernel = {
		.node = {.gridDim = {1, 1, 1}, .blockDim = {32, 1, 1}, .kernelParams = (void *[]){&numbers, &one, &n}}};
	OK(cudaGetFuncBySymbol(&kernel.kernel, &fill));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddKernelNode_v2(&first, graph, NULL, 0, &kernel));
	kernel.node.kernelParams = (void *[]){&numbers, &two, &n};
	OK(cuGraphAddKernelNode_v2(&second, graph, NULL, 0, &kernel));
	OK(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddDependencies_v2(graph, &first, &second, &wrong, 1));
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddDependencies_v2(graph, &first, &empty, &early, 1));
	OK(cuGraphAddDependencies_v2(graph, &first, &second, &early, 1));
	cudaGraphExec_t exec = instance_of(graph);
	launch(exec);
	CHECK(number_at(numbers) == 2);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

int main(void)
{
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cudaMalloc((void **)&numbers, 2 * N * sizeof *numbers));
	OK(cudaMalloc((void **)&words, 8 * sizeof *words));
	check_conditional();
	check_words();
	check_attributes();
	check_copies();
	check_edges();
	OK(cudaFree(numbers));
	OK(cudaFree(words));
	return 0;
}
