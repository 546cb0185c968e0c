/* The calls of programs that were compiled for a default stream per thread: see per_thread.def. */
#include "host/cuda/runtime.h"

static cudaStream_t own_or(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

#define OWN_STREAM(name, parameters, arguments)                                                                        \
	cudaError_t name##_ptsz parameters;                                                                            \
	cudaError_t name##_ptsz parameters                                                                             \
	{                                                                                                              \
		return name arguments;                                                                                 \
	}
#define OWN_COPY(name, parameters, arguments)                                                                          \
	cudaError_t name##_ptds parameters;                                                                            \
	cudaError_t name##_ptds parameters                                                                             \
	{                                                                                                              \
		cudaStream_t own = cudaStreamPerThread;                                                                \
		cudaError_t error = name##Async arguments;                                                             \
		return error ? error : cudaStreamSynchronize(own);                                                     \
	}
#include "host/cuda/per_thread.def"

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
	if (!config || config->stream)
		return cudaLaunchKernelExC(config, function, arguments);
	cudaLaunchConfig_t own = *config;
	own.stream = cudaStreamPerThread;
	return cudaLaunchKernelExC(&own, function, arguments);
}
