/* What nodes do: adding them, and their parameters, each kind by way of cudaGraphNodeParams. */
#include "host/cuda/array.h"
#include "host/cuda/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- From parameters to what a node holds ---- */

struct contents {
	const struct work_kind *kind; /* null: no work */
	union {
		struct launch launch;
		struct copy copy;
		struct fill fill;
		struct host_call call;
	} work;
	struct cuda_graph *child;
	bool is_child_given; /* it is ours from now on; else a copy is */
	struct cuda_event *event;
};

/* `extra` is the driver interface's other form: the parameters as one block.  The attributes of the node, if there is
 * one, stay. */
static cudaError_t describe_kernel(
	struct contents *c, const struct cudaKernelNodeParams *p, const struct cuda_node *node)
{
	const struct launch *before = node ? node->work : NULL;
	struct configuration given = {p->gridDim, p->blockDim, p->sharedMemBytes, NULL, {0, 0, 0}, false};
	struct arguments arguments = {.each = p->kernelParams};
	if (before)
		given.cluster = before->given.cluster;
	if (!p->func || (p->kernelParams && p->extra) || (p->extra && !arguments_of_extra(p->extra, &arguments)))
		return cudaErrorInvalidValue;
	c->kind = &launch_kind;
	return launch_describe(
		&c->work.launch, function_find(p->func), &given, &arguments, before && before->is_cooperative);
}

static cudaError_t describe_copy(struct contents *c, const struct cudaMemcpy3DParms *p)
{
	struct copy *copy = &c->work.copy;
	cudaError_t error = box_describe(copy, p);
	c->kind = &copy_kind;
	if (!error && (!copy->width || !copy->height || !copy->depth))
		error = cudaErrorInvalidValue;
	return error ? error : copy_resolve(copy);
}

static cudaError_t describe_fill(struct contents *c, const struct cudaMemsetParams *p)
{
	struct fill *fill = &c->work.fill;
	size_t width;
	bool good = p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4;
	if (!good || !p->width || !p->height || __builtin_mul_overflow(p->width, (size_t)p->elementSize, &width))
		return cudaErrorInvalidValue;
	if ((uintptr_t)p->dst % p->elementSize)
		return cudaErrorInvalidValue;
	*fill = (struct fill){.to = {.pointer = p->dst, .pitch = p->height > 1 ? p->pitch : width},
		.width = width,
		.height = p->height,
		.value = p->value,
		.element = p->elementSize};
	c->kind = &fill_kind;
	return fill_resolve(fill);
}

static cudaError_t describe_call(struct contents *c, const struct cudaHostNodeParams *p)
{
	c->work.call = (struct host_call){.function = p->fn, .data = p->userData};
	c->kind = &host_call_kind;
	return p->fn ? cudaSuccess : cudaErrorInvalidValue;
}

