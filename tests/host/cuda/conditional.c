/* Conditional nodes of graphs.  CUDA C++ Programming Guide 13.0, "Conditional Graph Nodes"; Runtime API 13.0, "Graph
 * Management".  Each kernel in a body, and beside it, writes a number behind those of the kernels before it. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdbool.h>
#include <stdint.h>

EMBED(unit, "conditional.fatbin");
LINKED(unit);

static const char set, count_down, note;

enum { MOST = 64, END = -1 };

static int *list;
static unsigned *left;

/* ---- Building ---- */

static cudaGraph_t new_graph(void)
{
	cudaGraph_t graph;
	OK(cudaGraphCreate(&graph, 0));
	return graph;
}

static cudaGraphConditionalHandle new_condition(cudaGraph_t graph, unsigned value, unsigned flags)
{
	cudaGraphConditionalHandle handle;
	OK(cudaGraphConditionalHandleCreate(&handle, graph, value, flags));
	return handle;
}

/* After the node `after`; null: after none. */
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, const char *kernel, void **arguments)
{
	cudaGraphNode_t node;
	struct cudaKernelNodeParams p = {.func = (void *)(uintptr_t)kernel,
		.gridDim = {1, 1, 1},
		.blockDim = {1, 1, 1},
		.kernelParams = arguments};
	OK(cudaGraphAddKernelNode(&node, graph, &after, after != NULL, &p));
	return node;
}

static cudaGraphNode_t add_note(cudaGraph_t graph, cudaGraphNode_t after, int value)
{
	return add_kernel(graph, after, &note, (void *[]){&list, &value});
}

static cudaGraphNode_t add_set(
	cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle condition, unsigned value)
{
	return add_kernel(graph, after, &set, (void *[]){&condition, &value});
}

/* The bodies are in an array of CUDA's. */
static cudaGraphNode_t add_conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle condition,
	enum cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t **bodies)
{
	cudaGraphNode_t node;
	struct cudaGraphNodeParams p = {
		.type = cudaGraphNodeTypeConditional, .conditional = {.handle = condition, .type = type, .size = size}};
	OK(cudaGraphAddNode(&node, graph, &after, NULL, after != NULL, &p));
	*bodies = p.conditional.phGraph_out;
	return node;
}

/* ---- Looking ---- */

/* The numbers of the kernels since the last call, in the order in which they ran, up to END. */
static void check_notes(const int *expected)
{
	int host[MOST], count = 0;
	OK(cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost));
	while (expected[count] != END)
		count++;
	CHECK(host[0] == count);
	for (int k = 0; k < count; k++)
		CHECK(host[k + 1] == expected[k]);
	OK(cudaMemset(list, 0, MOST * sizeof *list));
}
#define NOTES(...) check_notes((int[]){__VA_ARGS__, END})

static void launch(cudaGraphExec_t exec, cudaStream_t stream)
{
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
}

static cudaGraphExec_t instance_of(cudaGraph_t graph)
{
	cudaGraphExec_t exec;
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphUpload(exec, NULL));
	return exec;
}

/* ---- One node ---- */

/* What a condition of 0, 1, 2 and 3 lets run, between a node before and one after. */
static void check_type(enum cudaGraphConditionalNodeType type, unsigned size, const int expected[4])
{
	for (unsigned value = 0; value < 4; value++) {
		cudaGraph_t graph = new_graph(), *bodies;
		cudaGraphConditionalHandle condition = new_condition(graph, 9, 0);
		cudaGraphNode_t before = add_set(graph, add_note(graph, NULL, 1), condition, value);
		cudaGraphNode_t node = add_conditional(graph, before, condition, type, size, &bodies);
		check_entry = (int)(size * 4 + value);
		add_note(graph, node, 2);
		for (unsigned k = 0; k < size; k++)
			add_note(bodies[k], NULL, 10 + (int)k);
		cudaGraphExec_t exec = instance_of(graph);
		OK(cudaGraphDestroy(graph)); /* the instance keeps what it needs */
		for (int k = 0; k < 2; k++) {
			launch(exec, NULL);
			if (expected[value])
				NOTES(1, expected[value], 2);
			else
				NOTES(1, 2);
		}
		OK(cudaGraphExecDestroy(exec));
	}
	check_entry = 0;
}

