/* CUDA dynamic parallelism: kernels that launch kernels, by functions that NVIDIA's device runtime (libcudadevrt) and
 * driver provide, and here the machine does. */
#ifndef LOCKSTEP_UTIL_DEVICE_RUNTIME_H
#define LOCKSTEP_UTIL_DEVICE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum device_call {
	DEVICE_BUFFER,     /* cudaGetParameterBufferV2 */
	DEVICE_LAUNCH,     /* cudaLaunchDeviceV2 */
	DEVICE_OLD_BUFFER, /* cudaGetParameterBuffer, which knows the size alone */
	DEVICE_OLD_LAUNCH, /* cudaLaunchDevice, which says then what is launched */
	DEVICE_WAIT,       /* cudaDeviceSynchronize */
	DEVICE_LAST_ERROR,
	DEVICE_PEEK_ERROR,
	DEVICE_ERROR_NAME,
	DEVICE_ERROR_TEXT,
	DEVICE_STREAM_CREATE,
	DEVICE_STREAM_DESTROY,
	DEVICE_STREAM_WAIT,
	DEVICE_EVENT_CREATE,
	DEVICE_EVENT_RECORD,
	DEVICE_EVENT_RECORD_FLAGS,
	DEVICE_EVENT_DESTROY,
	DEVICE_COPY, /* cudaMemcpyAsync */
	DEVICE_FILL, /* cudaMemsetAsync */
	DEVICE_MALLOC,
	DEVICE_FREE,
	DEVICE_GET,
	DEVICE_COUNT,
	DEVICE_ATTRIBUTE,
	DEVICE_LIMIT,
};

struct device_function {
	const char *name;       /* behind __cudaCDP2 or cuda, before _ptsz */
	uint8_t call;           /* enum device_call */
	const char *parameters; /* bytes of each, one digit of base 16 each */
	uint8_t result;         /* bytes */
};

/* Whether a function of this name is one of the device runtime: also one that is not offered here. */
bool device_runtime_has(const char *name, size_t length);
/* The function; null: it is none that is offered. */
const struct device_function *device_runtime_find(const char *name);

/* Those of CUDA's error codes that its functions return on the device. */
enum device_error {
	DEVICE_SUCCESS = 0,
	DEVICE_ERROR_VALUE = 1,
	DEVICE_ERROR_MEMORY = 2,
	DEVICE_ERROR_CONFIGURATION = 9,
	DEVICE_ERROR_DIRECTION = 21,
	DEVICE_ERROR_DEPTH = 65,
	DEVICE_ERROR_SYNC_DEPTH = 68,
	DEVICE_ERROR_PENDING = 69,
	DEVICE_ERROR_FUNCTION = 98,
	DEVICE_ERROR_HANDLE = 400,
	DEVICE_ERROR_RESOURCES = 701,
	DEVICE_ERROR_SUPPORT = 801,
};
/* CUDA's name of an error, and what it says of it; of another number that it is unknown. */
const char *device_error_name(uint32_t error);
const char *device_error_text(uint32_t error);

#endif