/* A copy, unless the graph itself is given. */
static cudaError_t describe_child(struct contents *c, cudaGraph_t child, bool is_given)
{
	if (!child || child->is_child)
		return cudaErrorInvalidValue;
	if ((!is_given && graph_has_memory_nodes(child)) || graph_has_conditions(child))
		return cudaErrorNotSupported;
	c->child = is_given ? child : graph_copy(child);
	c->is_child_given = is_given;
	return c->child ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t describe_event(struct contents *c, struct cuda_event *event)
{
	c->event = event;
	return event ? cudaSuccess : cudaErrorInvalidValue;
}

/* `node`: the one whose contents these will be; null: it is new. */
static cudaError_t describe(struct contents *c, const struct cudaGraphNodeParams *p, const struct cuda_node *node)
{
	switch (p->type) {
	case cudaGraphNodeTypeKernel: return describe_kernel(c, &p->kernel, node);
	case cudaGraphNodeTypeMemcpy: return describe_copy(c, &p->memcpy.copyParams);
	case cudaGraphNodeTypeMemset: return describe_fill(c, &p->memset);
	case cudaGraphNodeTypeHost: return describe_call(c, &p->host);
	case cudaGraphNodeTypeGraph: return describe_child(c, p->graph.graph, p->graph.ownership);
	case cudaGraphNodeTypeWaitEvent: return describe_event(c, p->eventWait.event);
	case cudaGraphNodeTypeEventRecord: return describe_event(c, p->eventRecord.event);
	case cudaGraphNodeTypeEmpty: return cudaSuccess;
	case cudaGraphNodeTypeConditional: return cudaErrorNotSupported; /* their parameters stay */
	default: return cudaErrorInvalidValue;
	}
}

static cudaError_t node_fill(struct cuda_node *node, const struct contents *c)
{
	if (c->kind && !node_set_work(node, c->kind, &c->work))
		return cudaErrorMemoryAllocation;
	if (c->child && !node_set_inner(node, &c->child, 1))
		return cudaErrorMemoryAllocation;
	node->event = c->event;
	return cudaSuccess;
}

static void contents_free(struct contents *c)
{
	if (c->kind && c->kind->discard)
		c->kind->discard(&c->work);
	if (!c->is_child_given)
		graph_free(c->child);
}

/* ---- Adding ---- */

static cudaError_t add(struct cuda_node **node, struct cuda_graph *graph, const struct node_set *after,
	struct contents *c, enum cudaGraphNodeType type)
{
	struct cuda_node *made = graph_add(graph, type, after);
	if (!made) {
		contents_free(c);
		return cudaErrorMemoryAllocation;
	}
	*node = made;
	return node_fill(made, c);
}

/* The memory is the node's now; null: there is no memory for a node. */
static cudaError_t hold_memory(struct cuda_node *node, struct graph_memory *memory, bool is_free)
{
	if (node)
		graph_memory_place(node, memory);
	else
		graph_memory_abandon(memory, is_free);
	return node ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t add_allocation(struct cuda_node **node, struct cuda_graph *graph, const struct node_set *after,
	struct cudaMemAllocNodeParams *p)
{
	struct graph_memory *memory;
	size_t bytes;
	if (!p->bytesize || p->poolProps.allocType != 1 || p->poolProps.handleTypes ||
		p->poolProps.location.type != 1 || p->poolProps.location.id)
		return cudaErrorInvalidValue;
	cudaError_t error = graph_memory_new(p->bytesize, &memory);
	if (error)
		return error;
	*node = graph_add(graph, cudaGraphNodeTypeMemAlloc, after);
	error = hold_memory(*node, memory, false);
	if (!error)
		p->dptr = (void *)(uintptr_t)graph_memory_address(memory, &bytes);
	return error;
}

static cudaError_t add_free(
	struct cuda_node **node, struct cuda_graph *graph, const struct node_set *after, void *pointer)
{
	struct graph_memory *memory;
	cudaError_t error = graph_memory_to_free((uint64_t)(uintptr_t)pointer, &memory);
	if (error)
		return error;
	*node = graph_add(graph, cudaGraphNodeTypeMemFree, after);
	return hold_memory(*node, memory, true);
}

cudaError_t graph_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *p)
{
	struct contents c = {0};
	struct node_set before = {(cudaGraphNode_t *)(uintptr_t)after, count, count};
	cudaError_t error = error_unless(node && p);
	if (!error)
		error = graph_check_nodes(graph, after, edges, count);
	if (!error && p->type == cudaGraphNodeTypeMemAlloc)
		return error_note(add_allocation(node, graph, &before, &p->alloc));
	if (!error && p->type == cudaGraphNodeTypeMemFree)
		return error_note(add_free(node, graph, &before, p->free.dptr));
	if (!error && p->type == cudaGraphNodeTypeConditional)
		return error_note(condition_add_node(node, graph, &before, &p->conditional));
	if (!error)
		error = describe(&c, p, NULL);
	if (!error)
		error = add(node, graph, &before, &c, p->type);
	for (size_t k = 0; !error && k < count; k++)
		if (!graph_note_edge(*node, after[k], edges, k))
			error = cudaErrorMemoryAllocation;
	return error_note(error);
}

/* What allocates and frees takes no place in a stream but that of its node. */
static cudaError_t capture_memory(struct cuda_stream *stream, struct graph_memory *memory, enum cudaGraphNodeType type)
{
	mutex_lock(&driver_lock);
	cudaError_t error = capture_check(stream, false);
	struct cuda_node *node = error ? NULL : capture_node(stream, type);
	mutex_unlock(&driver_lock);
	cudaError_t placed = hold_memory(node, memory, type == cudaGraphNodeTypeMemFree);
	return error ? error : placed;
}

cudaError_t capture_allocate(struct cuda_stream *stream, size_t bytes, void **pointer)
{
	struct graph_memory *memory;
	size_t size;
	cudaError_t error = error_unless(pointer && bytes);
	if (!error)
		error = graph_memory_new(bytes, &memory);
	if (!error)
		error = capture_memory(stream, memory, cudaGraphNodeTypeMemAlloc);
	if (!error)
		*pointer = (void *)(uintptr_t)graph_memory_address(memory, &size);
	return error;
}

cudaError_t capture_free(struct cuda_stream *stream, uint64_t address)
{
	struct graph_memory *memory;
	cudaError_t error = graph_memory_to_free(address, &memory);
	return error ? error : capture_memory(stream, memory, cudaGraphNodeTypeMemFree);
}

/* ---- Setting ---- */

static cudaError_t set(struct cuda_node *node, const struct cudaGraphNodeParams *p)
{
	struct contents c = {0};
	cudaError_t error = error_unless(node && p && node->type == p->type && !node->memory);
	if (!error)
		error = describe(&c, p, node);
	return error ? error : node_fill(node, &c);
}

/* Of an instance, whose launches take a copy of what nodes hold: those that are enqueued do not change. */
static cudaError_t set_instance(
	cudaGraphExec_t exec, const struct cuda_node *original, const struct cudaGraphNodeParams *p)
{
	if (!exec || !original)
		return cudaErrorInvalidValue;
	struct cuda_node *node = exec_node(exec, original);
	cudaError_t error = node ? set(node, p) : cudaErrorInvalidValue;
	return error ? error : exec_prepare_node(node);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
	return error_note(set(node, parameters));
}

cudaError_t cudaGraphExecNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
	return error_note(set_instance(exec, node, parameters));
}

