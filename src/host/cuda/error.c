/* Errors: names, texts, the last one of each thread, and the one that sticks after a kernel's fault. */
#include "host/cuda/objects.h"
#include "host/origin.h"
#include <stdio.h>
#include <string.h>

static _Thread_local cudaError_t last, told;
static _Thread_local bool is_muted;

/* What calls of the thread failed with since the program last asked for an error or its text. */
static _Thread_local struct {
	cudaError_t first;
	struct origin *origin;
	uint32_t count;
} unasked;

static void asked(void)
{
	unasked.count = 0;
}

void error_is_told(cudaError_t error)
{
	told = error;
}

/* Not those that are told elsewhere: what a kernel's fault leaves behind (700 to 799), no memory, what is not there. */
static void keep_unasked(cudaError_t error, const char *function)
{
	bool is_known = error == told || (error >= 700 && error < 800) || error == cudaErrorMemoryAllocation ||
			error == cudaErrorNotSupported;
	told = cudaSuccess;
	if (is_known || unasked.count++)
		return;
	unasked.first = error;
	const char *call = strncmp(function, "cuda", 4) ? "a CUDA call" : function;
	unasked.origin = origin_here(call, call);
}

/* A program that looks at no result goes on as if nothing had happened: what it missed is said at its end, of the
 * thread that ends it. */
__attribute__((destructor)) static void tell_unasked(void)
{
	const char *call = unasked.count ? origin_name(unasked.origin) : NULL;
	char more[64] = "";
	if (!unasked.count)
		return;
	if (unasked.count > 1)
		snprintf(more, sizeof more, ", as %u later call%s", unasked.count - 1, unasked.count > 2 ? "s" : "");
	device_complain("%s failed%s, and the program did not ask why: %s (%s)", call ? call : "a CUDA call", more,
		cudaGetErrorName(unasked.first), cudaGetErrorString(unasked.first));
}

void error_mute(bool mute)
{
	is_muted = mute;
}

bool error_is_muted(void)
{
	return is_muted;
}

cudaError_t error_note_in(cudaError_t error, const char *function)
{
	if (error != cudaSuccess && error != cudaErrorNotReady && !is_muted) {
		last = error;
		keep_unasked(error, function);
	}
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
	asked();
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
	asked();
	mutex_lock(&driver_lock);
	cudaError_t sticky = sticky_error;
	mutex_unlock(&driver_lock);
	return sticky ? sticky : last;
}
