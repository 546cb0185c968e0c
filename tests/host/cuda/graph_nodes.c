/* Nodes of graphs, type by type: what is asked of a node is what it was made with; wrong parameters; the drawing; user
 * objects. CUDA Runtime API 13.0, "Graph Management". */
#include "kernels.h"

#include <stdint.h>

static cudaGraph_t graph;
static char *memory; /* 4,096 bytes of the device */
static int calls;

static void count(void *data)
{
	calls += *(int *)data;
}

static void check_copies(void)
{
	static char host[256];
	cudaGraphNode_t node, other;
	struct cudaMemcpy3DParms p = {.srcPtr = {host, 16, 16, 4},
					 .srcPos = {1, 2, 1},
					 .dstPtr = {memory, 32, 32, 8},
					 .dstPos = {3, 1, 2},
					 .extent = {5, 2, 2},
					 .kind = cudaMemcpyHostToDevice},
				 q;

	OK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
	OK(cudaGraphMemcpyNodeGetParams(node, &q));
	CHECK(q.extent.width == 5 && q.extent.height == 2 && q.extent.depth == 2 && q.kind == cudaMemcpyHostToDevice);
	CHECK(q.srcPtr.pitch == 16 && q.srcPtr.ysize == 4 && q.dstPtr.pitch == 32 && q.dstPtr.ysize == 8);
	/* The same places, be they in the pointer or in the position. */
	CHECK((char *)q.srcPtr.ptr + q.srcPos.z * 64 + q.srcPos.y * 16 + q.srcPos.x == host + 64 + 2 * 16 + 1);
	CHECK((char *)q.dstPtr.ptr + q.dstPos.z * 256 + q.dstPos.y * 32 + q.dstPos.x == memory + 2 * 256 + 32 + 3);
	q.extent.width = 17;
	GIVES(cudaErrorInvalidPitchValue, cudaGraphMemcpyNodeSetParams(node, &q));
	for (int k = 0; k < 3; k++) {
		q = p;
		*(k == 0 ? &q.extent.width : k == 1 ? &q.extent.height : &q.extent.depth) = 0;
		GIVES(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams(node, &q));
	}
	OK(cudaGraphMemcpyNodeSetParams1D(node, memory + 8, host + 4, 100, cudaMemcpyHostToDevice));
	OK(cudaGraphMemcpyNodeGetParams(node, &q));
	CHECK(q.srcPtr.ptr == host + 4 && q.dstPtr.ptr == memory + 8 && q.extent.width == 100 && q.extent.height == 1 &&
		q.extent.depth == 1);
	GIVES(cudaErrorInvalidValue,
		cudaGraphMemcpyNodeSetParams1D(node, memory + 8, host, 4096, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams1D(node, host, host, 4, cudaMemcpyHostToDevice));
	OK(cudaGraphMemcpyNodeSetParamsToSymbol(node, &scale, host, 8, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue,
		cudaGraphMemcpyNodeSetParamsToSymbol(node, &scale, host, 16, 4, cudaMemcpyHostToDevice));
	OK(cudaGraphMemcpyNodeSetParamsFromSymbol(node, host, &scale, 16, 0, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue,
		cudaGraphMemcpyNodeSetParamsFromSymbol(node, host, &scale, 17, 0, cudaMemcpyDeviceToHost));
	OK(cudaGraphAddMemcpyNodeToSymbol(&other, graph, &node, 1, &scale, host, 16, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphDestroyNode(other));
	OK(cudaGraphAddMemcpyNodeFromSymbol(&other, graph, &node, 1, host, &scale, 16, 0, cudaMemcpyDeviceToHost));
	OK(cudaGraphDestroyNode(other));
	OK(cudaGraphDestroyNode(node));
}

static void check_fills(void)
{
	static const struct {
		struct cudaMemsetParams p;
		size_t offset;
		cudaError_t code;
	} table[] = {
		{{.pitch = 64, .value = 7, .elementSize = 1, .width = 64, .height = 64}, 0, cudaSuccess},
		{{.pitch = 64, .value = 7, .elementSize = 1, .width = 64, .height = 65}, 0, cudaErrorInvalidValue},
		{{.pitch = 64, .value = 7, .elementSize = 1, .width = 65, .height = 2}, 0, cudaErrorInvalidPitchValue},
		{{.pitch = 64, .value = 7, .elementSize = 4, .width = 17, .height = 2}, 0, cudaErrorInvalidPitchValue},
		{{.pitch = 0, .value = 7, .elementSize = 4, .width = 1024, .height = 1}, 0, cudaSuccess},
		{{.pitch = 0, .value = 7, .elementSize = 4, .width = 1025, .height = 1}, 0, cudaErrorInvalidValue},
		{{.pitch = 0, .value = 7, .elementSize = 3, .width = 4, .height = 1}, 0, cudaErrorInvalidValue},
		{{.pitch = 0, .value = 7, .elementSize = 8, .width = 4, .height = 1}, 0, cudaErrorInvalidValue},
		{{.pitch = 0, .value = 7, .elementSize = 2, .width = 4, .height = 1}, 1, cudaErrorInvalidValue},
		{{.pitch = 0, .value = 7, .elementSize = 4, .width = 4, .height = 1}, 2, cudaErrorInvalidValue},
		{{.pitch = 0, .value = 7, .elementSize = 4, .width = 0, .height = 1}, 0, cudaErrorInvalidValue},
		{{.pitch = 0, .value = 7, .elementSize = 4, .width = 1, .height = 0}, 0, cudaErrorInvalidValue},
		{{.pitch = 0, .value = 7, .elementSize = 4, .width = SIZE_MAX / 2, .height = 1}, 0,
			cudaErrorInvalidValue},
	};
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct cudaMemsetParams p = table[k].p, q;
		cudaGraphNode_t node;

		check_entry = (int)k;
		p.dst = memory + table[k].offset;
		GIVES(table[k].code, cudaGraphAddMemsetNode(&node, graph, NULL, 0, &p));
		if (table[k].code)
			continue;
		OK(cudaGraphMemsetNodeGetParams(node, &q));
		CHECK(q.dst == p.dst && q.value == 7 && q.elementSize == p.elementSize && q.width == p.width &&
			q.height == p.height);
		CHECK(p.height == 1 || q.pitch == p.pitch);
		OK(cudaGraphDestroyNode(node));
	}
}

/* Every getter, asked of every type of node, answers for its own alone. */
static void check_types(void)
{
	enum { TYPES = 9 };
	static int one = 1;
	cudaGraphNode_t nodes[TYPES];
	cudaGraph_t child, inner;
	cudaEvent_t event, got;
	int value = 2, n = 4;
	struct cudaKernelNodeParams kernel = {.func = (void *)(uintptr_t)&fill,
		.gridDim = {2, 3, 1},
		.blockDim = {32, 2, 1},
		.sharedMemBytes = 64,
		.kernelParams = (void *[]){&memory, &value, &n}};
	struct cudaHostNodeParams call = {count, &one};
	struct cudaMemsetParams set = {.dst = memory, .elementSize = 1, .width = 4, .height = 1};
	struct cudaMemAllocNodeParams allocation = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 512},
				      q;
	struct cudaMemcpy3DParms copy;
	enum cudaGraphNodeType type;
	void *freed;
	static const enum cudaGraphNodeType types[TYPES] = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
		cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost, cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty,
		cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeMemAlloc};

	OK(cudaEventCreate(&event));
	OK(cudaGraphCreate(&child, 0));
	OK(cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &kernel));
	OK(cudaGraphAddMemcpyNode1D(&nodes[1], graph, NULL, 0, memory, memory + 64, 8, cudaMemcpyDeviceToDevice));
	OK(cudaGraphAddMemsetNode(&nodes[2], graph, nodes, 2, &set));
	OK(cudaGraphAddHostNode(&nodes[3], graph, NULL, 0, &call));
	OK(cudaGraphAddChildGraphNode(&nodes[4], graph, NULL, 0, child));
	OK(cudaGraphAddEmptyNode(&nodes[5], graph, NULL, 0));
	OK(cudaGraphAddEventWaitNode(&nodes[6], graph, NULL, 0, event));
	OK(cudaGraphAddEventRecordNode(&nodes[7], graph, NULL, 0, event));
	OK(cudaGraphAddMemAllocNode(&nodes[8], graph, NULL, 0, &allocation));
	GIVES(cudaErrorInvalidValue, cudaGraphAddEventRecordNode(&nodes[7], graph, NULL, 0, NULL));
	GIVES(cudaErrorInvalidValue,
		cudaGraphAddHostNode(&nodes[3], graph, NULL, 0, &(struct cudaHostNodeParams){NULL, &one}));
	GIVES(cudaErrorInvalidValue, cudaGraphAddChildGraphNode(&nodes[4], graph, NULL, 0, NULL));
	for (int k = 0; k < TYPES; k++) {
		check_entry = k;
		OK(cudaGraphNodeGetType(nodes[k], &type));
		CHECK(type == types[k]);
		GIVES(k == 0 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(nodes[k], &kernel));
		GIVES(k == 1 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphMemcpyNodeGetParams(nodes[k], &copy));
		GIVES(k == 2 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(nodes[k], &set));
		GIVES(k == 3 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphHostNodeGetParams(nodes[k], &call));
		GIVES(k == 4 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(nodes[k], &inner));
		GIVES(k == 6 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphEventWaitNodeGetEvent(nodes[k], &got));
		GIVES(k == 7 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphEventRecordNodeGetEvent(nodes[k], &got));
		GIVES(k == 8 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphMemAllocNodeGetParams(nodes[k], &q));
		GIVES(cudaErrorInvalidValue, cudaGraphMemFreeNodeGetParams(nodes[k], &freed));
	}
	CHECK(kernel.func == &fill && kernel.gridDim.x == 2 && kernel.gridDim.y == 3 && kernel.blockDim.y == 2 &&
		kernel.sharedMemBytes == 64);
	CHECK(*(char **)kernel.kernelParams[0] == memory && *(int *)kernel.kernelParams[1] == 2 &&
		*(int *)kernel.kernelParams[2] == 4);
	CHECK(call.fn == count && call.userData == &one && got == event && q.bytesize == 512 &&
		q.dptr == allocation.dptr && q.dptr);
	CHECK(inner != child);
	OK(cudaGraphDestroy(child));
	OK(cudaEventDestroy(event));
}

