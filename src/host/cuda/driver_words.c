/* The driver's interface: words of memory that streams write and wait for, and so synchronise with kernels, the host
 * and each other.
 *
 * A stream that waits is asked again whenever something is over, and every millisecond when nothing runs; kernels that
 * run are not interrupted for it, so what a kernel writes is seen when a kernel has ended. */
#include "host/cuda/driver_parts.h"

#include "host/cuda/graph.h"

#include <stdlib.h>
#include <string.h>

struct word {
	uint64_t address;
	uint8_t *at;
	uint64_t value;
	uint32_t bytes; /* 4, 8 */
	uint32_t compare;
};

enum { COMPARE_GEQ, COMPARE_EQ, COMPARE_AND, COMPARE_NOR, WAIT_FLUSH = 1 << 30 }; /* CU_STREAM_WAIT_VALUE_... */
enum { WRITE_WITHOUT_BARRIER = 1 };

static uint64_t load(const struct word *w)
{
	return w->bytes == 4 ? __atomic_load_n((uint32_t *)(void *)w->at, __ATOMIC_ACQUIRE)
			     : __atomic_load_n((uint64_t *)(void *)w->at, __ATOMIC_ACQUIRE);
}

/* "Greater or equal" goes around: the difference, as a signed number, is not negative. */
static bool is_reached(const struct command *command)
{
	const struct word *w = (const struct word *)task_of(command)->work;
	uint64_t mask = w->bytes == 4 ? UINT32_MAX : UINT64_MAX, now = load(w), difference = (now - w->value) & mask;
	switch (w->compare) {
	case COMPARE_GEQ: return !(difference >> (8 * w->bytes - 1));
	case COMPARE_EQ: return now == w->value;
	case COMPARE_AND: return now & w->value;
	default: return ~(now | w->value) & mask;
	}
}

static int32_t run_wait(struct command *command, uint64_t *nanoseconds)
{
	const struct word *w = (const struct word *)task_of(command)->work;
	(void)nanoseconds;
	host_race_word(command, w->bytes == 4 ? "cuStreamWaitValue32" : "cuStreamWaitValue64", w->at, w->bytes, false);
	return COMMAND_COMPLETE;
}

static int32_t run_write(struct command *command, uint64_t *nanoseconds)
{
	const struct word *w = (const struct word *)task_of(command)->work;
	host_race_word(command, w->bytes == 4 ? "cuStreamWriteValue32" : "cuStreamWriteValue64", w->at, w->bytes, true);
	*nanoseconds = device_copy_time(0);
	if (w->bytes == 4)
		__atomic_store_n((uint32_t *)(void *)w->at, (uint32_t)w->value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint64_t *)(void *)w->at, w->value, __ATOMIC_RELEASE);
	device_wrote(w->at, w->bytes);
	return 0;
}

static const struct work_kind wait_kind = {
	.bytes = sizeof(struct word), .engine = ENGINE_NONE, .run = run_wait, .may_begin = is_reached};

static void write_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	const struct word *w = work;
	(void)arena;
	queued->what = "cuStreamWriteValue";
	queued->address = w->address;
	queued->bytes = w->bytes;
	queued->contents = &w->value;
}

static const struct work_kind write_kind = {
	.bytes = sizeof(struct word), .engine = ENGINE_COPY, .run = run_write, .queued = write_queued};

static cudaError_t describe(struct word *word, CUdeviceptr address, uint64_t value, uint32_t bytes, uint32_t compare)
{
	struct memory m;
	if (address % bytes || !memory_find(address, &m) || m.bytes - (address - m.address) < bytes)
		return cudaErrorInvalidValue;
	*word = (struct word){address, m.contents + (address - m.address), value, bytes, compare};
	return cudaSuccess;
}

static cudaError_t check_flags(bool waits, unsigned int flags)
{
	if (!waits)
		return flags & ~(unsigned int)WRITE_WITHOUT_BARRIER ? cudaErrorInvalidValue : cudaSuccess;
	if (flags <= COMPARE_NOR)
		return cudaSuccess;
	return flags & WAIT_FLUSH ? cudaErrorNotSupported : cudaErrorInvalidValue;
}

static cudaError_t submit(
	CUstream handle, bool waits, CUdeviceptr address, uint64_t value, uint32_t bytes, unsigned int flags)
{
	struct cuda_stream *stream;
	struct word word;
	cudaError_t error = check_flags(waits, flags);
	if (!error)
		error = stream_find(handle, &stream);
	if (!error)
		error = describe(&word, address, value, bytes, waits ? flags : 0);
	if (!error && stream->capture)
		error = capture_refuse(stream);
	return error ? error : work_submit(stream, waits ? &wait_kind : &write_kind, &word, false);
}

cudaError_t word_wait(CUstream stream, CUdeviceptr address, uint64_t value, uint32_t bytes, unsigned int flags)
{
	return submit(stream, true, address, value, bytes, flags);
}

cudaError_t word_write(CUstream stream, CUdeviceptr address, uint64_t value, uint32_t bytes, unsigned int flags)
{
	return submit(stream, false, address, value, bytes, flags);
}

/* CU_STREAM_MEM_OP_... */
enum { OP_WAIT_32 = 1, OP_WRITE_32 = 2, OP_FLUSH = 3, OP_WAIT_64 = 4, OP_WRITE_64 = 5, OP_BARRIER = 6 };

