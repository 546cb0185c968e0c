/* The names of CUDA's device runtime. */
#include "util/device_runtime.h"

#include <string.h>

/* As nvcc 13.0 declares them (cuda_device_runtime_api.h): __cudaCDP2NAME, or cudaNAME where
 * CUDA_FORCE_CDP1_IF_SUPPORTED is defined or nvcc is older than 12; with _ptsz under --default-stream per-thread, where
 * a block's own stream is the thread's. */
static const struct device_function functions[] = {
	{"GetParameterBufferV2", DEVICE_BUFFER, "8cc4", 8},
	{"LaunchDeviceV2", DEVICE_LAUNCH, "88", 4},
	{"GetParameterBuffer", DEVICE_OLD_BUFFER, "88", 8},
	{"LaunchDevice", DEVICE_OLD_LAUNCH, "88cc48", 4},
	{"DeviceSynchronize", DEVICE_WAIT, "", 4},
	{"GetLastError", DEVICE_LAST_ERROR, "", 4},
	{"PeekAtLastError", DEVICE_PEEK_ERROR, "", 4},
	{"GetErrorName", DEVICE_ERROR_NAME, "4", 8},
	{"GetErrorString", DEVICE_ERROR_TEXT, "4", 8},
	{"StreamCreateWithFlags", DEVICE_STREAM_CREATE, "84", 4},
	{"StreamDestroy", DEVICE_STREAM_DESTROY, "8", 4},
	{"StreamWaitEvent", DEVICE_STREAM_WAIT, "884", 4},
	{"EventCreateWithFlags", DEVICE_EVENT_CREATE, "84", 4},
	{"EventRecord", DEVICE_EVENT_RECORD, "88", 4},
	{"EventRecordWithFlags", DEVICE_EVENT_RECORD_FLAGS, "884", 4},
	{"EventDestroy", DEVICE_EVENT_DESTROY, "8", 4},
	{"MemcpyAsync", DEVICE_COPY, "88848", 4},
	{"MemsetAsync", DEVICE_FILL, "8488", 4},
	{"Malloc", DEVICE_MALLOC, "88", 4},
	{"Free", DEVICE_FREE, "8", 4},
	{"GetDevice", DEVICE_GET, "8", 4},
	{"GetDeviceCount", DEVICE_COUNT, "8", 4},
	{"DeviceGetAttribute", DEVICE_ATTRIBUTE, "844", 4},
	{"DeviceGetLimit", DEVICE_LIMIT, "84", 4},
};

/* What libcudadevrt has besides, and calls of the driver. */
static const char *const others[] = {"cudaGraphLaunch", "cudaGetCurrentGraphExec", "cudaFuncGetAttributes",
	"cudaRuntimeGetVersion", "cudaDeviceGetCacheConfig", "cudaDeviceGetSharedMemConfig",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
	"cudaMemcpy2DAsync", "cudaMemcpy3DAsync", "cudaMemset2DAsync", "cudaMemset3DAsync", "cudaGraphSetConditional"};
static const char *const beginnings[] = {"__cudaCDP2", "__cuda_syscall_cnp", "cnp"};

static bool starts(const char *name, size_t length, const char *with)
{
	return length >= strlen(with) && !memcmp(name, with, strlen(with));
}

static size_t without_suffix(const char *name, size_t length)
{
	static const char suffix[] = "_ptsz";
	size_t own = sizeof suffix - 1;

	return length > own && !memcmp(name + length - own, suffix, own) ? length - own : length;
}

/* cudaDeviceSynchronize by the name under which libraries of NVIDIA's call it, without its warning. */
static const char avoidance[] = "__cudaDeviceSynchronizeDeprecationAvoidance";

static const struct device_function *find(const char *name, size_t length)
{
	bool is_avoidance = length == sizeof avoidance - 1 && !memcmp(name, avoidance, length);
	size_t before = starts(name, length, "__cudaCDP2") ? 10 : is_avoidance ? 6 : 4;

	if (before == 4 && !starts(name, length, "cuda"))
		return NULL;
	length -= is_avoidance ? sizeof avoidance - sizeof "__cudaDeviceSynchronize" : 0;
	name += before;
	length = without_suffix(name, length - before);
	for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
		if (strlen(functions[k].name) == length && !memcmp(functions[k].name, name, length))
			return &functions[k];
	return NULL;
}

bool device_runtime_has(const char *name, size_t length)
{
	for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
		if (starts(name, length, beginnings[k]))
			return true;
	if (find(name, length))
		return true;
	length = without_suffix(name, length);
	for (size_t k = 0; k < sizeof others / sizeof *others; k++)
		if (strlen(others[k]) == length && !memcmp(others[k], name, length))
			return true;
	return false;
}

const struct device_function *device_runtime_find(const char *name)
{
	return find(name, strlen(name));
}

static const struct error {
	uint32_t code;
	const char *name, *text;
} errors[] = {
	{DEVICE_SUCCESS, "cudaSuccess", "no error"},
	{DEVICE_ERROR_VALUE, "cudaErrorInvalidValue", "invalid argument"},
	{DEVICE_ERROR_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
	{DEVICE_ERROR_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
	{DEVICE_ERROR_DIRECTION, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
	{DEVICE_ERROR_DEPTH, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
	{DEVICE_ERROR_SYNC_DEPTH, "cudaErrorSyncDepthExceeded",
		"cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"},
	{DEVICE_ERROR_PENDING, "cudaErrorLaunchPendingCountExceeded",
		"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"},
	{DEVICE_ERROR_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
	{DEVICE_ERROR_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
	{DEVICE_ERROR_RESOURCES, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
	{DEVICE_ERROR_SUPPORT, "cudaErrorNotSupported", "operation not supported"},
};

static const struct error *error_of(uint32_t code)
{
	static const struct error unknown = {0, "unrecognized error code", "unrecognized error code"};

	for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
		if (errors[k].code == code)
			return &errors[k];
	return &unknown;
}

const char *device_error_name(uint32_t error)
{
	return error_of(error)->name;
}

const char *device_error_text(uint32_t error)
{
	return error_of(error)->text;
}
