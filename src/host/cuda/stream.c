/* Streams, their tasks and the order among them; events. */
#include "host/cuda/objects.h"

#include <stdlib.h>

/* All guarded by driver_lock. */
cudaError_t sticky_error;
static struct cuda_stream legacy = {.holds = 1, .is_legacy = true};
static struct cuda_stream *streams; /* but for the legacy one */
static _Thread_local struct cuda_stream *per_thread;

cudaError_t error_before(void)
{
	if (!device_get())
		return cudaErrorNoDevice;
	device_reach(CHANNEL_CONTEXT);
	pthread_mutex_lock(&driver_lock);
	cudaError_t error = sticky_error;
	pthread_mutex_unlock(&driver_lock);
	return error;
}

/* ---- Tasks ---- */

/* driver_lock is held.  A workspace stays: freeing it takes that lock. */
static void stream_drop(struct cuda_stream *stream)
{
	if (!--stream->holds)
		free(stream);
}

/* driver_lock is held. */
static void task_drop(struct task *task)
{
	if (!task || --task->holds)
		return;
	for (uint32_t k = 0; k < task->command.before_count; k++)
		task_drop(task_of(task->command.before[k].earlier));
	if (task->discard)
		task->discard(task);
	stream_drop(task->stream);
	free(task->command.before);
	free(task);
}

static int32_t inherited(const struct command *command)
{
	(void)command;
	return -(int32_t)sticky_error;
}

/* Those that it came after are not needed any more; it may be, for its time. */
static void over(struct command *command)
{
	struct task *task = task_of(command);
	for (uint32_t k = 0; k < command->before_count; k++)
		task_drop(task_of(command->before[k].earlier));
	command->before_count = 0;
	if (task->stream->last == task) {
		task->stream->last = NULL;
		task_drop(task);
	}
	task_drop(task);
}

static const struct command_owner owner = {.inherited = inherited, .over = over};

struct task *task_new(struct cuda_stream *stream, enum engine engine, run_function *run, size_t bytes)
{
	struct task *task = calloc(1, sizeof *task + bytes);
	if (!task)
		return NULL;
	task->command = (struct command){.owner = &owner, .status = COMMAND_QUEUED, .engine = engine, .run = run};
	task->stream = stream;
	task->holds = 1;
	pthread_mutex_lock(&driver_lock);
	stream->holds++;
	pthread_mutex_unlock(&driver_lock);
	return task;
}

void task_discard(struct task *task)
{
	pthread_mutex_lock(&driver_lock);
	task_drop(task);
	pthread_mutex_unlock(&driver_lock);
}

static void come_after(struct task *task, struct task *earlier)
{
	if (!earlier || command_is_over(&earlier->command))
		return;
	earlier->holds++;
	task->command.before[task->command.before_count++].earlier = &earlier->command;
}

/* The stream's order; and the legacy stream's: its tasks come after all that is in blocking streams, and theirs after its.
 * `event`: one more to come after; may be null. */
static bool add_order(struct task *task, struct task *event)
{
	uint32_t count = 3;
	for (const struct cuda_stream *s = streams; s; s = s->next)
		count++;
	task->command.before = calloc(count, sizeof *task->command.before);
	if (!task->command.before)
		return false;
	come_after(task, event);
	come_after(task, task->stream->last);
	if (task->stream->is_legacy) {
		for (struct cuda_stream *s = streams; s; s = s->next)
			if (!(s->flags & cudaStreamNonBlocking))
				come_after(task, s->last);
	} else if (!(task->stream->flags & cudaStreamNonBlocking)) {
		come_after(task, legacy.last);
	}
	return true;
}

/* The error of a task that is over, as the application gets it. */
static cudaError_t error_of(const struct command *command)
{
	return command->status < 0 ? (cudaError_t)-command->status : cudaSuccess;
}

/* Waits for a task that is kept by someone else just now, if there is one.  driver_lock is held. */
static cudaError_t wait_for(struct task *task)
{
	cudaError_t error;
	if (!task)
		return sticky_error;
	if (commands_in_worker())
		return cudaErrorNotPermitted;
	task->holds++;
	commands_wait(&task->command);
	error = error_of(&task->command);
	task_drop(task);
	return error;
}

/* Puts the task behind the others; it is the list's from now on, and the stream's.  driver_lock is held. */
static void append(struct task *task)
{
	commands_append(&task->command);
	task_drop(task->stream->last);
	task->stream->last = task;
	task->holds++;
}

