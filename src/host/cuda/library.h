/* Modules that the application loads itself. */
#ifndef LOCKSTEP_HOST_CUDA_LIBRARY_H
#define LOCKSTEP_HOST_CUDA_LIBRARY_H

#include "host/cuda/objects.h"

/* From PTX, a fat binary or its wrapper, which is read at once. */
cudaError_t library_open(struct cuda_library **library, const void *image);
cudaError_t library_open_file(struct cuda_library **library, const char *file);
void library_close(struct cuda_library *library);
/* cudaErrorSymbolNotFound: none of that name. */
cudaError_t library_kernel(struct cuda_library *library, const char *name, struct cuda_function **function);
bool library_variable(struct cuda_library *library, const char *name, uint64_t *address, size_t *bytes);

#endif