static void check_while(void)
{
	cudaGraph_t graph = new_graph(), *bodies;
	cudaGraphConditionalHandle condition = new_condition(graph, 1, cudaGraphCondAssignDefault);
	cudaGraphNode_t node = add_conditional(graph, NULL, condition, cudaGraphCondTypeWhile, 1, &bodies);
	add_note(graph, node, 2);
	add_kernel(bodies[0], add_note(bodies[0], NULL, 7), &count_down, (void *[]){&condition, &left});
	cudaGraphExec_t exec = instance_of(graph);
	for (unsigned turns = 1; turns < 4; turns++) { /* each launch begins with the default */
		check_entry = (int)turns;
		OK(cudaMemcpy(left, &turns, sizeof turns, cudaMemcpyHostToDevice));
		launch(exec, NULL);
		if (turns == 1)
			NOTES(7, 2);
		else if (turns == 2)
			NOTES(7, 7, 2);
		else
			NOTES(7, 7, 7, 2);
	}
	check_entry = 0;
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

/* A default of 0 lets the body of a WHILE not run at all; without one, what the last launch left counts here. */
static void check_defaults(void)
{
	cudaGraph_t graph = new_graph(), *bodies;
	cudaGraphConditionalHandle none = new_condition(graph, 0, cudaGraphCondAssignDefault);
	cudaGraphConditionalHandle two = new_condition(graph, 2, cudaGraphCondAssignDefault);
	add_conditional(graph, NULL, none, cudaGraphCondTypeWhile, 1, &bodies);
	add_set(bodies[0], add_note(bodies[0], NULL, 3), none, 0);
	cudaGraphNode_t node = add_conditional(graph, NULL, two, cudaGraphCondTypeSwitch, 3, &bodies);
	add_note(bodies[2], NULL, 4);
	add_set(graph, node, two, 0);
	cudaGraphExec_t exec = instance_of(graph);
	launch(exec, NULL);
	launch(exec, NULL);
	NOTES(4, 4);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

/* ---- Nodes in bodies ---- */

/* A WHILE of two turns; in each an IF with an ELSE, whose condition is a default in the first turn. */
static void check_nested(void)
{
	unsigned turns = 2;
	cudaGraph_t graph = new_graph(), *bodies, *inner;
	cudaGraphConditionalHandle outer = new_condition(graph, 1, cudaGraphCondAssignDefault);
	cudaGraphConditionalHandle choice = new_condition(graph, 1, cudaGraphCondAssignDefault);
	add_conditional(graph, NULL, outer, cudaGraphCondTypeWhile, 1, &bodies);
	cudaGraphNode_t node =
		add_conditional(bodies[0], add_note(bodies[0], NULL, 1), choice, cudaGraphCondTypeIf, 2, &inner);
	add_note(inner[0], NULL, 20);
	add_note(inner[1], NULL, 21);
	node = add_set(bodies[0], node, choice, 0);
	add_kernel(bodies[0], node, &count_down, (void *[]){&outer, &left});
	cudaGraphExec_t exec = instance_of(graph);
	for (int k = 0; k < 2; k++) {
		OK(cudaMemcpy(left, &turns, sizeof turns, cudaMemcpyHostToDevice));
		launch(exec, NULL);
		NOTES(1, 20, 1, 21);
	}
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

/* A fill, a copy and a child graph. */
static void check_other_nodes(void)
{
	int *from, three = 3;
	cudaGraph_t graph = new_graph(), child = new_graph(), *bodies;
	cudaGraphConditionalHandle condition = new_condition(graph, 1, cudaGraphCondAssignDefault);
	cudaGraphNode_t node;
	struct cudaMemsetParams fill_one = {.dst = list, .value = 1, .elementSize = 4, .width = 1, .height = 1};
	OK(cudaMalloc((void **)&from, sizeof *from));
	OK(cudaMemcpy(from, &three, sizeof three, cudaMemcpyHostToDevice));
	add_note(child, add_note(child, NULL, 5), 6);
	add_conditional(graph, NULL, condition, cudaGraphCondTypeIf, 1, &bodies);
	OK(cudaGraphAddMemsetNode(&node, bodies[0], NULL, 0, &fill_one));
	OK(cudaGraphAddMemcpyNode1D(
		&node, bodies[0], &node, 1, list + 1, from, sizeof *from, cudaMemcpyDeviceToDevice));
	OK(cudaGraphAddChildGraphNode(&node, bodies[0], &node, 1, child));
	add_note(bodies[0], node, 7);
	cudaGraphExec_t exec = instance_of(graph);
	launch(exec, NULL);
	NOTES(3, 5, 6, 7);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(child));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(from));
}

/* ---- The call in PTX ---- */

/* With a guard, from registers, and on one line. */
static const char ptx[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
			  ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
			  ".visible .entry either(.param .u64 handle, .param .u32 value, .param .u32 adds)\n{\n"
			  ".reg .pred %p;\n.reg .b32 %r<3>;\n.reg .b64 %rd1;\n"
			  "ld.param.u64 %rd1, [handle];\nld.param.u32 %r1, [value];\nld.param.u32 %r2, [adds];\n"
			  "setp.eq.u32 %p, %r2, 0;\n"
			  "@%p call.uni cudaGraphSetConditional, (%rd1, %r1);\n"
			  "@%p ret;\n"
			  "add.u32 %r1, %r1, %r2;\ncall.uni cudaGraphSetConditional, (%rd1, %r1);\nret;\n}\n";

static void check_forms(void)
{
	cudaLibrary_t library;
	cudaKernel_t kernel;
	OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernel(&kernel, library, "either"));
	for (unsigned adds = 0; adds < 2; adds++) {
		unsigned one = 1;
		cudaGraph_t graph = new_graph(), *bodies;
		cudaGraphConditionalHandle condition = new_condition(graph, 0, cudaGraphCondAssignDefault);
		cudaGraphNode_t node =
			add_kernel(graph, NULL, (const char *)kernel, (void *[]){&condition, &one, &adds});
		add_conditional(graph, node, condition, cudaGraphCondTypeSwitch, 3, &bodies);
		for (int k = 0; k < 3; k++)
			add_note(bodies[k], NULL, k);
		cudaGraphExec_t exec = instance_of(graph);
		launch(exec, NULL);
		NOTES(1 + (int)adds);
		OK(cudaGraphExecDestroy(exec));
		OK(cudaGraphDestroy(graph));
	}
	OK(cudaLibraryUnload(library));
}

/* ---- Streams ---- */

/* The body is captured from a stream, and the node is added to a graph that is being captured. */
static void check_capture(void)
{
	cudaStream_t stream, other;
	cudaGraph_t graph, captured, *bodies;
	enum cudaStreamCaptureStatus status;
	const cudaGraphNode_t *after;
	size_t count;
	int one = 1, two = 2, seven = 7;
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamCreate(&other));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(LAUNCH(note, 1, 1, stream, &list, &one));
	OK(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &after, NULL, &count));
	cudaGraphConditionalHandle condition = new_condition(graph, 1, cudaGraphCondAssignDefault);
	cudaGraphNode_t node = add_conditional(graph, after[0], condition, cudaGraphCondTypeIf, 1, &bodies);
	OK(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, cudaStreamSetCaptureDependencies));
	OK(cudaStreamBeginCaptureToGraph(other, bodies[0], NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
	OK(LAUNCH(note, 1, 1, other, &list, &seven));
	OK(cudaStreamEndCapture(other, NULL)); /* the graph is known */
	OK(LAUNCH(note, 1, 1, stream, &list, &two));
	OK(cudaStreamEndCapture(stream, &graph));
	cudaGraphExec_t exec = instance_of(graph);
	launch(exec, stream);
	NOTES(1, 7, 2);
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, stream));
	OK(cudaStreamEndCapture(stream, &captured));
	OK(cudaGraphDestroy(captured));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(other));
	OK(cudaStreamDestroy(stream));
}

