/* The calls of programs that were compiled for a default stream per thread: see per_thread.def. */
#include "host/cuda/runtime.h"

static cudaStream_t own_or(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

#define OWN_STREAM(name, parameters, arguments)                                                                        \
	cudaError_t name##_ptsz parameters                                                                             \
	{                                                                                                              \
		return name arguments;                                                                                 \
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
