/* The calls of programs that were compiled for a default stream per thread: see per_thread.def. */
#include "host/cuda/objects.h"

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

cudaError_t cudaGraphInstantiateWithParams_ptsz(
	cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *parameters)
{
	if (parameters && !parameters->uploadStream)
		parameters->uploadStream = cudaStreamPerThread;
	return cudaGraphInstantiateWithParams(exec, graph, parameters);
}