/* driver_lock is held, and is not when it returns. */
static cudaError_t enqueue(struct task *task, struct task *event, bool waits)
{
	cudaError_t error = waits && commands_in_worker() ? cudaErrorNotPermitted : cudaSuccess;
	if (!error && (!commands_start_worker() || !add_order(task, event)))
		error = cudaErrorMemoryAllocation;
	if (error)
		task_drop(task);
	else
		append(task);
	if (!error && waits)
		error = wait_for(task);
	pthread_mutex_unlock(&driver_lock);
	return error;
}

cudaError_t task_enqueue(struct task *task, bool waits)
{
	pthread_mutex_lock(&driver_lock);
	return enqueue(task, NULL, waits);
}

cudaError_t tasks_finish(void)
{
	cudaError_t error = cudaSuccess;
	pthread_mutex_lock(&driver_lock);
	while (!error && commands_newest())
		error = wait_for(task_of(commands_newest()));
	error = error ? error : sticky_error;
	pthread_mutex_unlock(&driver_lock);
	return error;
}

/* ---- Streams ---- */

static struct cuda_stream *stream_new(unsigned int flags)
{
	struct cuda_stream *stream = calloc(1, sizeof *stream);
	if (!stream)
		return NULL;
	stream->holds = 1;
	stream->flags = flags;
	pthread_mutex_lock(&driver_lock);
	stream->next = streams;
	if (streams)
		streams->previous = stream;
	streams = stream;
	pthread_mutex_unlock(&driver_lock);
	return stream;
}

static bool exists(const struct cuda_stream *stream)
{
	const struct cuda_stream *s;
	pthread_mutex_lock(&driver_lock);
	for (s = streams; s && s != stream;)
		s = s->next;
	pthread_mutex_unlock(&driver_lock);
	return s;
}

struct cuda_stream *stream_of(cudaStream_t handle)
{
	if (!handle || handle == cudaStreamLegacy)
		return &legacy;
	if (handle == cudaStreamPerThread) {
		if (!per_thread)
			per_thread = stream_new(0);
		return per_thread;
	}
	return exists(handle) ? handle : NULL;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	cudaError_t error = error_before();
	(void)priority; /* the model has none: cudaDeviceGetStreamPriorityRange says so */
	if (!error && (!stream || flags & ~cudaStreamNonBlocking))
		error = cudaErrorInvalidValue;
	if (!error && !(*stream = stream_new(flags)))
		error = cudaErrorMemoryAllocation;
	return error_note(error);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithPriority(stream, 0, 0);
}

/* Returns at once; what is in the stream will be carried out. */
cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
	struct cuda_stream *stream = stream_of(handle);
	if (!stream || stream == &legacy || stream == per_thread)
		return error_note(cudaErrorInvalidResourceHandle);
	pthread_mutex_lock(&driver_lock);
	*(stream->previous ? &stream->previous->next : &streams) = stream->next;
	if (stream->next)
		stream->next->previous = stream->previous;
	stream_drop(stream);
	pthread_mutex_unlock(&driver_lock);
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

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
	struct cuda_stream *stream = stream_of(handle);
	cudaError_t error = error_before();
	if (!error && !stream)
		error = cudaErrorInvalidResourceHandle;
	if (!error && stream->is_legacy) {
		struct task *marker = task_new(stream, ENGINE_NONE, NULL, 0); /* comes after the blocking streams, too */
		return error_note(marker ? task_enqueue(marker, true) : cudaErrorMemoryAllocation);
	}
	if (!error) {
		pthread_mutex_lock(&driver_lock);
		error = wait_for(stream->last);
		pthread_mutex_unlock(&driver_lock);
	}
	return error_note(error);
}

/* An application that asks may go on asking: so this lets the work go on. */
static cudaError_t query(struct task *const *at)
{
	cudaError_t error;
	pthread_mutex_lock(&driver_lock);
	const struct task *task = *at;
	commands_flush();
	error = sticky_error;
	if (!error && task && !command_is_over(&task->command))
		error = cudaErrorNotReady;
	else if (task)
		commands_seen(&task->command);
	pthread_mutex_unlock(&driver_lock);
	return error_note(error);
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
	struct cuda_stream *stream = stream_of(handle);
	if (!stream)
		return error_note(cudaErrorInvalidResourceHandle);
	return query(&stream->last);
}

