/* The driver's interface: initialisation, errors, the device, contexts. */
#include "host/cuda/driver_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Errors ---- */

CUresult driver_result(cudaError_t error)
{
	switch (error) {
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidSymbol:
	case cudaErrorInvalidHostPointer:
	case cudaErrorInvalidDevicePointer:
	case cudaErrorInvalidChannelDescriptor:
	case cudaErrorInvalidFilterSetting:
	case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
	case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
	default: return (CUresult)error;
	}
}

static const struct {
	CUresult error;
	const char *name, *text; /* text null: the runtime's */
} errors[] = {
#define DRIVER_ERROR(name, number, text) {name, #name, text},
#include "host/cuda/driver_errors.def"
#undef DRIVER_ERROR
};

CUresult cuGetErrorName(CUresult error, const char **name)
{
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = NULL;
	for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
		if (errors[k].error == error)
			*name = errors[k].name;
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = NULL;
	for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
		if (errors[k].error == error)
			*text = errors[k].text ? errors[k].text : cudaGetErrorString((cudaError_t)error);
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Initialisation and the device ---- */

static bool is_initialised;

CUresult cuInit(unsigned int flags)
{
	device_reach(CHANNEL_ASKED);
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_get())
		return CUDA_ERROR_NO_DEVICE;
	mutex_lock(&driver_lock);
	commands_set_patience(1);
	is_initialised = true;
	mutex_unlock(&driver_lock);
	return CUDA_SUCCESS;
}

static CUresult check_device(const void *answer, CUdevice device)
{
	if (!is_initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	return answer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
	CUresult why = check_device(count, 0);
	if (!why)
		*count = 1;
	return why;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult why = check_device(device, ordinal);
	if (!why)
		*device = 0;
	return why;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
	CUresult why = check_device(name, device);
	if (!why && length <= 0)
		why = CUDA_ERROR_INVALID_VALUE;
	if (!why)
		snprintf(name, (size_t)length, "%s", device_get()->name);
	return why;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CUresult why = check_device(bytes, device);
	if (!why)
		*bytes = device_get()->memory_bytes;
	return why;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
	CUresult why = check_device(value, device);
	if (why)
		return why;
	QUIETLY(cudaDeviceGetAttribute(value, attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	CUresult why = check_device(major && minor ? major : NULL, device);
	if (why)
		return why;
	*major = (int)device_get()->capability / 10;
	*minor = (int)device_get()->capability % 10;
	return CUDA_SUCCESS;
}

/* ---- Contexts ----
 *
 * They only distinguish threads that may make calls from those that may not; memory, modules and streams belong to the
 * one device. */

struct cuda_context {
	uint32_t holds;
};

#define STACKED 32

static struct cuda_context primary; /* the runtime's */
static _Thread_local CUcontext current[STACKED];
static _Thread_local uint32_t depth; /* the current one is current[depth - 1] */

CUresult driver_ready(void)
{
	if (!is_initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	return depth && current[depth - 1] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult driver_check(const void *handle, bool good)
{
	CUresult why = driver_ready();
	if (!why && !handle)
		why = CUDA_ERROR_INVALID_HANDLE;
	return why || good ? why : CUDA_ERROR_INVALID_VALUE;
}

void driver_follow_runtime(void)
{
	is_initialised = true;
	if (depth && current[depth - 1])
		return;
	depth = depth ? depth : 1;
	current[depth - 1] = &primary;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	CUresult why = check_device(context, device);
	if (why)
		return why;
	mutex_lock(&driver_lock);
	primary.holds++;
	mutex_unlock(&driver_lock);
	*context = &primary;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CUresult why = check_device(&primary, device);
	mutex_lock(&driver_lock);
	if (!why && !primary.holds)
		why = CUDA_ERROR_INVALID_CONTEXT;
	if (!why)
		primary.holds--;
	mutex_unlock(&driver_lock);
	return why;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
	if (!is_initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth == STACKED)
		return CUDA_ERROR_INVALID_VALUE;
	current[depth++] = context;
	return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
	CUresult why = driver_ready();
	if (why)
		return why;
	depth--;
	if (context)
		*context = current[depth];
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	if (!is_initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	depth = depth ? depth : 1;
	current[depth - 1] = context;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	if (!is_initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = depth ? current[depth - 1] : NULL;
	return CUDA_SUCCESS;
}

/* Flags say how the host waits, which is not simulated. */
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
	CUresult why = check_device(context, device);
	(void)flags;
	if (why)
		return why;
	*context = calloc(1, sizeof **context);
	return *context ? cuCtxPushCurrent_v2(*context) : CUDA_ERROR_OUT_OF_MEMORY;
}

/* CUctxCreateParams. */
struct context_parameters {
	void *affinity;
	int affinity_count;
	void *graphics;
};

/* Parameters that are not empty ask for a part of the device's cores, or for a graphics device: there is neither. */
CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned int flags, CUdevice device)
{
	const struct context_parameters *p = parameters;
	if (p && (p->affinity || p->affinity_count || p->graphics))
		return CUDA_ERROR_NOT_SUPPORTED;
	return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
	if (!is_initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!context || context == &primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth && current[depth - 1] == context)
		depth--;
	free(context);
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	CUresult why = driver_ready();
	if (!why && !device)
		why = CUDA_ERROR_INVALID_VALUE;
	if (!why)
		*device = 0;
	return why;
}
