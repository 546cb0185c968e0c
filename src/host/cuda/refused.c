/* What is not offered: textures and arrays, conditional nodes of graphs, memory for other processes.  Each returns cudaErrorNotSupported and says so once; the
 * arguments are not looked at, so none are declared. */
#include "host/cuda/objects.h"

#include <stdatomic.h>

static cudaError_t refuse(const char *name, atomic_bool *said)
{
	if (!atomic_exchange(said, true))
		device_complain("%s is not offered: it returns cudaErrorNotSupported", name);
	return error_note(cudaErrorNotSupported);
}

#define REFUSED(name)                                                                                                  \
	cudaError_t name(void);                                                                                        \
	cudaError_t name(void)                                                                                         \
	{                                                                                                              \
		static atomic_bool said;                                                                               \
		return refuse(#name, &said);                                                                           \
	}

REFUSED(cudaMallocArray)
REFUSED(cudaMalloc3D)
REFUSED(cudaMalloc3DArray)
REFUSED(cudaFreeArray)
REFUSED(cudaMemcpy3D)
REFUSED(cudaMemcpy3DAsync)
REFUSED(cudaMemcpyToArray)
REFUSED(cudaMemcpy2DToArray)
REFUSED(cudaMemcpy2DFromArray)
REFUSED(cudaCreateTextureObject)
REFUSED(cudaDestroyTextureObject)
REFUSED(cudaCreateSurfaceObject)
REFUSED(cudaDestroySurfaceObject)
REFUSED(cudaGraphConditionalHandleCreate)
REFUSED(cudaMemPoolExportToShareableHandle)
REFUSED(cudaMemPoolImportFromShareableHandle)
REFUSED(cudaMemPoolExportPointer)
REFUSED(cudaMemPoolImportPointer)
REFUSED(cudaIpcGetMemHandle)
REFUSED(cudaIpcOpenMemHandle)
REFUSED(cudaIpcCloseMemHandle)
REFUSED(cudaIpcGetEventHandle)
REFUSED(cudaIpcOpenEventHandle)
