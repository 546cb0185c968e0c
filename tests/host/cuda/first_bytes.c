/* What memory holds before a program writes it, where another allocation was before: docs/undefined.md.  CUDA leaves it
 * open. */
#include "kernels.h"

#define BYTES ((size_t)300000)
#define PITCHED_ROWS 40
#define COLUMNS 64

static char host[BYTES];

static void expect_zero(const void *memory, size_t bytes)
{
	memset(host, 1, bytes);
	OK(cudaMemcpy(host, memory, bytes, cudaMemcpyDefault));
	for (size_t k = 0; k < bytes; k++)
		CHECK(!host[k]);
}

static cudaError_t device(void **at, size_t bytes)
{
	return cudaMalloc(at, bytes);
}

static cudaError_t managed(void **at, size_t bytes)
{
	return cudaMallocManaged(at, bytes, cudaMemAttachGlobal);
}

static cudaError_t pinned(void **at, size_t bytes)
{
	return cudaMallocHost(at, bytes);
}

static cudaError_t pitched(void **at, size_t bytes)
{
	size_t pitch;
	return cudaMallocPitch(at, &pitch, bytes / PITCHED_ROWS, PITCHED_ROWS);
}

static cudaError_t ordered(void **at, size_t bytes)
{
	return cudaMallocAsync(at, bytes, NULL);
}

static cudaError_t free_ordered(void *at)
{
	return cudaFreeAsync(at, NULL);
}

static const struct {
	cudaError_t (*allocate)(void **at, size_t bytes);
	cudaError_t (*free)(void *at);
} ways[] = {
	{device, cudaFree}, {managed, cudaFree}, {pinned, cudaFreeHost}, {pitched, cudaFree}, {ordered, free_ordered}};

/* Each kind of memory behind each other. */
static void check_allocations(void)
{
	const size_t count = sizeof ways / sizeof *ways, sizes[] = {100, 5000, BYTES};
	for (size_t k = 0; k < count * count * 3; k++) {
		size_t first = k / 3 / count, second = k / 3 % count, bytes = sizes[k % 3];
		void *at;
		OK(ways[first].allocate(&at, bytes));
		OK(cudaMemset(at, 0xee, bytes));
		OK(ways[first].free(at));
		OK(cudaDeviceSynchronize());
		OK(ways[second].allocate(&at, bytes));
		expect_zero(at, bytes / PITCHED_ROWS);
		OK(ways[second].free(at));
		OK(cudaDeviceSynchronize());
	}
}

static void check_arrays(void)
{
	struct cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
	static unsigned rows[COLUMNS][COLUMNS];
	for (int k = 0; k < 2; k++) {
		cudaArray_t array;
		OK(cudaMallocArray(&array, &words, COLUMNS, COLUMNS, 0));
		OK(cudaMemcpy2DFromArray(
			rows, sizeof rows[0], array, 0, 0, sizeof rows[0], COLUMNS, cudaMemcpyDeviceToHost));
		for (int r = 0; r < COLUMNS; r++)
			for (int c = 0; c < COLUMNS; c++)
				CHECK(!rows[r][c]);
		memset(rows, 0xee, sizeof rows);
		OK(cudaMemcpy2DToArray(
			array, 0, 0, rows, sizeof rows[0], sizeof rows[0], COLUMNS, cudaMemcpyHostToDevice));
		OK(cudaFreeArray(array));
	}
}

/* Memory of a graph is 0 when its node is made; later launches find what the one before left. */
static void check_graph(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	struct cudaMemAllocNodeParams p = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 4096};
	void *before;
	char byte = 0;
	OK(cudaMalloc(&before, 4096));
	OK(cudaMemset(before, 0xee, 4096));
	OK(cudaFree(before));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, NULL));
	expect_zero(p.dptr, 4096);
	OK(cudaMemset(p.dptr, 8, 4096));
	OK(cudaFree(p.dptr));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaMemcpy(&byte, p.dptr, 1, cudaMemcpyDeviceToHost));
	CHECK(byte == 8);
	OK(cudaFree(p.dptr));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

int main(void)
{
	check_allocations();
	check_arrays();
	check_graph();
	puts("passed");
	return 0;
}
