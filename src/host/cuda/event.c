/* Events: marks in streams, which other streams and the host wait for, and whose times are asked for. */
#include "host/cuda/objects.h"

#include "host/cuda/graph.h"

#include <stdlib.h>

/* Those that are destroyed stay, for events to come: a program may use the handle of one by mistake.  Guarded by
 * driver_lock. */
static struct cuda_event *destroyed;

/* driver_lock is held. */
static struct cuda_event *create(unsigned int flags)
{
	struct cuda_event *event = destroyed;
	if (event)
		destroyed = event->next_destroyed;
	else if (!(event = calloc(1, sizeof *event)))
		return NULL;
	*event = (struct cuda_event){.flags = flags};
	return event;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	cudaError_t error = error_unless(event && !(flags & ~(cudaEventBlockingSync | cudaEventDisableTiming)));
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	*event = create(flags);
	mutex_unlock(&driver_lock);
	return error_note(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}

static bool exists(const struct cuda_event *event)
{
	if (!event)
		return false;
	mutex_lock(&driver_lock);
	bool is_destroyed = event->is_destroyed;
	mutex_unlock(&driver_lock);
	return !is_destroyed;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	if (!exists(event))
		return error_note(cudaErrorInvalidResourceHandle);
	mutex_lock(&driver_lock);
	event_set_task(event, NULL);
	event->is_destroyed = true;
	event->next_destroyed = destroyed;
	destroyed = event;
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

void event_set_task(struct cuda_event *event, struct task *task)
{
	if (task)
		task->holds++;
	task_drop(event->recorded);
	event->recorded = task;
	capture_forget_event(event);
}

/* The end of the marker is the time of the event.  driver_lock is held. */
static cudaError_t record(struct cuda_event *event, struct cuda_stream *stream, unsigned int flags)
{
	cudaError_t error = capture_check(stream, false);
	if (error)
		return error;
	if (stream->capture)
		return flags & cudaEventRecordExternal ? capture_event_node(stream, cudaGraphNodeTypeEventRecord, event)
						       : capture_record(stream, event);
	if (flags & cudaEventRecordExternal)
		return cudaErrorInvalidValue;
	struct task *marker = task_new(stream, NULL, NULL);
	if (!marker)
		return cudaErrorMemoryAllocation;
	event_set_task(event, marker);
	return task_enqueue(marker, NULL, false);
}

/* driver_lock is held. */
static cudaError_t wait_in_stream(struct cuda_event *event, struct cuda_stream *stream, unsigned int flags)
{
	cudaError_t error = capture_check(stream, false);
	if (error)
		return error;
	if (stream->capture && flags & cudaEventWaitExternal)
		return capture_event_node(stream, cudaGraphNodeTypeWaitEvent, event);
	if (stream->capture || event->capture)
		return capture_wait(stream, event);
	if (flags & cudaEventWaitExternal)
		return cudaErrorInvalidValue;
	struct task *marker = task_new(stream, NULL, NULL);
	return marker ? task_enqueue(marker, event->recorded, false) : cudaErrorMemoryAllocation;
}

/* `what` is record or wait_in_stream; both have one flag, 1. */
static cudaError_t carry_out(cudaError_t (*what)(struct cuda_event *, struct cuda_stream *, unsigned int),
	struct cuda_event *event, cudaStream_t handle, unsigned int flags)
{
	struct cuda_stream *stream = stream_of(handle);
	cudaError_t error = flags & ~1u ? cudaErrorInvalidValue : error_before();
	if (!error && (!exists(event) || !stream))
		error = cudaErrorInvalidResourceHandle;
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	error = what(event, stream, flags);
	mutex_unlock(&driver_lock);
	return error_note(error);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	return carry_out(record, event, stream, flags);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return carry_out(record, event, stream, 0);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	return carry_out(wait_in_stream, event, stream, flags);
}

/* Whether the host may ask for the event, or wait for it. */
static cudaError_t check_question(const struct cuda_event *event)
{
	cudaError_t error = unsafe_before();
	if (error)
		return error;
	if (!exists(event))
		return cudaErrorInvalidResourceHandle;
	mutex_lock(&driver_lock);
	error = capture_check_event(event);
	mutex_unlock(&driver_lock);
	return error;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	cudaError_t error = check_question(event);
	if (!error) {
		mutex_lock(&driver_lock);
		error = task_wait(event->recorded);
		mutex_unlock(&driver_lock);
	}
	return error_note(error);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	cudaError_t error = check_question(event);
	return error_note(error ? error : task_query(&event->recorded));
}

/* Both are over, as the host knows now. */
static float between(const struct command *start, const struct command *end)
{
	order_host_knows(&start->order);
	order_host_knows(&end->order);
	return (float)((double)(int64_t)(end->ended - start->ended) / 1e6);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
	cudaError_t error = cudaSuccess;
	if (!milliseconds)
		return error_note(cudaErrorInvalidValue);
	if (!exists(start) || !exists(end) || (start->flags | end->flags) & cudaEventDisableTiming)
		return error_note(cudaErrorInvalidResourceHandle);
	mutex_lock(&driver_lock);
	if (start->capture || end->capture)
		error = cudaErrorCapturedEvent;
	else if (!start->recorded || !end->recorded)
		error = cudaErrorInvalidResourceHandle;
	else if (!command_is_over(&start->recorded->command) || !command_is_over(&end->recorded->command))
		error = cudaErrorNotReady;
	else
		*milliseconds = between(&start->recorded->command, &end->recorded->command);
	mutex_unlock(&driver_lock);
	return error_note(error);
}
