/* Streams, and functions of the host that are called in their order. */
#include "host/cuda/objects.h"

#include "host/cuda/graph.h"
#include "util/arena.h"

#include <stdlib.h>
#include <string.h>

/* All guarded by driver_lock. */
static struct cuda_stream legacy = {.holds = 1, .is_legacy = true};
static struct cuda_stream *streams; /* but for the legacy one */
/* Of blocking streams that were destroyed since the legacy stream's newest task: those with work that is not over; and
 * what is before its next task. */
static struct cuda_stream *destroyed;
static struct order destroyed_order;
static _Thread_local struct cuda_stream *per_thread;

struct cuda_stream *streams_first(void)
{
	return streams;
}

struct cuda_stream *streams_legacy(void)
{
	return &legacy;
}

bool streams_come_after_destroyed(struct task *task)
{
	bool good = true;
	order_join(&task->command.order, &destroyed_order);
	for (const struct cuda_stream *s = destroyed; s; s = s->next)
		good = good && task_come_after(task, s->last);
	return good;
}

void streams_forget_destroyed(void)
{
	while (destroyed) {
		struct cuda_stream *stream = destroyed;
		destroyed = stream->next;
		stream_drop(stream);
	}
	order_free(&destroyed_order);
}

/* ---- Streams ---- */

static struct cuda_stream *stream_new(unsigned int flags)
{
	struct cuda_stream *stream = calloc(1, sizeof *stream);
	if (!stream)
		return NULL;
	stream->holds = 1;
	stream->flags = flags;
	mutex_lock(&driver_lock);
	static unsigned long long made = 1; /* the legacy stream is 0 */
	stream->id = made++;
	stream->next = streams;
	if (streams)
		streams->previous = stream;
	streams = stream;
	mutex_unlock(&driver_lock);
	return stream;
}

static bool exists(const struct cuda_stream *stream)
{
	const struct cuda_stream *s;
	mutex_lock(&driver_lock);
	for (s = streams; s && s != stream;)
		s = s->next;
	mutex_unlock(&driver_lock);
	return s;
}

struct cuda_stream *stream_of(cudaStream_t handle)
{
	if (!handle || handle == cudaStreamLegacy)
		return &legacy;
	if (handle == cudaStreamPerThread) {
		if (!per_thread && !(per_thread = stream_new(0)))
			arena_out_of_memory(sizeof *per_thread); /* null: the program gave no stream */
		return per_thread;
	}
	return exists(handle) ? handle : NULL;
}

cudaError_t stream_find(cudaStream_t handle, struct cuda_stream **stream)
{
	*stream = stream_of(handle);
	cudaError_t error = error_before();
	return error || *stream ? error : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	cudaError_t error = error_unless(stream && !(flags & ~cudaStreamNonBlocking));
	(void)priority; /* the model has none: cudaDeviceGetStreamPriorityRange says so */
	if (!error && !(*stream = stream_new(flags)))
		error = cudaErrorMemoryAllocation;
	return error_note(error);
}

/* What is in the blocking stream stays before the legacy stream's next task. */
static void keep_destroyed(struct cuda_stream *stream)
{
	order_join(&destroyed_order, &stream->order);
	stream->next = destroyed;
	destroyed = stream;
	for (struct cuda_stream **at = &destroyed; (stream = *at);)
		if (stream->last) {
			at = &stream->next;
		} else {
			*at = stream->next;
			stream_drop(stream);
		}
}

/* Returns at once; what is in the stream will be carried out. */
cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
	struct cuda_stream *stream = stream_of(handle);
	if (!stream || stream == &legacy || stream == per_thread)
		return error_note(cudaErrorInvalidResourceHandle);
	mutex_lock(&driver_lock);
	struct cuda_graph *unfinished = capture_leave(stream);
	*(stream->previous ? &stream->previous->next : &streams) = stream->next;
	if (stream->next)
		stream->next->previous = stream->previous;
	if (stream->flags & cudaStreamNonBlocking)
		stream_drop(stream);
	else
		keep_destroyed(stream);
	mutex_unlock(&driver_lock);
	graph_free(unfinished);
	return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags)
{
	struct cuda_stream *stream = stream_of(handle);
	if (!stream)
		return error_note(cudaErrorInvalidResourceHandle);
	if (!flags)
		return error_note(cudaErrorInvalidValue);
	*flags = stream->flags;
	return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
	if (!stream_of(handle))
		return error_note(cudaErrorInvalidResourceHandle);
	if (!priority)
		return error_note(cudaErrorInvalidValue);
	*priority = 0;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	if (least)
		*least = 0;
	if (greatest)
		*greatest = 0;
	return cudaSuccess;
}

/* Waits for what is in the stream.  driver_lock is held. */
static cudaError_t finish(struct cuda_stream *stream)
{
	cudaError_t error = capture_check(stream, true);
	if (error)
		return error;
	if (!stream->is_legacy) {
		error = task_wait(stream->last);
		order_host_knows(&stream->order);
		return error;
	}
	struct task *marker = task_new(stream, NULL, NULL); /* comes after the blocking streams, too */
	return marker ? task_enqueue(marker, NULL, true) : cudaErrorMemoryAllocation;
}

