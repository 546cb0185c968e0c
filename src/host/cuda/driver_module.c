/* The driver's interface: modules from PTX and fat binaries, their kernels and variables, launches. */
#include "host/cuda/driver_parts.h"

#include "util/text.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct cuda_module {
	struct module *module;
	struct cuda_function *functions; /* that the application has asked for */
};

/* ---- Modules ---- */

static CUresult open_module(CUmodule *handle, struct module *(*open)(const void *image), const void *image)
{
	CUresult why = driver_ready();
	struct cuda_module *made = why ? NULL : calloc(1, sizeof *made);
	if (!why && (!made || !(made->module = open(image))))
		why = CUDA_ERROR_OUT_OF_MEMORY;
	if (!why)
		why = driver_result(module_load(made->module));
	if (!why) {
		*handle = made;
		return CUDA_SUCCESS;
	}
	if (made)
		module_drop(made->module);
	free(made);
	return why;
}

/* PTX ends in NUL; everything else says how long it is. */
CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	static const uint32_t wrapper = 0x466243b1, binary = 0xba55ed50;
	if (!module || !image)
		return CUDA_ERROR_INVALID_VALUE;
	if (!memcmp(image, &wrapper, sizeof wrapper))
		return open_module(module, module_of_wrapper, image);
	if (!memcmp(image, &binary, sizeof binary))
		return open_module(module, module_of_fat_binary, image);
	if (!memcmp(image, ELFMAG, SELFMAG)) {
		device_complain("a cubin holds machine code only: give cuModuleLoad PTX or a fat binary with PTX");
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	return open_module(module, module_of_ptx, image);
}

/* Options are for the compiler of PTX, of which there is none; its logs stay empty. */
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, int *options, void **values)
{
	(void)count, (void)options, (void)values;
	return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	return cuModuleLoadData(module, image);
}

CUresult cuModuleLoad(CUmodule *module, const char *file)
{
	struct arena arena = {0};
	struct report report = {0};
	size_t length;
	if (!module || !file)
		return CUDA_ERROR_INVALID_VALUE;
	const char *image = text_read_file(&arena, file, &length, &report);
	CUresult why = image ? CUDA_SUCCESS : CUDA_ERROR_FILE_NOT_FOUND;
	if (!why && length < 24)
		why = CUDA_ERROR_INVALID_IMAGE;
	if (!why)
		why = cuModuleLoadData(module, image);
	arena_free(&arena);
	return why;
}

CUresult cuModuleUnload(CUmodule module)
{
	CUresult why = driver_ready();
	if (!why && !module)
		why = CUDA_ERROR_INVALID_HANDLE;
	if (!why)
		why = driver_result(tasks_finish());
	if (why)
		return why;
	while (module->functions) {
		struct cuda_function *next = module->functions->next;
		free(module->functions->name);
		free(module->functions);
		module->functions = next;
	}
	module_drop(module->module);
	free(module);
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	struct lockstep_module *loaded;
	CUresult why = driver_ready();
	if (!why && (!function || !name || !module))
		why = module ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	if (!why && !module_has_kernel(module->module, name))
		why = CUDA_ERROR_NOT_FOUND;
	if (why)
		return why;
	struct cuda_function *made = calloc(1, sizeof *made);
	if (made && (made->name = strdup(name))) {
		made->module = module->module;
		made->next = module->functions;
		module->functions = made;
		*function = made;
		return driver_result(function_load(made, &loaded));
	}
	free(made);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
	uint64_t at;
	size_t size;
	CUresult why = driver_ready();
	if (!why && (!module || !name))
		why = module ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	if (!why && !module_find_variable(module->module, name, &at, &size))
		why = CUDA_ERROR_NOT_FOUND;
	if (!why && address)
		*address = at;
	if (!why && bytes)
		*bytes = size;
	return why;
}

/* ---- Functions ---- */

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
	CUresult why = driver_ready();
	if (why)
		return why;
	if (!value || !function)
		return function ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	struct cudaFuncAttributes a = function_attributes(function);
	const int values[] = {a.maxThreadsPerBlock, (int)a.sharedSizeBytes, (int)a.constSizeBytes, (int)a.localSizeBytes, a.numRegs,
		a.ptxVersion, a.binaryVersion, a.cacheModeCA, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout};
	if (attribute < 0 || (size_t)attribute >= sizeof values / sizeof *values)
		return CUDA_ERROR_INVALID_VALUE;
	*value = values[attribute];
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
	CUresult why = driver_ready();
	if (!why && !function)
		why = CUDA_ERROR_INVALID_HANDLE;
	return why ? why : driver_result(function_set_attribute(function, attribute, value));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
	CUresult why = driver_ready();
	if (!why && !function)
		why = CUDA_ERROR_INVALID_HANDLE;
	return why ? why : driver_result(function_occupancy(blocks, function, threads, shared));
}

/* ---- Launches ---- */

/* `extra`: the parameters as one block in place of pointers to each. */
static CUresult launch(CUfunction function, struct configuration c, void **parameters, void **extra, bool cooperative)
{
	struct arguments arguments = {.each = parameters};
	CUresult why = driver_ready();
	if (!why && !function)
		why = CUDA_ERROR_INVALID_HANDLE;
	if (!why && extra && !arguments_of_extra(extra, &arguments))
		why = CUDA_ERROR_INVALID_VALUE;
	return why ? why : driver_result(function_launch(function, &c, &arguments, cooperative));
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
	unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream, void **parameters, void **extra)
{
	struct configuration c = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream};
	return launch(function, c, parameters, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream, void **parameters)
{
	struct configuration c = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream};
	return launch(function, c, parameters, NULL, true);
}