static CUresult batch_one(CUstream stream, const CUstreamBatchMemOpParams *p)
{
	const struct CUstreamMemOpWord *w = &p->word;
	switch (p->operation) {
	case OP_WAIT_32: return cuStreamWaitValue32_v2(stream, w->address, (uint32_t)w->value, w->flags);
	case OP_WAIT_64: return cuStreamWaitValue64_v2(stream, w->address, w->value, w->flags);
	case OP_WRITE_32: return cuStreamWriteValue32_v2(stream, w->address, (uint32_t)w->value, w->flags);
	case OP_WRITE_64: return cuStreamWriteValue64_v2(stream, w->address, w->value, w->flags);
	case OP_BARRIER: return CUDA_SUCCESS; /* a stream's writes are seen in order anyway */
	default: return p->operation == OP_FLUSH ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuStreamBatchMemOp_v2(
	CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags)
{
	CUresult why = flags || count > 256 || (count && !operations) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	for (unsigned int k = 0; !why && k < count; k++)
		why = batch_one(stream, &operations[k]);
	return why;
}

/* The same under other names: the first one's, and those for a default stream of the thread. */
#define SAME(name, in)                                                                                                 \
	CUresult name(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags)   \
	{                                                                                                              \
		return cuStreamBatchMemOp_v2(in, count, operations, flags);                                            \
	}
SAME(cuStreamBatchMemOp, stream)
SAME(cuStreamBatchMemOp_ptsz, own_or(stream))
SAME(cuStreamBatchMemOp_v2_ptsz, own_or(stream))

/* ---- Nodes of graphs ----
 *
 * A node has an inner graph, with a node for each operation after the one before. */

/* Of an operation; null: it needs no node, or there is an error. */
static const struct work_kind *describe_operation(
	const CUstreamBatchMemOpParams *p, struct word *word, cudaError_t *error)
{
	const struct CUstreamMemOpWord *w = &p->word;
	bool waits = p->operation == OP_WAIT_32 || p->operation == OP_WAIT_64;
	bool is_wide = p->operation == OP_WAIT_64 || p->operation == OP_WRITE_64;
	if (!waits && p->operation != OP_WRITE_32 && p->operation != OP_WRITE_64) {
		*error = p->operation == OP_BARRIER ? cudaSuccess
			 : p->operation == OP_FLUSH ? cudaErrorNotSupported
						    : cudaErrorInvalidValue;
		return NULL;
	}
	*error = check_flags(waits, w->flags);
	if (!*error)
		*error = describe(word, w->address, is_wide ? w->value : (uint32_t)w->value, is_wide ? 8 : 4,
			waits ? w->flags : 0);
	return *error ? NULL : waits ? &wait_kind : &write_kind;
}

static cudaError_t add_operation(struct cuda_graph *graph, const CUstreamBatchMemOpParams *p, struct node_set *last)
{
	struct word word;
	cudaError_t error;
	const struct work_kind *kind = describe_operation(p, &word, &error);
	if (!kind)
		return error;
	struct cuda_node *node = graph_add(graph, cudaGraphNodeTypeEmpty, last);
	last->count = 0;
	return node && node_set_work(node, kind, &word) && nodes_add(last, node) ? cudaSuccess
										 : cudaErrorMemoryAllocation;
}

/* Puts the operations into the node, and a copy of them. */
static cudaError_t fill_node(struct cuda_node *node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	struct node_set last = {0};
	struct cuda_graph *inner = graph_new();
	size_t bytes = p->count * sizeof *p->paramArray;
	void *copy = malloc(sizeof *p + bytes);
	cudaError_t error = inner && copy ? cudaSuccess : cudaErrorMemoryAllocation;
	for (unsigned int k = 0; !error && k < p->count; k++)
		error = add_operation(inner, &p->paramArray[k], &last);
	nodes_clear(&last);
	if (!error && node_set_inner(node, &inner, 1)) {
		memcpy(copy, p, sizeof *p);
		memcpy((char *)copy + sizeof *p, p->paramArray, bytes);
		free(node->arguments);
		node->arguments = copy;
		return cudaSuccess;
	}
	graph_free(inner);
	free(copy);
	return error ? error : cudaErrorMemoryAllocation;
}

static bool is_good(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	return p && !p->flags && p->count <= 256 && (!p->count || p->paramArray);
}

cudaError_t words_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	const struct node_set before = {(cudaGraphNode_t *)(uintptr_t)after, count, count};
	cudaError_t error = error_unless(node && is_good(p));
	if (!error)
		error = graph_check_nodes(graph, after, edges, count);
	struct cuda_node *made = error ? NULL : graph_add(graph, cudaGraphNodeTypeBatchMemOp, &before);
	if (error || !made)
		return error_note(error ? error : cudaErrorMemoryAllocation);
	error = fill_node(made, p);
	if (error)
		cudaGraphDestroyNode(made);
	else
		*node = made;
	return error_note(error);
}

static bool is_of_words(const struct cuda_node *node)
{
	return node && node->type == cudaGraphNodeTypeBatchMemOp;
}

cudaError_t words_get(cudaGraphNode_t node, CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	if (!p || !is_of_words(node))
		return error_note(cudaErrorInvalidValue);
	*p = *(CUDA_BATCH_MEM_OP_NODE_PARAMS *)(void *)node->arguments;
	p->paramArray = (CUstreamBatchMemOpParams *)(void *)((char *)node->arguments + sizeof *p);
	return cudaSuccess;
}

cudaError_t words_set(cudaGraphNode_t node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	return error_note(is_of_words(node) && is_good(p) ? fill_node(node, p) : cudaErrorInvalidValue);
}

cudaError_t words_set_instance(cudaGraphExec_t exec, cudaGraphNode_t original, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	struct cuda_node *node = exec && original ? exec_node(exec, original) : NULL;
	cudaError_t error = words_set(node, p);
	return error ? error : error_note(exec_prepare_node(node));
}
