/* Contexts. */
#include "host/device.h"
#include "host/opencl/objects.h"

#include <stdlib.h>
#include <string.h>

static void destroy(struct object *object)
{
	cl_context context = (cl_context)object;
	for (struct callback *c = context->callbacks, *next; c; c = next) {
		next = c->next;
		c->call.context(context, c->data);
		free(c);
	}
}

static cl_int check_properties(const cl_context_properties *properties)
{
	bool platform_given = false, sync_given = false;
	for (; properties && *properties; properties += 2) {
		bool *given = *properties == CL_CONTEXT_PLATFORM            ? &platform_given
			      : *properties == CL_CONTEXT_INTEROP_USER_SYNC ? &sync_given
									    : NULL;
		if (!given || *given)
			return CL_INVALID_PROPERTY;
		*given = true;
		if (given == &platform_given && (cl_platform_id)properties[1] != platform_object())
			return CL_INVALID_PLATFORM;
		if (given == &sync_given && properties[1] != CL_TRUE && properties[1] != CL_FALSE)
			return CL_INVALID_PROPERTY;
	}
	return CL_SUCCESS;
}

/* The callback for errors is never called: calls return their errors. */
static cl_context create(const cl_context_properties *properties, bool may_have_data, cl_int *why)
{
	*why = may_have_data ? check_properties(properties) : CL_INVALID_VALUE;
	void *context = *why ? NULL
			     : object_new(OBJECT_CONTEXT, sizeof(struct _cl_context), destroy, NULL,
				       (const cl_bitfield *)properties);
	if (context)
		device_reach(CHANNEL_CONTEXT);
	return context;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
	const cl_device_id *devices, void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
	void *user_data, cl_int *errcode_ret)
{
	cl_context context = NULL;
	cl_int why = devices && num_devices ? CL_SUCCESS : CL_INVALID_VALUE;
	for (cl_uint k = 0; !why && k < num_devices; k++)
		if (!object_is(devices[k], OBJECT_DEVICE))
			why = CL_INVALID_DEVICE;
	if (!why)
		context = create(properties, notify || !user_data, &why);
	return created(context, why, errcode_ret);
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *properties,
	cl_device_type type, void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user_data,
	cl_int *errcode_ret)
{
	cl_device_id device;
	cl_context context = NULL;
	cl_int why = clGetDeviceIDs(platform_object(), type, 1, &device, NULL);
	if (!why)
		context = create(properties, notify || !user_data, &why);
	return created(context, why, errcode_ret);
}

OBJECT_COUNTED(Context, cl_context, OBJECT_CONTEXT, CL_INVALID_CONTEXT)

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	switch (param_name) {
	case CL_CONTEXT_REFERENCE_COUNT: return ANSWER(cl_uint, atomic_load(&context->object.references));
	case CL_CONTEXT_NUM_DEVICES: return ANSWER(cl_uint, 1);
	case CL_CONTEXT_DEVICES: return ANSWER(cl_device_id, device_object());
	case CL_CONTEXT_PROPERTIES: return ANSWER_PROPERTIES(context);
	default: return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(
	cl_context context, void(CL_CALLBACK *notify)(cl_context, void *), void *user_data)
{
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!notify)
		return CL_INVALID_VALUE;
	struct callback callback = {.call.context = notify, .data = user_data};
	return callback_add(&context->callbacks, &callback);
}