cudaError_t cudaDeviceSynchronize(void)
{
	cudaError_t error = error_before();
	return error_note(error ? error : tasks_finish());
}

/* ---- Functions of the host ---- */

struct host_call {
	cudaHostFn_t function;
	cudaStreamCallback_t callback;
	void *data;
	cudaStream_t stream;
};

static int32_t run_host_call(struct command *command, uint64_t *nanoseconds)
{
	struct host_call *call = (struct host_call *)task_of(command)->work;
	(void)nanoseconds;
	if (call->function)
		call->function(call->data);
	else
		call->callback(call->stream, cudaSuccess, call->data);
	return 0;
}

static cudaError_t enqueue_host_call(cudaStream_t handle, struct host_call call)
{
	struct cuda_stream *stream = stream_of(handle);
	cudaError_t error = error_before();
	if (error)
		return error;
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!call.function && !call.callback)
		return cudaErrorInvalidValue;
	struct task *task = task_new(stream, ENGINE_NONE, run_host_call, sizeof call);
	if (!task)
		return cudaErrorMemoryAllocation;
	*(struct host_call *)task->work = call;
	return task_enqueue(task, false);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
	return error_note(enqueue_host_call(stream, (struct host_call){.function = function, .data = data}));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned int flags)
{
	if (flags)
		return error_note(cudaErrorInvalidValue);
	return error_note(enqueue_host_call(stream, (struct host_call){.callback = function, .data = data, .stream = stream}));
}

/* ---- Events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	cudaError_t error = error_before();
	if (!error && (!event || flags & ~(cudaEventBlockingSync | cudaEventDisableTiming)))
		error = cudaErrorInvalidValue;
	if (!error && !(*event = calloc(1, sizeof **event)))
		error = cudaErrorMemoryAllocation;
	if (!error)
		(*event)->flags = flags;
	return error_note(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	if (!event)
		return error_note(cudaErrorInvalidResourceHandle);
	pthread_mutex_lock(&driver_lock);
	task_drop(event->recorded);
	pthread_mutex_unlock(&driver_lock);
	free(event);
	return cudaSuccess;
}

/* A task that does nothing, for an event and a stream. */
static cudaError_t new_marker(cudaStream_t handle, cudaEvent_t event, struct task **marker)
{
	struct cuda_stream *stream = stream_of(handle);
	cudaError_t error = error_before();
	if (error)
		return error;
	if (!event || !stream)
		return cudaErrorInvalidResourceHandle;
	*marker = task_new(stream, ENGINE_NONE, NULL, 0);
	return *marker ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* The end of the marker is the time of the event. */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	struct task *marker;
	cudaError_t error = new_marker(stream, event, &marker);
	if (error)
		return error_note(error);
	pthread_mutex_lock(&driver_lock);
	marker->holds++;
	task_drop(event->recorded);
	event->recorded = marker;
	return error_note(enqueue(marker, NULL, false));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	struct task *marker;
	cudaError_t error = flags & ~1u ? cudaErrorInvalidValue : cudaSuccess; /* 1: of use while a graph is captured */
	if (!error)
		error = new_marker(stream, event, &marker);
	if (error)
		return error_note(error);
	pthread_mutex_lock(&driver_lock);
	return error_note(enqueue(marker, event->recorded, false));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	cudaError_t error = error_before();
	if (!error && !event)
		error = cudaErrorInvalidResourceHandle;
	if (!error) {
		pthread_mutex_lock(&driver_lock);
		error = wait_for(event->recorded);
		pthread_mutex_unlock(&driver_lock);
	}
	return error_note(error);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return event ? query(&event->recorded) : error_note(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
	cudaError_t error = cudaSuccess;
	if (!milliseconds)
		return error_note(cudaErrorInvalidValue);
	if (!start || !end || (start->flags | end->flags) & cudaEventDisableTiming)
		return error_note(cudaErrorInvalidResourceHandle);
	pthread_mutex_lock(&driver_lock);
	if (!start->recorded || !end->recorded)
		error = cudaErrorInvalidResourceHandle;
	else if (!command_is_over(&start->recorded->command) || !command_is_over(&end->recorded->command))
		error = cudaErrorNotReady;
	else
		*milliseconds = (float)((double)(int64_t)(end->recorded->command.ended - start->recorded->command.ended) / 1e6);
	pthread_mutex_unlock(&driver_lock);
	return error_note(error);
}