/* ---- Each kind by its own name ---- */

#define AFTER const cudaGraphNode_t *after, size_t count
#define ADD(parameters) graph_add_node(node, graph, after, NULL, count, &(parameters))

#define NODE(add, set, set_instance, prepare, ...)                                                                     \
	cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, AFTER, __VA_ARGS__)                                  \
	{                                                                                                              \
		prepare;                                                                                               \
		return ADD(all);                                                                                       \
	}                                                                                                              \
	cudaError_t set(cudaGraphNode_t node, __VA_ARGS__)                                                             \
	{                                                                                                              \
		prepare;                                                                                               \
		return cudaGraphNodeSetParams(node, &all);                                                             \
	}                                                                                                              \
	cudaError_t set_instance(cudaGraphExec_t exec, cudaGraphNode_t node, __VA_ARGS__)                              \
	{                                                                                                              \
		prepare;                                                                                               \
		return cudaGraphExecNodeSetParams(exec, node, &all);                                                   \
	}

/* `p` is null: no parameters. */
#define PARAMETERS(name, type_, member, p)                                                                             \
	struct cudaGraphNodeParams name = {.type = type_};                                                             \
	if (!(p))                                                                                                      \
		return error_note(cudaErrorInvalidValue);                                                              \
	name.member = *(p)

static struct cudaGraphNodeParams straight(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeMemcpy};
	all.memcpy.copyParams = (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
		.dstPtr = {to, bytes, bytes, 1},
		.extent = {bytes, 1, 1},
		.kind = kind};
	return all;
}