/* Launches of one instance, and of another stream's, that are enqueued together. */
static void check_many(void)
{
	unsigned turns = 5;
	cudaStream_t stream;
	cudaGraph_t graph = new_graph(), *bodies;
	cudaGraphConditionalHandle condition = new_condition(graph, 1, cudaGraphCondAssignDefault);
	add_conditional(graph, NULL, condition, cudaGraphCondTypeWhile, 1, &bodies);
	add_kernel(bodies[0], add_note(bodies[0], NULL, 1), &count_down, (void *[]){&condition, &left});
	cudaGraphExec_t exec = instance_of(graph);
	OK(cudaStreamCreate(&stream));
	OK(cudaMemcpy(left, &turns, sizeof turns, cudaMemcpyHostToDevice));
	OK(cudaGraphLaunch(exec, stream));
	turns = 1;
	OK(cudaMemcpyAsync(left, &turns, sizeof turns, cudaMemcpyHostToDevice, stream));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaGraphExecDestroy(exec)); /* waits */
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamSynchronize(stream));
	NOTES(1, 1, 1, 1, 1, 1);
	OK(cudaStreamDestroy(stream));
}

/* ---- Changes ---- */

static cudaGraph_t graph_of_if(int value, unsigned size, unsigned condition_value, cudaGraphNode_t *inner)
{
	cudaGraph_t graph = new_graph(), *bodies;
	cudaGraphConditionalHandle condition = new_condition(graph, condition_value, cudaGraphCondAssignDefault);
	add_conditional(graph, NULL, condition, cudaGraphCondTypeIf, size, &bodies);
	*inner = add_note(bodies[0], NULL, value);
	return graph;
}

