/* What is not offered: sparse arrays, memory for other processes.  Each returns
 * cudaErrorNotSupported and says so once; the arguments are not looked at, so none are declared. */
#include "host/cuda/objects.h"

#include <stdatomic.h>

static cudaError_t refuse(const char *name, atomic_bool *said)
{
	if (!atomic_exchange(said, true))
		device_complain("%s is not offered: it returns cudaErrorNotSupported", name);
	return error_note(cudaErrorNotSupported);
}

#define REFUSED(name)                                                                                                  \
	cudaError_t name(void)                                                                                         \
	{                                                                                                              \
		static atomic_bool said;                                                                               \
		return refuse(#name, &said);                                                                           \
	}

REFUSED(cudaArrayGetPlane)
REFUSED(cudaArrayGetMemoryRequirements)
REFUSED(cudaMipmappedArrayGetMemoryRequirements)
REFUSED(cudaArrayGetSparseProperties)
REFUSED(cudaMipmappedArrayGetSparseProperties)
REFUSED(cudaMemPoolExportToShareableHandle)
REFUSED(cudaMemPoolImportFromShareableHandle)
REFUSED(cudaMemPoolExportPointer)
REFUSED(cudaMemPoolImportPointer)
REFUSED(cudaIpcGetMemHandle)
REFUSED(cudaIpcOpenMemHandle)
REFUSED(cudaIpcCloseMemHandle)
REFUSED(cudaIpcGetEventHandle)
REFUSED(cudaIpcOpenEventHandle)

/* Of a static runtime, whose functions come here with their name when there is none of that name here
 * (preload/static_runtime.c). */
cudaError_t __cudaLockstepRefuse(const char *name)
{
	device_complain("%s is not offered: it returns cudaErrorNotSupported", name);
	return error_note(cudaErrorNotSupported);
}
