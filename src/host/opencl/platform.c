/* The platform, and what the loader calls: the three exported functions and the extensions they find. */
#include "host/device.h"
#include "host/opencl/identity.h"

#include <string.h>

const char *const front_end_gpu = NULL;

static struct _cl_platform_id platform = {
	.object = {.dispatch = &driver_dispatch, .kind = OBJECT_PLATFORM, .references = 1, .holds = 1}};

static const cl_name_version platform_extensions[] = {
	{CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"},
	{CL_MAKE_VERSION(1, 0, 0), "cl_khr_extended_versioning"},
};

cl_platform_id platform_object(void)
{
	return &platform;
}

cl_device_id device_object(void)
{
	static struct _cl_device_id device = {
		.object = {.dispatch = &driver_dispatch, .kind = OBJECT_DEVICE, .references = 1, .holds = 1}};
	return identity_get()->good && device_get() ? &device : NULL;
}

cl_int platform_get_info(cl_platform_id id, cl_platform_info param_name, size_t param_value_size, void *param_value,
	size_t *param_value_size_ret)
{
	const char *text = NULL;
	if (id && id != &platform) /* null: ours, as the loader asks us when it has no other */
		return CL_INVALID_PLATFORM;
	if (!identity_knows_platform_query(param_name))
		return CL_INVALID_VALUE;
	switch (param_name) {
	case CL_PLATFORM_PROFILE: text = "FULL_PROFILE"; break;
	case CL_PLATFORM_VERSION: text = identity_get()->version_text; break;
	case CL_PLATFORM_NAME: text = "Lockstep"; break;
	case CL_PLATFORM_VENDOR: text = identity_get()->vendor; break;
	case CL_PLATFORM_EXTENSIONS: text = "cl_khr_icd cl_khr_extended_versioning"; break;
	case CL_PLATFORM_ICD_SUFFIX_KHR: text = "LOCKSTEP"; break;
	case CL_PLATFORM_NUMERIC_VERSION: return ANSWER(cl_version, identity_get()->version);
	case CL_PLATFORM_HOST_TIMER_RESOLUTION: return ANSWER(cl_ulong, 0);
	case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return ANSWER_BYTES(platform_extensions, sizeof platform_extensions);
	default: return CL_INVALID_VALUE;
	}
	return ANSWER_TEXT(text);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(
	cl_platform_id id, cl_platform_info name, size_t size, void *value, size_t *size_ret)
{
	return platform_get_info(id, name, size, value, size_ret);
}

cl_int platform_get_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	device_reach(CHANNEL_LOADED);
	if ((platforms && !num_entries) || (!platforms && !num_platforms))
		return CL_INVALID_VALUE;
	if (platforms)
		*platforms = &platform;
	if (num_platforms)
		*num_platforms = 1;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(
	cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	return platform_get_ids(num_entries, platforms, num_platforms);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFirmwareLOCKSTEP(cl_command_queue queue, cl_kernel firmware,
	cl_uint kernel_count, const cl_kernel *kernels, size_t group, cl_uint count, const cl_event *list,
	cl_event *event);

static const struct {
	const char *name;
	void *function;
} extension_functions[] = {
	{"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
	{"clEnqueueFirmwareLOCKSTEP", (void *)clEnqueueFirmwareLOCKSTEP},
};

void *platform_find_function(const char *name)
{
	for (size_t k = 0; name && k < sizeof extension_functions / sizeof *extension_functions; k++)
		if (!strcmp(extension_functions[k].name, name))
			return extension_functions[k].function;
	return NULL;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	return platform_find_function(name);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id id, const char *name)
{
	return id == &platform ? platform_find_function(name) : NULL;
}