static void check_updates(void)
{
	cudaGraphNode_t inner, other_inner, node;
	cudaGraph_t graph = graph_of_if(3, 1, 1, &inner), other = graph_of_if(4, 1, 1, &other_inner), made;
	cudaGraphExecUpdateResultInfo info;
	struct cudaKernelNodeParams p;
	int five = 5;
	cudaGraphExec_t exec = instance_of(graph), second;
	GIVES(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0)); /* one at a time */
	launch(exec, NULL);
	OK(cudaGraphExecUpdate(exec, other, NULL));
	launch(exec, NULL);
	OK(cudaGraphKernelNodeGetParams(other_inner, &p));
	p.kernelParams = (void *[]){&list, &five};
	OK(cudaGraphLaunch(exec, NULL)); /* keeps what it was launched with */
	OK(cudaGraphExecKernelNodeSetParams(exec, other_inner, &p));
	launch(exec, NULL);
	NOTES(3, 4, 4, 5);
	OK(cudaGraphDestroy(other));
	other = graph_of_if(6, 1, 0, &other_inner); /* "default values are updated as part of the graph update" */
	OK(cudaGraphExecUpdate(exec, other, NULL));
	launch(exec, NULL);
	check_notes((int[]){END});
	OK(cudaGraphDestroy(other));
	other = graph_of_if(6, 2, 1, &other_inner); /* "Changing node parameters is not supported" */
	GIVES(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
	CHECK(info.result == cudaGraphExecUpdateErrorParametersChanged && info.errorNode);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphExecDestroy(exec));
	/* "The graph cannot be used in a child node.  ...  The graph cannot be cloned." */
	made = new_graph();
	GIVES(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&node, made, NULL, 0, graph));
	OK(cudaGraphDestroy(made));
	GIVES(cudaErrorNotSupported, cudaGraphClone(&made, graph));
	OK(cudaGraphDestroy(other));
	OK(cudaGraphDestroy(graph));
}

/* ---- Questions and refusals ---- */

static void check_questions(void)
{
	cudaGraphNode_t inner, node, found[2];
	cudaGraph_t graph = graph_of_if(3, 2, 1, &inner);
	enum cudaGraphNodeType type;
	size_t count = 2;
	OK(cudaGraphGetNodes(graph, found, &count));
	CHECK(count == 1);
	OK(cudaGraphNodeGetType(found[0], &type));
	CHECK(type == cudaGraphNodeTypeConditional);
	OK(cudaGraphAddEmptyNode(&node, graph, found, 1));
	OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
	CHECK(count == 1);
	struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional};
	GIVES(cudaErrorNotSupported, cudaGraphNodeSetParams(found[0], &p));
	OK(cudaGraphDestroyNode(found[0]));
	OK(cudaGraphGetNodes(graph, NULL, &count));
	CHECK(count == 1);
	OK(cudaGraphDestroy(graph));
}