static cudaError_t find(cudaStream_t handle, struct cuda_stream **stream)
{
	cudaError_t error = unsafe_before();
	*stream = stream_of(handle);
	return error || *stream ? error : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
	struct cuda_stream *stream;
	cudaError_t error = find(handle, &stream);
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	error = finish(stream);
	mutex_unlock(&driver_lock);
	return error_note(error);
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
	struct cuda_stream *stream;
	cudaError_t error = find(handle, &stream);
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	error = capture_check(stream, true);
	mutex_unlock(&driver_lock);
	if (!error && !(error = task_query(&stream->last))) {
		mutex_lock(&driver_lock);
		order_host_knows(&stream->order);
		mutex_unlock(&driver_lock);
	}
	return error_note(error);
}

cudaError_t cudaDeviceSynchronize(void)
{
	cudaError_t error = unsafe_before();
	return error_note(error ? error : tasks_finish());
}

/* ---- Functions of the host ---- */

static int32_t run_host_call(struct command *command, uint64_t *nanoseconds)
{
	const struct host_call *call = (struct host_call *)task_of(command)->work;
	(void)nanoseconds;
	if (call->function)
		call->function(call->data);
	else
		call->callback(call->stream, cudaSuccess, call->data);
	return 0;
}

static void host_call_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	(void)work;
	(void)arena;
	queued->what = "a function of the host";
}

const struct work_kind host_call_kind = {.bytes = sizeof(struct host_call),
	.node = cudaGraphNodeTypeHost,
	.engine = ENGINE_NONE,
	.run = run_host_call,
	.queued = host_call_queued};

static cudaError_t enqueue_host_call(cudaStream_t handle, struct host_call call)
{
	struct cuda_stream *stream;
	cudaError_t error = stream_find(handle, &stream);
	if (!error && !call.function && !call.callback)
		error = cudaErrorInvalidValue;
	return error ? error : work_submit(stream, &host_call_kind, &call, false);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
	return error_note(enqueue_host_call(stream, (struct host_call){.function = function, .data = data}));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned int flags)
{
	if (flags)
		return error_note(cudaErrorInvalidValue);
	if (stream_of(stream) && stream_of(stream)->capture)
		return error_note(capture_refuse(stream_of(stream)));
	return error_note(
		enqueue_host_call(stream, (struct host_call){.callback = function, .data = data, .stream = stream}));
}

/* ---- What else streams have ---- */

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
	const struct cuda_stream *stream = stream_of(handle);
	if (!stream || !id)
		return error_note(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	*id = stream->id;
	return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
	if (!stream_of(handle) || !device)
		return error_note(device ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

/* cudaLaunchAttribute...: those that streams have.  Where data stays in the L2, how the host waits and which kernel
 * goes first are hints without effect here; a program may ask for what it set. */
enum { ATTRIBUTE_WINDOW = 1, ATTRIBUTE_SYNCHRONIZATION = 3, ATTRIBUTE_PRIORITY = 8 };

static void *attribute_of(struct cuda_stream *stream, int which, size_t *bytes)
{
	*bytes = which == ATTRIBUTE_WINDOW ? sizeof stream->window : sizeof(int);
	return which == ATTRIBUTE_WINDOW            ? stream->window
	       : which == ATTRIBUTE_SYNCHRONIZATION ? (void *)&stream->synchronization
	       : which == ATTRIBUTE_PRIORITY        ? (void *)&stream->priority
						    : NULL;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, int which, const void *value)
{
	struct cuda_stream *stream = stream_of(handle);
	size_t bytes;
	void *at = stream ? attribute_of(stream, which, &bytes) : NULL;
	if (!at || !value)
		return error_note(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	mutex_lock(&driver_lock);
	memcpy(at, value, bytes);
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, int which, void *value)
{
	struct cuda_stream *stream = stream_of(handle);
	size_t bytes;
	const void *at = stream ? attribute_of(stream, which, &bytes) : NULL;
	if (!at || !value)
		return error_note(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	memset(value, 0, sizeof((struct cudaLaunchAttribute *)0)->value);
	memcpy(value, at, bytes);
	return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
	struct cuda_stream *a = stream_of(to), *b = stream_of(from);
	if (!a || !b)
		return error_note(cudaErrorInvalidResourceHandle);
	mutex_lock(&driver_lock);
	memcpy(a->window, b->window, sizeof a->window);
	a->synchronization = b->synchronization;
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

/* All streams and the host may touch managed memory at any time: nothing is to be attached. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void *pointer, size_t bytes, unsigned int flags)
{
	struct memory m;
	struct cuda_stream *stream;
	cudaError_t error = stream_find(handle, &stream);
	if (!error && (!memory_find((uint64_t)(uintptr_t)pointer, &m) || m.type != cudaMemoryTypeManaged ||
			      (bytes && bytes != m.bytes) || (flags != 1 && flags != 2 && flags != 4)))
		error = cudaErrorInvalidValue;
	return error_note(error);
}
