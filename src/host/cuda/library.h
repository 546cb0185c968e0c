/* Modules that the application loads itself. */
#ifndef LOCKSTEP_HOST_CUDA_LIBRARY_H
#define LOCKSTEP_HOST_CUDA_LIBRARY_H

#include "host/cuda/objects.h"

struct cuda_reference; /* driver_array.c */

/* From PTX, a fat binary or its wrapper, which is read at once. */
cudaError_t library_open(struct cuda_library **library, const void *image);
cudaError_t library_open_file(struct cuda_library **library, const char *file);
void library_close(struct cuda_library *library);
/* cudaErrorSymbolNotFound: none of that name. */
cudaError_t library_kernel(struct cuda_library *library, const char *name, struct cuda_function **function);
/* Both answers may be unwanted: null. */
cudaError_t library_variable(struct cuda_library *library, const char *name, void **pointer, size_t *bytes);
/* The .texref or .surfref variable of this name. */
cudaError_t library_reference(
	struct cuda_library *library, const char *name, bool is_surface, struct cuda_reference **reference);

/* References that a library keeps; find: null: there is none yet. */
struct cuda_reference *reference_find(struct cuda_reference *all, const char *name, bool is_surface);
struct cuda_reference *reference_add(
	struct cuda_reference **all, struct module *module, const char *name, bool is_surface);
void references_free(struct cuda_reference *all);

#endif
