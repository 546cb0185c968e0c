/* Events as the application sees them. */
#include "host/device.h"
#include "host/opencl/command.h"

#include <stdlib.h>

static void destroy_user_event(struct object *object)
{
	cl_event event = (cl_event)object;
	while (event->callbacks) {
		struct callback *next = event->callbacks->next;
		free(event->callbacks);
		event->callbacks = next;
	}
	order_free(&event->command.order);
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
	cl_int why = object_is(context, OBJECT_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
	cl_event event = why ? NULL : object_new(OBJECT_EVENT, sizeof *event, destroy_user_event, context, NULL);
	if (event) {
		event->type = CL_COMMAND_USER;
		event->command = (struct command){.owner = &event_owner, .status = COMMAND_SUBMITTED};
	}
	return created(event, why, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status)
{
	if (!object_is(event, OBJECT_EVENT) || event->type != CL_COMMAND_USER)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	mutex_lock(&driver_lock);
	bool again = command_is_over(&event->command);
	if (!again)
		commands_settle(&event->command, status);
	mutex_unlock(&driver_lock);
	return again ? CL_INVALID_OPERATION : CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *list)
{
	if (!count || !list)
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; k < count; k++)
		if (!object_is(list[k], OBJECT_EVENT))
			return CL_INVALID_EVENT;
	for (cl_uint k = 1; k < count; k++)
		if (list[k]->object.context != list[0]->object.context)
			return CL_INVALID_CONTEXT;
	mutex_lock(&driver_lock);
	cl_int why = commands_in_worker() ? CL_INVALID_OPERATION : CL_SUCCESS;
	for (cl_uint k = 0; k < count && why != CL_INVALID_OPERATION; k++) {
		commands_wait(&list[k]->command);
		if (list[k]->command.status < 0)
			why = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	mutex_unlock(&driver_lock);
	return why;
}

OBJECT_COUNTED(Event, cl_event, OBJECT_EVENT, CL_INVALID_EVENT)

/* An application may query in a loop: so each query flushes, and is a kind of wait. */
static cl_int status_of(cl_event event)
{
	mutex_lock(&driver_lock);
	commands_flush();
	cl_int status = event->command.status;
	commands_seen(&event->command);
	mutex_unlock(&driver_lock);
	return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
	void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(event, OBJECT_EVENT))
		return CL_INVALID_EVENT;
	switch (param_name) {
	case CL_EVENT_COMMAND_QUEUE: return ANSWER(cl_command_queue, event->queue);
	case CL_EVENT_CONTEXT: return ANSWER(cl_context, event->object.context);
	case CL_EVENT_COMMAND_TYPE: return ANSWER(cl_command_type, event->type);
	case CL_EVENT_COMMAND_EXECUTION_STATUS: return ANSWER(cl_int, status_of(event));
	case CL_EVENT_REFERENCE_COUNT: return ANSWER(cl_uint, atomic_load(&event->object.references));
	default: return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(event, OBJECT_EVENT))
		return CL_INVALID_EVENT;
	if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	mutex_lock(&driver_lock);
	const struct command *c = &event->command;
	bool complete = c->status == CL_COMPLETE;
	if (complete)
		order_host_knows(&c->order);
	/* from CL_PROFILING_COMMAND_QUEUED on; after the end nothing of a command is left to complete */
	const cl_ulong times[] = {c->queued, c->submitted, c->started, c->ended, c->ended};
	mutex_unlock(&driver_lock);
	if (param_name < CL_PROFILING_COMMAND_QUEUED || param_name > CL_PROFILING_COMMAND_COMPLETE)
		return CL_INVALID_VALUE;
	return complete ? ANSWER(cl_ulong, times[param_name - CL_PROFILING_COMMAND_QUEUED])
			: CL_PROFILING_INFO_NOT_AVAILABLE;
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(
	cl_event event, cl_int status, void(CL_CALLBACK *notify)(cl_event, cl_int, void *), void *user_data)
{
	if (!object_is(event, OBJECT_EVENT))
		return CL_INVALID_EVENT;
	if (!notify || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE))
		return CL_INVALID_VALUE;
	struct callback *callback = calloc(1, sizeof *callback);
	if (!callback)
		return CL_OUT_OF_HOST_MEMORY;
	*callback = (struct callback){.call.event = notify, .status = status, .data = user_data};
	mutex_lock(&driver_lock);
	cl_int reached = event->command.status;
	order_host_knows(&event->command.order); /* it may learn by the callback that all before is over */
	if (reached > status) {
		struct callback **end = &event->callbacks;
		while (*end)
			end = &(*end)->next;
		*end = callback;
	}
	mutex_unlock(&driver_lock);
	if (reached <= status) { /* it was there already */
		notify(event, reached < 0 ? reached : status, user_data);
		free(callback);
	}
	return CL_SUCCESS;
}
