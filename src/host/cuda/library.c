/* Modules that the application loads itself: the runtime's libraries, and the driver interface's modules. */
#include "host/cuda/library.h"

#include "host/need.h"
#include "util/text.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct cuda_library {
	struct module *module;
	struct cuda_function *functions; /* that the application has asked for, as */
	struct cuda_reference *references;
};

/* PTX ends in NUL; everything else says how long it is. */
static cudaError_t module_of_image(struct module **module, const void *image)
{
	static const uint32_t wrapper = 0x466243b1, binary = 0xba55ed50;
	if (!memcmp(image, ELFMAG, SELFMAG)) {
		device_complain("a cubin holds machine code only: load PTX, or a fat binary with PTX");
		return cudaErrorNoKernelImageForDevice;
	}
	*module = module_new(!memcmp(image, &wrapper, sizeof wrapper) ? IMAGE_WRAPPER
			     : !memcmp(image, &binary, sizeof binary) ? IMAGE_FAT_BINARY
								      : IMAGE_PTX,
		image);
	return cudaSuccess;
}

cudaError_t library_open(struct cuda_library **library, const void *image)
{
	struct module *module = NULL;
	cudaError_t error = module_of_image(&module, image);
	if (!error)
		error = module_load(module);
	if (error && module)
		module_drop(module);
	if (error)
		return error;
	*library = need(calloc(1, sizeof **library));
	(*library)->module = module;
	return cudaSuccess;
}

cudaError_t library_open_file(struct cuda_library **library, const char *file)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	size_t length;
	const char *image = text_read_file(&arena, file, &length, &diagnostic);
	cudaError_t error = !image        ? cudaErrorFileNotFound
			    : length < 24 ? cudaErrorInvalidKernelImage
					  : library_open(library, image);
	arena_free(&arena);
	return error;
}

void library_close(struct cuda_library *library)
{
	while (library->functions) {
		struct cuda_function *next = library->functions->next_of_library;
		function_forget(library->functions);
		free(library->functions->name);
		free(library->functions);
		library->functions = next;
	}
	references_free(library->references);
	module_drop(library->module);
	free(library);
}

cudaError_t library_reference(
	struct cuda_library *library, const char *name, bool is_surface, struct cuda_reference **reference)
{
	*reference = reference_find(library->references, name, is_surface);
	if (*reference)
		return cudaSuccess;
	cudaError_t error = module_bind(library->module, name, NULL);
	if (!error)
		*reference = reference_add(&library->references, library->module, name, is_surface);
	return error;
}

cudaError_t library_kernel(struct cuda_library *library, const char *name, struct cuda_function **function)
{
	for (*function = library->functions; *function; *function = (*function)->next_of_library)
		if (!strcmp((*function)->name, name))
			return cudaSuccess;
	if (!module_has_kernel(library->module, name))
		return cudaErrorSymbolNotFound;
	struct cuda_function *made = need(calloc(1, sizeof *made));
	made->name = need(strdup(name));
	made->module = library->module;
	made->library = library;
	made->host = made; /* its handle */
	made->next_of_library = library->functions;
	library->functions = made;
	function_remember(made);
	*function = made;
	return module_refuses(library->module, name) ? cudaSuccess : function_load(made); /* its launch fails */
}

cudaError_t library_variable(struct cuda_library *library, const char *name, void **pointer, size_t *bytes)
{
	uint64_t address;
	size_t size;
	if (!module_find_variable(library->module, name, &address, &size))
		return cudaErrorSymbolNotFound;
	if (pointer)
		*pointer = (void *)(uintptr_t)address;
	if (bytes)
		*bytes = size;
	return cudaSuccess;
}

/* ---- The runtime's calls ---- */

/* Options are for the compiler of PTX, of which there is none; the application's bytes are read at once, so it may let
 * go of them. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, int *options, void **values,
	unsigned int count, int *library_options, void **library_values, unsigned int library_count)
{
	(void)options, (void)values, (void)count, (void)library_options, (void)library_values, (void)library_count;
	cudaError_t error = error_unless(library && image);
	return error_note(error ? error : library_open(library, image));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file, int *options, void **values,
	unsigned int count, int *library_options, void **library_values, unsigned int library_count)
{
	(void)options, (void)values, (void)count, (void)library_options, (void)library_values, (void)library_count;
	cudaError_t error = error_unless(library && file);
	return error_note(error ? error : library_open_file(library, file));
}

/* What is on the GPU stays there; the handles go. */
cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	if (!library)
		return error_note(cudaErrorInvalidResourceHandle);
	cudaError_t error = tasks_finish();
	library_close(library);
	return error_note(error);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
	if (!kernel || !library || !name)
		return error_note(library ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	return error_note(library_kernel(library, name, kernel));
}

cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
	if (!library || !name)
		return error_note(library ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	return error_note(library_variable(library, name, pointer, bytes));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
	if (!count || !library)
		return error_note(library ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	for (*count = 0; module_kernel(library->module, *count);)
		++*count;
	return cudaSuccess;
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int room, cudaLibrary_t library)
{
	const char *name;
	cudaError_t error = kernels && library ? cudaSuccess : cudaErrorInvalidValue;
	for (unsigned int k = 0; !error && k < room && (name = module_kernel(library->module, k)); k++)
		error = library_kernel(library, name, &kernels[k]);
	return error_note(error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, int attribute, int value, int device)
{
	if (!kernel || device)
		return error_note(device ? cudaErrorInvalidDevice : cudaErrorInvalidResourceHandle);
	return error_note(function_set_attribute(kernel, attribute, value));
}
