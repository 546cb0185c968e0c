/* The driver's interface: initialisation, errors, contexts. */
#include "host/cuda/driver_parts.h"

#include <stdlib.h>

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

CUresult driver_check_device(const void *answer, CUdevice device)
{
	if (!is_initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	return answer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
	CUresult why = driver_check_device(count, 0);
	if (!why)
		*count = 1;
	return why;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult why = driver_check_device(device, ordinal);
	if (!why)
		*device = 0;
	return why;
}

/* ---- Contexts ----
 *
 * They only distinguish threads that may make calls from those that may not; memory, modules and streams belong to the
 * one device. */

struct cuda_context {
	uint32_t holds;
	unsigned long long id;
};

#define STACKED 32

static struct cuda_context primary = {.id = 1}; /* the runtime's */
static unsigned long long last_id = 1;          /* guarded by driver_lock */
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
	CUresult why = driver_check_device(context, device);
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
	CUresult why = driver_check_device(&primary, device);
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
	CUresult why = driver_check_device(context, device);
	(void)flags;
	if (why)
		return why;
	*context = calloc(1, sizeof **context);
	if (!*context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	mutex_lock(&driver_lock);
	(*context)->id = ++last_id;
	mutex_unlock(&driver_lock);
	return cuCtxPushCurrent_v2(*context);
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

/* Its parameters ask for a part of the device's cores. */
CUresult cuCtxCreate_v3(CUcontext *context, void *parameters, int count, unsigned int flags, CUdevice device)
{
	return parameters || count ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(context, flags, device);
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

/* Null: the current one. */
static CUresult check_context(CUcontext *context, const void *answer)
{
	CUresult why = *context ? CUDA_SUCCESS : driver_ready();
	if (!why && !is_initialised)
		why = CUDA_ERROR_NOT_INITIALIZED;
	if (!why && !*context)
		*context = current[depth - 1];
	return why || answer ? why : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
	CUresult why = check_context(&context, device);
	if (!why)
		*device = 0;
	return why;
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
	CUresult why = check_context(&context, &context);
	if (why)
		return why;
	QUIETLY(cudaDeviceSynchronize());
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
	CUresult why = check_context(&context, id);
	if (!why)
		*id = context->id;
	return why;
}

/* The version of contexts that cuCtxCreate_v2 and later make. */
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
	CUresult why = check_context(&context, version);
	if (!why)
		*version = 3020;
	return why;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
	CUresult why = driver_check_device(flags ? active : NULL, device);
	if (why)
		return why;
	mutex_lock(&driver_lock);
	*active = primary.holds != 0;
	mutex_unlock(&driver_lock);
	QUIETLY(cudaGetDeviceFlags(flags));
}

/* Streams belong to the one device, and so to every context. */
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	CUresult why = driver_check(&primary, context);
	if (!why)
		*context = current[depth - 1];
	return why || stream_of(stream) ? why : CUDA_ERROR_INVALID_HANDLE;
}

/* There are no contexts of a part of the device. */
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **part)
{
	if (!part)
		return CUDA_ERROR_INVALID_VALUE;
	*part = NULL;
	return cuStreamGetCtx(stream, context);
}

/* The same for a default stream of the thread; and the names that these calls had before CUDA 4. */
CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext *context)
{
	return cuStreamGetCtx(stream, context);
}

CUresult cuStreamGetCtx_v2_ptsz(CUstream stream, CUcontext *context, void **part)
{
	return cuStreamGetCtx_v2(stream, context, part);
}

CUresult cuCtxDestroy(CUcontext context)
{
	return cuCtxDestroy_v2(context);
}

CUresult cuCtxPushCurrent(CUcontext context)
{
	return cuCtxPushCurrent_v2(context);
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
	return cuCtxPopCurrent_v2(context);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	return cuDevicePrimaryCtxRelease_v2(device);
}
