/* Capture: what is enqueued in streams becomes nodes of a graph in place of being carried out.
 *
 * A capture begins in one stream; another joins it when it waits for an event that was recorded in it, and must be
 * waited for by the first before the capture ends.  What is forbidden meanwhile returns CUDA's error for it and spoils
 * the capture, which cudaStreamEndCapture then reports. */
#include "host/cuda/graph.h"

#include <assert.h>
#include <stdlib.h>

/* Guarded by driver_lock, but for members that do not change. */
struct capture {
	uint64_t id; /* does not change, nor do the next four */
	enum cudaStreamCaptureMode mode;
	pthread_t thread; /* that began it */
	struct cuda_stream *origin;
	bool is_into_given; /* the graph is the application's */
	struct cuda_graph *graph;
	bool is_invalid, is_over;
	struct node_set left; /* the last nodes of streams that have been destroyed */
	uint32_t holds;       /* its own, until it is over; the streams' and events' */
	struct capture *next; /* in the list of those that are not over */
};

static struct capture *captures;
static uint64_t begun;
static _Thread_local enum cudaStreamCaptureMode thread_mode;

static void drop(struct capture *capture)
{
	assert(!capture || capture->holds);
	if (capture && !--capture->holds)
		free(capture);
}

static void stream_detach(struct cuda_stream *stream)
{
	drop(stream->capture);
	stream->capture = NULL;
	nodes_clear(&stream->ends);
}

/* The capture is over, successful or not: no stream belongs to it any more. */
static void end(struct capture *capture)
{
	struct capture **at = &captures;
	while (*at != capture)
		at = &(*at)->next;
	*at = capture->next;
	for (struct cuda_stream *s = streams_first(); s; s = s->next)
		if (s->capture == capture)
			stream_detach(s);
	capture->is_over = true;
	nodes_clear(&capture->left);
	drop(capture);
}

/* ---- What is forbidden ---- */

static cudaError_t invalidate(struct capture *capture, cudaError_t error)
{
	capture->is_invalid = true;
	return error;
}

/* The legacy stream would wait for a blocking stream, which only records what it is to do. */
static cudaError_t check_legacy(bool invalidates)
{
	cudaError_t error = cudaSuccess;
	for (struct cuda_stream *s = streams_first(); s; s = s->next)
		if (s->capture && !(s->flags & cudaStreamNonBlocking)) {
			error = cudaErrorStreamCaptureImplicit;
			s->capture->is_invalid |= invalidates;
		}
	return error;
}

