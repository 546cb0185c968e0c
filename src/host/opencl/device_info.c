/* What applications ask of the device, and the entry points about devices. */
#include "host/device.h"
#include "host/opencl/identity.h"
#include "host/opencl/image.h"

#include <stdio.h>
#include <string.h>

static const cl_name_version extensions[] = {
#define FEATURE(name, KIND)
#define EXTENSION(name, version, KIND) {CL_MAKE_VERSION(version, 0, 0), #name},
#include "compile/features.def"
};

static const cl_name_version features[] = {
#define EXTENSION(name, version, KIND)
#define FEATURE(name, KIND) {CL_MAKE_VERSION(3, 0, 0), #name},
#include "compile/features.def"
};

/* A dot product takes as many instructions as it looks. */
static const cl_device_integer_dot_product_acceleration_properties_khr not_accelerated;

/* OpenCL C 2.0 is not among them: it demands pipes and device-side enqueue. */
static const cl_name_version languages[] = {
	{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
	{CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
	{CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
	{CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};

static cl_int answer_extensions(bool with_versions, size_t size, void *value, size_t *size_ret)
{
	cl_name_version list[sizeof extensions / sizeof *extensions];
	char text[sizeof list];
	size_t count = 0, length = 0;
	for (size_t k = 0; k < sizeof extensions / sizeof *extensions; k++) {
		if (!identity_has_extension(extensions[k].name))
			continue;
		if (!strcmp(extensions[k].name, "cl_lockstep_firmware") && !device_get()->has_control)
			continue;
		list[count++] = extensions[k];
		length += (size_t)snprintf(
			text + length, sizeof text - length, "%s%s", length ? " " : "", extensions[k].name);
	}
	return with_versions ? answer(list, count * sizeof *list, size, value, size_ret)
			     : answer_text(text, size, value, size_ret);
}

#define FLOAT_RULES                                                                                                    \
	(CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA)
/* cl_ext_float_atomics, which Debian 12's headers do not have yet; numbers from the extension's specification. */
enum {
	SINGLE_FP_ATOMIC_CAPABILITIES = 0x4231,
	DOUBLE_FP_ATOMIC_CAPABILITIES = 0x4232,
	HALF_FP_ATOMIC_CAPABILITIES = 0x4233,
	FLOAT_ATOMICS = 7 | 7 << 16, /* load, store and exchange; add; min and max: in global and in local memory */
};
#define ATOMIC_ORDERS (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST)
#define ATOMIC_SCOPES                                                                                                  \
	(CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |        \
		CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)

/* The queries answered with a cl_bool, cl_uint or enum of 32 bits.  False: not one of them. */
static bool small_number(const struct device *d, cl_device_info name, cl_uint *number)
{
	switch (name) {
	case CL_DEVICE_VENDOR_ID: *number = identity_get()->vendor_id; return true;
	case CL_DEVICE_MAX_COMPUTE_UNITS: *number = d->cores; return true;
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: *number = 3; return true;
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: *number = 1; return true;
	case CL_DEVICE_MAX_CLOCK_FREQUENCY: *number = (d->clock_khz + 500) / 1000; return true;
	case CL_DEVICE_ADDRESS_BITS: *number = 64; return true;
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN: *number = 1024; return true; /* bits: of long16 */
	case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: *number = 128; return true;
	case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: *number = CL_READ_WRITE_CACHE; return true;
	case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: *number = d->line_bytes; return true;
	case CL_DEVICE_MAX_CONSTANT_ARGS: *number = 64; return true;
	case CL_DEVICE_LOCAL_MEM_TYPE: *number = CL_LOCAL; return true;
	case CL_DEVICE_MAX_READ_IMAGE_ARGS: *number = IMAGE_READ_ARGUMENTS; return true;
	case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
	case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: *number = IMAGE_WRITE_ARGUMENTS; return true;
	case CL_DEVICE_MAX_SAMPLERS: *number = IMAGE_SAMPLERS; return true;
	case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
	case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: *number = 1; return true; /* in texels: they lie anywhere */
	case CL_DEVICE_MAX_NUM_SUB_GROUPS: *number = d->group_threads / SUB_GROUP; return true;
	/* Present */
	case CL_DEVICE_IMAGE_SUPPORT:
	case CL_DEVICE_ENDIAN_LITTLE:
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_LINKER_AVAILABLE:
	case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
	case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
	case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
	case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: *number = CL_TRUE; return true;
	/* Absent, or none */
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
	case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
	case CL_DEVICE_PIPE_SUPPORT:
	case CL_DEVICE_MAX_PIPE_ARGS:
	case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
	case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
	case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
	case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
	case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
	case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
	case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
	case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
	case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
	case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: *number = 0; return true;
	case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: *number = CL_TRUE; return true;
	case CL_DEVICE_REFERENCE_COUNT: *number = 1; return true;
	default: return false;
	}
}

static cl_device_svm_capabilities shared_memory(void)
{
	return identity_has_svm()
		       ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS
		       : 0;
}

/* Those answered with 64 bits: cl_ulong, size_t, bit fields. */
static bool large_number(const struct device *d, cl_device_info name, uint64_t *number)
{
	switch (name) {
	case CL_DEVICE_TYPE: *number = CL_DEVICE_TYPE_GPU; return true;
	case CL_DEVICE_MAX_WORK_GROUP_SIZE: *number = d->group_threads; return true;
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		*number = d->memory_bytes / 4 > 128u << 20 ? d->memory_bytes / 4 : d->memory_bytes;
		return true;
	case CL_DEVICE_MAX_PARAMETER_SIZE: *number = 4096; return true;
	case CL_DEVICE_SINGLE_FP_CONFIG: *number = FLOAT_RULES | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT; return true;
	case CL_DEVICE_DOUBLE_FP_CONFIG: *number = FLOAT_RULES; return true;
	case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: *number = d->cache_bytes; return true;
	case CL_DEVICE_GLOBAL_MEM_SIZE: *number = d->memory_bytes; return true;
	case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: *number = d->constant_bytes; return true;
	case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE: *number = 1 << 20; return true;
	case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: *number = 16 << 20; return true;
	case CL_DEVICE_LOCAL_MEM_SIZE: *number = d->group_shared; return true;
	case CL_DEVICE_PROFILING_TIMER_RESOLUTION: *number = 1; return true;
	case CL_DEVICE_EXECUTION_CAPABILITIES: *number = CL_EXEC_KERNEL; return true;
	case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
		*number = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
		return true;
	case CL_DEVICE_SVM_CAPABILITIES: *number = shared_memory(); return true;
	case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: *number = ATOMIC_ORDERS | ATOMIC_SCOPES; return true;
	case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: *number = ATOMIC_ORDERS | ATOMIC_SCOPES; return true;
	case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
		*number = CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
			  CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR;
		return true;
	case SINGLE_FP_ATOMIC_CAPABILITIES:
	case DOUBLE_FP_ATOMIC_CAPABILITIES: *number = FLOAT_ATOMICS; return true;
	case HALF_FP_ATOMIC_CAPABILITIES: *number = 0; return true;
	case CL_DEVICE_PRINTF_BUFFER_SIZE: *number = 1 << 20; return true;
	case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: *number = d->warp; return true;
	case CL_DEVICE_IMAGE2D_MAX_WIDTH:
	case CL_DEVICE_IMAGE2D_MAX_HEIGHT: *number = IMAGE_2D_MAX; return true;
	case CL_DEVICE_IMAGE3D_MAX_WIDTH:
	case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
	case CL_DEVICE_IMAGE3D_MAX_DEPTH: *number = IMAGE_3D_MAX; return true;
	case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: *number = IMAGE_BUFFER_MAX; return true;
	case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: *number = IMAGE_ARRAY_MAX; return true;
	/* Absent, or none */
	case CL_DEVICE_HALF_FP_CONFIG:
	case CL_DEVICE_PARENT_DEVICE:
	case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
	case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
	case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: *number = 0; return true;
	default: return false;
	}
}

static const char *text_of(const struct device *d, cl_device_info name)
{
	switch (name) {
	case CL_DEVICE_NAME: return d->name;
	case CL_DEVICE_VENDOR: return identity_get()->vendor;
	case CL_DRIVER_VERSION: return LOCKSTEP_VERSION;
	case CL_DEVICE_PROFILE: return "FULL_PROFILE";
	case CL_DEVICE_VERSION: return identity_get()->version_text;
	case CL_DEVICE_OPENCL_C_VERSION: return "OpenCL C 1.2 Lockstep";
	case CL_DEVICE_IL_VERSION:
	case CL_DEVICE_BUILT_IN_KERNELS: return "";
	/* none, in the form that OpenCL-CTS demands */
	case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: return "v0000-01-01-00";
	default: return NULL;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
	void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(device, OBJECT_DEVICE))
		return CL_INVALID_DEVICE;
	if (!identity_knows_device_query(param_name))
		return CL_INVALID_VALUE;
	cl_uint small;
	uint64_t large;
	const struct device *model = device_get();
	const char *text = text_of(model, param_name);
	size_t largest = model->group_threads, largest_group[3] = {largest, largest, largest < 64 ? largest : 64};
	if (text)
		return ANSWER_TEXT(text);
	if (small_number(model, param_name, &small))
		return ANSWER(cl_uint, small);
	if (large_number(model, param_name, &large))
		return ANSWER(uint64_t, large);
	switch (param_name) {
	case CL_DEVICE_MAX_WORK_ITEM_SIZES: return ANSWER_BYTES(largest_group, sizeof largest_group);
	case CL_DEVICE_PLATFORM: return ANSWER(cl_platform_id, platform_object());
	case CL_DEVICE_NUMERIC_VERSION: return ANSWER(cl_version, identity_get()->version);
	case CL_DEVICE_EXTENSIONS:
	case CL_DEVICE_EXTENSIONS_WITH_VERSION:
		return answer_extensions(param_name == CL_DEVICE_EXTENSIONS_WITH_VERSION, param_value_size, param_value,
			param_value_size_ret);
	case CL_DEVICE_OPENCL_C_ALL_VERSIONS: return ANSWER_BYTES(languages, sizeof languages);
	case CL_DEVICE_OPENCL_C_FEATURES: return ANSWER_BYTES(features, sizeof features);
	case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: return ANSWER(cl_version, CL_MAKE_VERSION(1, 2, 0));
	case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
	case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR:
		return ANSWER_BYTES(&not_accelerated, sizeof not_accelerated);
	case CL_DEVICE_PARTITION_PROPERTIES:
	case CL_DEVICE_PARTITION_TYPE: return ANSWER(cl_device_partition_property, 0);
	case CL_DEVICE_ILS_WITH_VERSION:
	case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: return ANSWER_BYTES(NULL, 0);
	default: return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(
	cl_platform_id platform, cl_device_type type, cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices)
{
	const cl_device_type known = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
				     CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CUSTOM;
	if (platform && platform != platform_object())
		return CL_INVALID_PLATFORM;
	if (!type || (type != CL_DEVICE_TYPE_ALL && (type & ~known)))
		return CL_INVALID_DEVICE_TYPE;
	if ((devices && !num_entries) || (!devices && !num_devices))
		return CL_INVALID_VALUE;
	device_reach(CHANNEL_ASKED);
	bool wanted = type == CL_DEVICE_TYPE_ALL || type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT);
	cl_device_id device = wanted ? device_object() : NULL;
	if (num_devices)
		*num_devices = device ? 1 : 0;
	if (devices && device)
		*devices = device;
	return device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

/* Also clReleaseDevice (dispatch.c): the device is a root device, and neither changes anything. */
CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
	return object_is(device, OBJECT_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* There is no way to partition it: CL_DEVICE_PARTITION_PROPERTIES is empty. */
CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
	cl_uint num_devices, cl_device_id *devices, cl_uint *num_devices_ret)
{
	(void)properties, (void)num_devices, (void)devices, (void)num_devices_ret;
	return object_is(device, OBJECT_DEVICE) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

/* Simulated time does not keep step with the host's. */
CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host_time)
{
	if (!object_is(device, OBJECT_DEVICE))
		return CL_INVALID_DEVICE;
	return device_time && host_time ? CL_INVALID_OPERATION : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *host_time)
{
	if (!object_is(device, OBJECT_DEVICE))
		return CL_INVALID_DEVICE;
	return host_time ? CL_INVALID_OPERATION : CL_INVALID_VALUE;
}

/* There are no queues on the device. */
CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(
	cl_context context, cl_device_id device, cl_command_queue queue)
{
	(void)queue;
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	return object_is(device, OBJECT_DEVICE) ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}