/* Each node and each edge once; Graphviz' words for both. */
static void check_drawing(void)
{
	char path[] = "/tmp/lockstep-graph-XXXXXX", line[512];
	static const char *const expected[] = {"KERNEL\\nfill\\n2,3,1 x 32,2,1, 64 bytes shared",
		"MEMCPY\\n8 x 1 x 1 bytes", "MEMSET\\n4 x 1 bytes, value 0", "HOST\"", "GRAPH\"", "EMPTY\"",
		"EVENT_WAIT\"", "EVENT_RECORD\"", "MEM_ALLOC\\n512 bytes at 0x"};
	int seen[9] = {0}, edges[2] = {0}, file = mkstemp(path);

	CHECK(file >= 0);
	OK(cudaGraphDebugDotPrint(graph, path, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphDebugDotPrint(NULL, path, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphDebugDotPrint(graph, NULL, 0));
	GIVES(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(graph, "/no/such/folder", 0));
	FILE *drawn = fdopen(file, "r");
	while (fgets(line, sizeof line, drawn)) {
		for (int k = 0; k < 9; k++)
			seen[k] += strstr(line, expected[k]) != NULL;
		edges[0] += strstr(line, "node_0\" -> ") != NULL;
		edges[1] += strstr(line, "node_1\" -> ") != NULL;
		CHECK(!strstr(line, "->") || strstr(line, "node_2\"\n"));
	}
	fclose(drawn);
	remove(path);
	for (int k = 0; k < 9; k++) {
		check_entry = k;
		CHECK(seen[k] == 1);
	}
	CHECK(edges[0] == 1 && edges[1] == 1);
}

/* An object goes when all holds have: the application's, the graph's, those of its instances and clones. */
static void check_objects(void)
{
	static int ten = 10;
	cudaUserObject_t object;
	cudaGraph_t mine, clone;

	calls = 0;
	OK(cudaGraphCreate(&mine, 0));
	OK(cudaUserObjectCreate(&object, &ten, count, 2, cudaUserObjectNoDestructorSync));
	OK(cudaUserObjectRetain(object, 1));
	OK(cudaGraphRetainUserObject(mine, object, 2, 0));
	OK(cudaGraphRetainUserObject(mine, object, 1, cudaGraphUserObjectMove)); /* now 5 in all, 3 the graph's */
	OK(cudaUserObjectRelease(object, 2));
	GIVES(cudaErrorInvalidValue, cudaGraphReleaseUserObject(mine, object, 4));
	OK(cudaGraphReleaseUserObject(mine, object, 2));
	OK(cudaGraphClone(&clone, mine));
	CHECK(!calls);
	OK(cudaGraphDestroy(mine));
	CHECK(!calls);
	OK(cudaGraphDestroy(clone));
	CHECK(calls == 10);
	GIVES(cudaErrorInvalidValue, cudaUserObjectCreate(NULL, &ten, count, 1, cudaUserObjectNoDestructorSync));
	GIVES(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &ten, NULL, 1, cudaUserObjectNoDestructorSync));
	GIVES(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &ten, count, 0, cudaUserObjectNoDestructorSync));
	GIVES(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &ten, count, 1, 0));
	OK(cudaUserObjectCreate(&object, &ten, count, 1, cudaUserObjectNoDestructorSync));
	GIVES(cudaErrorInvalidValue, cudaUserObjectRetain(object, 0));
	GIVES(cudaErrorInvalidValue, cudaUserObjectRelease(object, 0));
	GIVES(cudaErrorInvalidValue, cudaUserObjectRelease(object, 2));
	GIVES(cudaErrorInvalidValue, cudaGraphRetainUserObject(graph, object, 1, 2));
	GIVES(cudaErrorInvalidValue, cudaGraphRetainUserObject(graph, NULL, 1, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphReleaseUserObject(graph, object, 1)); /* has none */
	CHECK(calls == 10);
	OK(cudaUserObjectRelease(object, 1));
	CHECK(calls == 20);
}

int main(void)
{
	OK(cudaMalloc((void **)&memory, 4096));
	OK(cudaGraphCreate(&graph, 0));
	check_copies();
	check_fills();
	check_types();
	check_drawing();
	check_objects();
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(memory));
	return 0;
}