/* The part of a symbol becomes `pointer`, a side of the copy. */
#define SYMBOL(pointer)                                                                                                \
	void *pointer;                                                                                                 \
	cudaError_t error = variable_part(symbol, bytes, offset, &pointer);                                            \
	if (error)                                                                                                     \
		return error_note(error);                                                                              \
	struct cudaGraphNodeParams all = straight(to, from, bytes, kind)

#define EVENT(type_, member)                                                                                           \
	struct cudaGraphNodeParams all = {.type = type_};                                                              \
	all.member.event = event

#include "host/cuda/node_calls.def"

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, AFTER, struct cudaMemAllocNodeParams *p)
{
	PARAMETERS(all, cudaGraphNodeTypeMemAlloc, alloc, p);
	cudaError_t error = ADD(all);
	p->dptr = all.alloc.dptr;
	return error;
}

/* ---- Attributes of kernels ---- */

/* Those that say how it is launched, by CUDA's numbers; the others are hints, which are kept. */
enum { COOPERATIVE = 2, CLUSTER = 4, ATTRIBUTES = 16 };

struct node_attributes {
	union {
		char bytes[64];
		int number;
		dim3 size;
	} value[ATTRIBUTES];
};

static bool has_attribute(const struct cuda_node *node, int attribute, const void *value)
{
	static const bool is_of_nodes[ATTRIBUTES] = {
		false, true, true, false, true, true, false, false, true, true, true, true, false, true, true, false};
	return node && node->type == cudaGraphNodeTypeKernel && value && attribute >= 0 && attribute < ATTRIBUTES &&
	       is_of_nodes[attribute];
}

static cudaError_t launch_otherwise(struct cuda_node *node, dim3 cluster, bool cooperative)
{
	const struct launch *before = node->work;
	struct configuration given = before->given;
	struct launch launch;
	given.cluster = cluster;
	cudaError_t error = launch_describe(&launch, before->function, &given,
		&(struct arguments){.block = before->what.parameters, .block_bytes = before->what.parameter_bytes},
		cooperative);
	if (error)
		return error;
	return node_set_work(node, &launch_kind, &launch) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int attribute, void *value)
{
	struct node_attributes none = {0}, *all = &none;
	if (!has_attribute(node, attribute, value))
		return error_note(cudaErrorInvalidValue);
	const struct launch *launch = node->work;
	if (node->attributes)
		all = node->attributes;
	none.value[COOPERATIVE].number = launch->is_cooperative;
	none.value[CLUSTER].size = launch->given.cluster;
	if (attribute == COOPERATIVE || attribute == CLUSTER)
		all = &none;
	memcpy(value, &all->value[attribute], sizeof all->value[attribute]);
	return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute, const void *value)
{
	if (!has_attribute(node, attribute, value))
		return error_note(cudaErrorInvalidValue);
	const struct launch *launch = node->work;
	if (attribute == COOPERATIVE)
		return error_note(launch_otherwise(node, launch->given.cluster, *(const int *)value));
	if (attribute == CLUSTER)
		return error_note(launch_otherwise(node, *(const dim3 *)value, launch->is_cooperative));
	if (!node->attributes)
		node->attributes = calloc(1, sizeof *node->attributes);
	if (!node->attributes)
		return error_note(cudaErrorMemoryAllocation);
	memcpy(&node->attributes->value[attribute], value, sizeof node->attributes->value[attribute]);
	return cudaSuccess;
}

bool node_copy_attributes(struct cuda_node *to, const struct cuda_node *from)
{
	free(to->attributes);
	to->attributes = from->attributes ? malloc(sizeof *to->attributes) : NULL;
	if (to->attributes)
		*to->attributes = *from->attributes;
	return to->attributes || !from->attributes;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
	if (!has_attribute(to, COOPERATIVE, to) || !has_attribute(from, COOPERATIVE, from))
		return error_note(cudaErrorInvalidValue);
	const struct launch *launch = from->work;
	cudaError_t error = launch_otherwise(to, launch->given.cluster, launch->is_cooperative);
	if (!error && !node_copy_attributes(to, from))
		error = cudaErrorMemoryAllocation;
	return error_note(error);
}

