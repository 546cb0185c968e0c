/* Command queues, and the commands that only order others: markers, barriers, flush, finish. */
#include "host/device.h"
#include "host/opencl/command.h"

#include <stdlib.h>

static void destroy(struct object *object)
{
	cl_command_queue queue = (cl_command_queue)object;
	object_drop(queue->last);
	object_drop(queue->barrier);
	order_free(&queue->order);
	order_free(&queue->all);
}

#define KNOWN_FLAGS                                                                                                    \
	(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE |                     \
		CL_QUEUE_ON_DEVICE_DEFAULT)

/* *why is no error yet. */
static cl_command_queue create(
	cl_context context, cl_command_queue_properties flags, const cl_queue_properties *list, cl_int *why)
{
	static _Atomic uint64_t made;
	if (flags & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
		*why = CL_INVALID_QUEUE_PROPERTIES; /* the device has no queues of its own */
	cl_command_queue queue = *why ? NULL : object_new(OBJECT_QUEUE, sizeof *queue, destroy, context, list);
	if (queue) {
		queue->number = made++;
		queue->flags = flags;
	}
	return queue;
}

static cl_int check(cl_context context, cl_device_id device)
{
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	return object_is(device, OBJECT_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(
	cl_context context, cl_device_id device, cl_command_queue_properties flags, cl_int *errcode_ret)
{
	cl_int why = check(context, device);
	if (!why && flags & ~(cl_command_queue_properties)KNOWN_FLAGS)
		why = CL_INVALID_VALUE;
	cl_command_queue queue = why ? NULL : create(context, flags, NULL, &why);
	return created(queue, why, errcode_ret);
}

static cl_int read_properties(const cl_queue_properties *list, cl_command_queue_properties *flags)
{
	bool sized = false;
	*flags = 0;
	for (; list && *list; list += 2) {
		if (*list == CL_QUEUE_PROPERTIES)
			*flags = list[1];
		else if (*list == CL_QUEUE_SIZE)
			sized = true;
		else
			return CL_INVALID_VALUE;
	}
	if (*flags & ~(cl_command_queue_properties)KNOWN_FLAGS)
		return CL_INVALID_VALUE;
	/* A size is only for queues on the device, which must be out of order. */
	if (sized && !(*flags & CL_QUEUE_ON_DEVICE))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(
	cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *errcode_ret)
{
	cl_command_queue_properties flags = 0;
	cl_int why = check(context, device);
	if (!why)
		why = read_properties(properties, &flags);
	cl_command_queue queue = why ? NULL : create(context, flags, properties, &why);
	return created(queue, why, errcode_ret);
}

/* Deprecated with OpenCL 1.0; a device need not be able to, and says so with this code. */
CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(
	cl_command_queue queue, cl_command_queue_properties flags, cl_bool enable, cl_command_queue_properties *old)
{
	(void)enable;
	if (!object_is(queue, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (flags & ~(cl_command_queue_properties)KNOWN_FLAGS)
		return CL_INVALID_VALUE;
	if (old)
		*old = queue->flags;
	return CL_INVALID_QUEUE_PROPERTIES;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue)
{
	return object_is(queue, OBJECT_QUEUE) && object_retain(queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

/* Releasing flushes. */
CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
	if (!object_is(queue, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	command_flush();
	return object_release(queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(queue, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	switch (param_name) {
	case CL_QUEUE_CONTEXT: return ANSWER(cl_context, queue->object.context);
	case CL_QUEUE_DEVICE: return ANSWER(cl_device_id, device_object());
	case CL_QUEUE_REFERENCE_COUNT: return ANSWER(cl_uint, atomic_load(&queue->object.references));
	case CL_QUEUE_PROPERTIES: return ANSWER(cl_command_queue_properties, queue->flags);
	case CL_QUEUE_PROPERTIES_ARRAY: return ANSWER_PROPERTIES(queue);
	case CL_QUEUE_DEVICE_DEFAULT: return ANSWER(cl_command_queue, NULL);
	case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE; /* only of queues on the device */
	default: return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
	if (!object_is(queue, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	command_flush();
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
	return object_is(queue, OBJECT_QUEUE) ? command_finish(queue) : CL_INVALID_COMMAND_QUEUE;
}

static cl_int enqueue_order(
	cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why = command_check(queue, count, list);
	return why ? why
		   : command_enqueue(command_new(queue, type, count, list, ENGINE_NONE, NULL, NULL, 0), false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(
	cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
	return enqueue_order(queue, CL_COMMAND_MARKER, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(
	cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
	return enqueue_order(queue, CL_COMMAND_BARRIER, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
	if (object_is(queue, OBJECT_QUEUE) && !event)
		return CL_INVALID_VALUE;
	return enqueue_order(queue, CL_COMMAND_MARKER, 0, NULL, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
	return enqueue_order(queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *list)
{
	if (object_is(queue, OBJECT_QUEUE) && (!count || !list))
		return CL_INVALID_VALUE;
	cl_int why = enqueue_order(queue, CL_COMMAND_BARRIER, count, list, NULL);
	return why == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : why;
}