static void check_refusals(void)
{
	static const struct {
		int type;
		unsigned size;
	} wrong[] = {{cudaGraphCondTypeIf, 0}, {cudaGraphCondTypeIf, 3}, {cudaGraphCondTypeWhile, 0},
		{cudaGraphCondTypeWhile, 2}, {cudaGraphCondTypeSwitch, 0}, {3, 1}};
	cudaGraph_t graph = new_graph(), *bodies;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaGraphInstantiateParams how = {0};
	cudaGraphConditionalHandle handle;
	GIVES(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(NULL, graph, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
	handle = new_condition(graph, 1, cudaGraphCondAssignDefault);
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional,
			.conditional = {handle, (enum cudaGraphConditionalNodeType)wrong[k].type, wrong[k].size, NULL}};
		check_entry = (int)k;
		GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
	}
	check_entry = 0;
	struct cudaGraphNodeParams p = {
		.type = cudaGraphNodeTypeConditional, .conditional = {handle + 4, cudaGraphCondTypeIf, 1, NULL}};
	GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
	/* A handle has one node, and must have one. */
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &how));
	CHECK(how.result_out == cudaGraphInstantiateConditionalHandleUnused);
	add_conditional(graph, NULL, handle, cudaGraphCondTypeIf, 1, &bodies);
	p.conditional.handle = handle;
	GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
	GIVES(cudaErrorInvalidValue, cudaGraphDestroy(bodies[0]));
	GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, bodies[0], 0));
	/* The host has no part in bodies. */
	struct cudaHostNodeParams call = {(cudaHostFn_t)(uintptr_t)&add_note, NULL};
	OK(cudaGraphAddHostNode(&node, bodies[0], NULL, 0, &call));
	GIVES(cudaErrorNotSupported, cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphDestroy(graph));
}

/* ---- What test_run.py looks at ---- */

/* A loop whose body changes nothing; or one that would count down for hours. */
static void run_endless(bool counts)
{
	unsigned most = UINT32_MAX;
	cudaGraph_t graph = new_graph(), *bodies;
	cudaGraphConditionalHandle condition = new_condition(graph, 1, cudaGraphCondAssignDefault);
	add_conditional(graph, NULL, condition, cudaGraphCondTypeWhile, 1, &bodies);
	OK(cudaMemcpy(left, &most, sizeof most, cudaMemcpyHostToDevice));
	if (counts)
		add_kernel(bodies[0], NULL, &count_down, (void *[]){&condition, &left});
	else
		add_set(bodies[0], NULL, condition, 2);
	OK(cudaGraphLaunch(instance_of(graph), NULL));
	GIVES(cudaErrorLaunchTimeout, cudaDeviceSynchronize());
	GIVES(cudaErrorLaunchTimeout, cudaDeviceSynchronize());
}

/* Nothing has set this condition. */
static void run_undefined(void)
{
	cudaGraph_t graph = new_graph(), *bodies;
	add_conditional(graph, NULL, new_condition(graph, 1, 0), cudaGraphCondTypeIf, 1, &bodies);
	launch(instance_of(graph), NULL);
}

int main(int argument_count, char **arguments)
{
	void **module = __cudaRegisterFatBinary((void *)(uintptr_t)&linked);

	__cudaRegisterFunction(module, &set, NULL, "set", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &count_down, NULL, "count_down", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &note, NULL, "note", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	OK(cudaMalloc((void **)&list, MOST * sizeof *list));
	OK(cudaMemset(list, 0, MOST * sizeof *list));
	OK(cudaMalloc((void **)&left, sizeof *left));
	if (argument_count > 1) {
		if (strcmp(arguments[1], "undefined"))
			run_endless(!strcmp(arguments[1], "counts"));
		else
			run_undefined();
		return 0;
	}
	check_type(cudaGraphCondTypeIf, 1, (const int[]){0, 10, 10, 10});
	check_type(cudaGraphCondTypeIf, 2, (const int[]){11, 10, 10, 10});
	check_type(cudaGraphCondTypeSwitch, 1, (const int[]){10, 0, 0, 0});
	check_type(cudaGraphCondTypeSwitch, 3, (const int[]){10, 11, 12, 0});
	check_while();
	check_defaults();
	check_nested();
	check_other_nodes();
	check_forms();
	check_capture();
	check_many();
	check_updates();
	check_questions();
	check_refusals();
	OK(cudaFree(left));
	OK(cudaFree(list));
	return 0;
}