/* ---- Getting ---- */

static bool is_of(const struct cuda_node *node, enum cudaGraphNodeType type, const void *answer)
{
	return node && answer && node->type == type;
}

/* Pointers into the parameter block, which are the node's. */
static bool point_to_arguments(struct cuda_node *node, const struct lockstep_launch *what)
{
	struct lockstep_parameter parameter;
	size_t count = 0;
	while (lockstep_kernel_parameter(what->module, what->kernel, count, &parameter))
		count++;
	if (node->arguments || !count)
		return true;
	node->arguments = calloc(count, sizeof *node->arguments);
	for (size_t k = 0; node->arguments && k < count; k++) {
		lockstep_kernel_parameter(what->module, what->kernel, k, &parameter);
		node->arguments[k] = (uint8_t *)(uintptr_t)what->parameters + parameter.offset;
	}
	return node->arguments;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
	if (!is_of(node, cudaGraphNodeTypeKernel, p))
		return error_note(cudaErrorInvalidValue);
	const struct launch *launch = node->work;
	if (!point_to_arguments(node, &launch->what))
		return error_note(cudaErrorMemoryAllocation);
	*p = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)launch->function->host,
		.gridDim = launch->given.grid,
		.blockDim = launch->given.block,
		.sharedMemBytes = (unsigned int)launch->given.shared,
		.kernelParams = node->arguments};
	return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p)
{
	if (!is_of(node, cudaGraphNodeTypeMemcpy, p))
		return error_note(cudaErrorInvalidValue);
	const struct copy *c = node->work;
	size_t from_rows = c->from.pitch ? c->from.slice / c->from.pitch : c->height;
	size_t to_rows = c->to.pitch ? c->to.slice / c->to.pitch : c->height;
	*p = (struct cudaMemcpy3DParms){.srcPtr = {c->from.pointer, c->from.pitch, c->width, from_rows},
		.dstPtr = {c->to.pointer, c->to.pitch, c->width, to_rows},
		.extent = {c->width, c->height, c->depth},
		.kind = c->kind};
	return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
	if (!is_of(node, cudaGraphNodeTypeMemset, p))
		return error_note(cudaErrorInvalidValue);
	const struct fill *f = node->work;
	*p = (struct cudaMemsetParams){.dst = f->to.pointer,
		.pitch = f->to.pitch,
		.value = f->value,
		.elementSize = f->element,
		.width = f->width / f->element,
		.height = f->height};
	return cudaSuccess;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
	if (!is_of(node, cudaGraphNodeTypeHost, p))
		return error_note(cudaErrorInvalidValue);
	const struct host_call *call = node->work;
	*p = (struct cudaHostNodeParams){call->function, call->data};
	return cudaSuccess;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
	if (!is_of(node, cudaGraphNodeTypeGraph, graph))
		return error_note(cudaErrorInvalidValue);
	*graph = node->inner[0];
	return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
	if (!is_of(node, cudaGraphNodeTypeEventRecord, event))
		return error_note(cudaErrorInvalidValue);
	*event = node->event;
	return cudaSuccess;
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
	if (!is_of(node, cudaGraphNodeTypeWaitEvent, event))
		return error_note(cudaErrorInvalidValue);
	*event = node->event;
	return cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p)
{
	size_t bytes;
	if (!is_of(node, cudaGraphNodeTypeMemAlloc, p))
		return error_note(cudaErrorInvalidValue);
	uint64_t address = graph_memory_address(node->memory, &bytes);
	*p = (struct cudaMemAllocNodeParams){.poolProps = {.allocType = 1, .location = {1, 0}},
		.bytesize = bytes,
		.dptr = (void *)(uintptr_t)address};
	return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
	size_t bytes;
	if (!is_of(node, cudaGraphNodeTypeMemFree, pointer))
		return error_note(cudaErrorInvalidValue);
	*(void **)pointer = (void *)(uintptr_t)graph_memory_address(node->memory, &bytes);
	return cudaSuccess;
}