cudaError_t capture_check(struct cuda_stream *stream, bool waits)
{
	mutex_must_be_held(&driver_lock);
	if (stream->is_legacy)
		return check_legacy(true);
	if (!stream->capture)
		return cudaSuccess;
	if (stream->capture->is_invalid)
		return cudaErrorStreamCaptureInvalidated;
	return waits ? invalidate(stream->capture, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t capture_refuse(struct cuda_stream *stream)
{
	mutex_lock(&driver_lock);
	cudaError_t error = capture_check(stream, true);
	mutex_unlock(&driver_lock);
	return error;
}

cudaError_t capture_check_event(const struct cuda_event *event)
{
	mutex_must_be_held(&driver_lock);
	if (!event->capture)
		return cudaSuccess;
	return invalidate(event->capture, cudaErrorCapturedEvent);
}

/* cudaThreadExchangeStreamCaptureMode says which captures forbid calls to which threads. */
static bool forbids_unsafe(const struct capture *capture)
{
	bool is_ours = pthread_equal(capture->thread, pthread_self());
	if (thread_mode == cudaStreamCaptureModeRelaxed)
		return false;
	if (is_ours)
		return capture->mode != cudaStreamCaptureModeRelaxed;
	return thread_mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal;
}

cudaError_t unsafe_before(void)
{
	cudaError_t error = error_before();
	if (error)
		return error;
	mutex_lock(&driver_lock);
	for (struct capture *c = captures; c; c = c->next)
		if (forbids_unsafe(c))
			error = invalidate(c, cudaErrorStreamCaptureUnsupported);
	mutex_unlock(&driver_lock);
	return error;
}

/* ---- What is captured ---- */

struct cuda_node *capture_node(struct cuda_stream *stream, enum cudaGraphNodeType type)
{
	struct cuda_node *node = graph_add(stream->capture->graph, type, &stream->ends);
	nodes_clear(&stream->ends);
	if (node && nodes_add(&stream->ends, node))
		return node;
	stream->capture->is_invalid = true;
	return NULL;
}

cudaError_t capture_work(struct cuda_stream *stream, const struct work_kind *kind, const void *work)
{
	static const cudaGraphEdgeData early = {.from_port = 1, .type = 1};
	bool is_early = kind == &launch_kind && ((const struct launch *)work)->given.is_early &&
			stream->ends.count == 1 && stream->ends.at[0]->type == cudaGraphNodeTypeKernel;
	struct cuda_node *before = is_early ? stream->ends.at[0] : NULL;
	struct cuda_node *node = capture_node(stream, kind->node);
	if (!node && kind->discard)
		kind->discard((void *)(uintptr_t)work);
	if (node && is_early && !graph_note_edge(node, before, &early, 0))
		return cudaErrorMemoryAllocation;
	return node && node_set_work(node, kind, work) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t capture_event_node(struct cuda_stream *stream, enum cudaGraphNodeType type, struct cuda_event *event)
{
	struct cuda_node *node = capture_node(stream, type);
	if (node)
		node->event = event;
	return node ? cudaSuccess : cudaErrorMemoryAllocation;
}

void capture_forget_event(struct cuda_event *event)
{
	mutex_must_be_held(&driver_lock);
	drop(event->capture);
	event->capture = NULL;
	nodes_clear(&event->nodes);
}

cudaError_t capture_record(struct cuda_stream *stream, struct cuda_event *event)
{
	event_set_task(event, NULL);
	event->capture = stream->capture;
	event->capture->holds++;
	return nodes_unite(&event->nodes, &stream->ends) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t join(struct cuda_stream *stream, struct cuda_event *event)
{
	if (stream->is_legacy)
		return invalidate(event->capture, cudaErrorStreamCaptureImplicit);
	assert(!stream->capture && !event->capture->is_over);
	stream->capture = event->capture;
	stream->capture->holds++;
	return nodes_unite(&stream->ends, &event->nodes) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t capture_wait(struct cuda_stream *stream, struct cuda_event *event)
{
	if (!event->capture && !event->recorded)
		return cudaSuccess; /* nothing to wait for */
	if (!event->capture)
		return invalidate(stream->capture, cudaErrorStreamCaptureIsolation);
	if (event->capture->is_over)
		return stream->capture ? invalidate(stream->capture, cudaErrorStreamCaptureIsolation)
				       : cudaErrorCapturedEvent;
	if (event->capture->is_invalid)
		return cudaErrorStreamCaptureInvalidated;
	if (!stream->capture)
		return join(stream, event);
	if (stream->capture != event->capture) {
		invalidate(event->capture, cudaErrorStreamCaptureMerge);
		return invalidate(stream->capture, cudaErrorStreamCaptureMerge);
	}
	return nodes_unite(&stream->ends, &event->nodes) ? cudaSuccess : cudaErrorMemoryAllocation;
}

struct cuda_graph *capture_leave(struct cuda_stream *stream)
{
	struct capture *capture = stream->capture;
	if (!capture)
		return NULL;
	if (capture->origin != stream) {
		if (!nodes_unite(&capture->left, &stream->ends))
			capture->is_invalid = true;
		stream_detach(stream);
		return NULL;
	}
	struct cuda_graph *graph = capture->is_into_given ? NULL : capture->graph;
	end(capture);
	return graph;
}

/* ---- Beginning and ending ---- */

/* driver_lock is held. */
static cudaError_t begin(struct cuda_stream *stream, enum cudaStreamCaptureMode mode, struct cuda_graph *into,
	const struct node_set *after)
{
	mutex_must_be_held(&driver_lock);
	if (stream->capture)
		return cudaErrorIllegalState;
	struct capture *capture = calloc(1, sizeof *capture);
	struct cuda_graph *graph = into ? into : graph_new();
	if (!capture || !graph || !nodes_unite(&stream->ends, after)) {
		free(capture);
		if (!into)
			graph_free(graph);
		nodes_clear(&stream->ends);
		return cudaErrorMemoryAllocation;
	}
	*capture = (struct capture){.id = ++begun,
		.mode = mode,
		.thread = pthread_self(),
		.origin = stream,
		.is_into_given = into,
		.graph = graph,
		.holds = 2,
		.next = captures};
	captures = capture;
	stream->capture = capture;
	return cudaSuccess;
}

/* `wrong`: the error of the graph and the nodes, if there is one. */
static cudaError_t begin_capture(cudaStream_t handle, enum cudaStreamCaptureMode mode, struct cuda_graph *into,
	const struct node_set *after, cudaError_t wrong)
{
	struct cuda_stream *stream;
	cudaError_t error = stream_find(handle, &stream);
	if (!error && (unsigned int)mode > cudaStreamCaptureModeRelaxed)
		error = cudaErrorInvalidValue;
	if (!error)
		error = stream->is_legacy ? cudaErrorStreamCaptureUnsupported : wrong;
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	error = begin(stream, mode, into, after);
	mutex_unlock(&driver_lock);
	return error_note(error);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	return begin_capture(stream, mode, NULL, &(struct node_set){0}, cudaSuccess);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode)
{
	const struct node_set nodes = {(cudaGraphNode_t *)(uintptr_t)after, count, count};
	return begin_capture(stream, mode, graph, &nodes, graph_check_nodes(graph, after, edges, count));
}

/* Notes in `set` what the node comes after, by way of others. */
static bool add_all_before(struct node_set *set, struct cuda_node *node)
{
	if (nodes_have(set, node))
		return true;
	if (!nodes_add(set, node))
		return false;
	for (size_t k = 0; k < node->before.count; k++)
		if (!add_all_before(set, node->before.at[k]))
			return false;
	return true;
}

/* All that other streams captured must come before where the first one is. */
static cudaError_t check_joined(const struct capture *capture)
{
	struct node_set known = {0};
	bool has_room = true, good = true;
	for (size_t k = 0; k < capture->origin->ends.count; k++)
		has_room = has_room && add_all_before(&known, capture->origin->ends.at[k]);
	for (const struct cuda_stream *s = streams_first(); s; s = s->next)
		for (size_t k = 0; s->capture == capture && k < s->ends.count; k++)
			good = good && nodes_have(&known, s->ends.at[k]);
	for (size_t k = 0; k < capture->left.count; k++)
		good = good && nodes_have(&known, capture->left.at[k]);
	nodes_clear(&known);
	if (!has_room)
		return cudaErrorMemoryAllocation;
	return good ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

/* *graph is the capture's, to be freed without the lock when there is an error.  driver_lock is held. */
static cudaError_t finish(struct cuda_stream *stream, cudaGraph_t *graph)
{
	struct capture *capture = stream->capture;
	mutex_must_be_held(&driver_lock);
	if (!capture)
		return cudaErrorIllegalState;
	if (capture->origin != stream)
		return invalidate(capture, cudaErrorStreamCaptureUnmatched);
	if (capture->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(capture->thread, pthread_self()))
		return cudaErrorStreamCaptureWrongThread;
	cudaError_t error = capture->is_invalid ? cudaErrorStreamCaptureInvalidated : check_joined(capture);
	if (!error || !capture->is_into_given)
		*graph = capture->graph;
	end(capture);
	return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
	struct cuda_stream *stream;
	struct cuda_graph *made = NULL;
	cudaError_t error = stream_find(handle, &stream);
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	bool is_given = stream->capture && stream->capture->is_into_given; /* then it need not be told */
	error = graph || is_given ? finish(stream, &made) : cudaErrorInvalidValue;
	mutex_unlock(&driver_lock);
	if (error) {
		graph_free(made);
		made = NULL;
	}
	if (graph)
		*graph = made;
	return error_note(error);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	if (!mode || (unsigned int)*mode > cudaStreamCaptureModeRelaxed)
		return error_note(cudaErrorInvalidValue);
	enum cudaStreamCaptureMode before = thread_mode;
	thread_mode = *mode;
	*mode = before;
	return cudaSuccess;
}

/* ---- Questions ---- */

cudaError_t capture_info(cudaStream_t handle, enum cudaStreamCaptureStatus *status, unsigned long long *id,
	cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *count)
{
	struct cuda_stream *stream;
	cudaError_t error = stream_find(handle, &stream);
	if (!error && (!status || (edges && !after)))
		error = cudaErrorInvalidValue;
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	const struct capture *capture = stream->capture;
	error = stream->is_legacy ? check_legacy(false) : cudaSuccess;
	*status = !capture              ? cudaStreamCaptureStatusNone
		  : capture->is_invalid ? cudaStreamCaptureStatusInvalidated
					: cudaStreamCaptureStatusActive;
	if (id)
		*id = capture ? capture->id : 0;
	if (graph)
		*graph = capture ? capture->graph : NULL;
	if (after)
		*after = stream->ends.at;
	if (edges)
		*edges = NULL; /* all of them plain */
	if (count)
		*count = stream->ends.count;
	mutex_unlock(&driver_lock);
	return error_note(error);
}

cudaError_t capture_update(
	cudaStream_t handle, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, unsigned int flags)
{
	struct cuda_stream *stream;
	struct node_set given = {nodes, count, count};
	cudaError_t error = stream_find(handle, &stream);
	if (!error && flags > cudaStreamSetCaptureDependencies)
		error = cudaErrorInvalidValue;
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	error = stream->capture ? capture_check(stream, false) : cudaErrorIllegalState;
	if (!error)
		error = graph_check_nodes(stream->capture->graph, nodes, edges, count);
	if (!error && flags == cudaStreamSetCaptureDependencies)
		nodes_clear(&stream->ends);
	if (!error && !nodes_unite(&stream->ends, &given))
		error = cudaErrorMemoryAllocation;
	mutex_unlock(&driver_lock);
	return error_note(error);
}
