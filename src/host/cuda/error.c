/* Errors: names, texts, the last one of each thread, and the one that sticks after a kernel's fault. */
#include "host/cuda/objects.h"

static _Thread_local cudaError_t last;
static _Thread_local bool is_muted;

void error_mute(bool mute)
{
	is_muted = mute;
}

bool error_is_muted(void)
{
	return is_muted;
}

cudaError_t error_note(cudaError_t error)
{
	if (error != cudaSuccess && error != cudaErrorNotReady && !is_muted)
		last = error;
	return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
	switch (error) {
#define CUDA_ERROR(name, number, text)                                                                                 \
	case name:                                                                                                     \
		return #name;
#include "host/cuda/errors.def"
#undef CUDA_ERROR
	default: return "unrecognized error code";
	}
}

const char *cudaGetErrorString(cudaError_t error)
{
	switch (error) {
#define CUDA_ERROR(name, number, text)                                                                                 \
	case name:                                                                                                     \
		return text;
#include "host/cuda/errors.def"
#undef CUDA_ERROR
	default: return "unrecognized error code";
	}
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t error = cudaPeekAtLastError();
	last = cudaSuccess;
	return error;
}

/* What sticks is every thread's last error, however often it is asked for. */
cudaError_t cudaPeekAtLastError(void)
{
	mutex_lock(&driver_lock);
	cudaError_t sticky = sticky_error;
	mutex_unlock(&driver_lock);
	return sticky ? sticky : last;
}
