/* The driver's interface: modules from PTX and fat binaries, their kernels and variables, launches. */
#include "host/cuda/driver_parts.h"

#include "host/cuda/library.h"

/* ---- Modules ---- */

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	CUresult why = driver_ready();
	if (!module || !image)
		return CUDA_ERROR_INVALID_VALUE;
	return why ? why : driver_result(library_open(module, image));
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
	CUresult why = driver_ready();
	if (!module || !file)
		return CUDA_ERROR_INVALID_VALUE;
	return why ? why : driver_result(library_open_file(module, file));
}

/* What is on the GPU stays there; the handles go. */
CUresult cuModuleUnload(CUmodule module)
{
	CUresult why = driver_check(module, true);
	if (!why)
		why = driver_result(tasks_finish());
	if (!why)
		library_close(module);
	return why;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	CUresult why = driver_check(module, function && name);
	return why ? why : driver_result(library_kernel(module, name, function));
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
	CUresult why = driver_check(module, name);
	return why ? why : driver_result(library_variable(module, name, (void **)address, bytes));
}

/* ---- Functions ---- */

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
	CUresult why = driver_check(function, value);
	if (why)
		return why;
	struct cudaFuncAttributes a = function_attributes(function);
	const int values[] = {a.maxThreadsPerBlock, (int)a.sharedSizeBytes, (int)a.constSizeBytes,
		(int)a.localSizeBytes, a.numRegs, a.ptxVersion, a.binaryVersion, a.cacheModeCA,
		a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout};
	if (attribute < 0 || (size_t)attribute >= sizeof values / sizeof *values)
		return CUDA_ERROR_INVALID_VALUE;
	*value = values[attribute];
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
	CUresult why = driver_check(function, true);
	return why ? why : driver_result(function_set_attribute(function, attribute, value));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
	CUresult why = driver_check(function, true);
	return why ? why : driver_result(function_occupancy(blocks, function, threads, shared));
}

/* ---- Launches ---- */

/* `extra`: the parameters as one block in place of pointers to each. */
static CUresult launch(CUfunction function, struct configuration c, void **parameters, void **extra, bool cooperative)
{
	struct arguments arguments = {.each = parameters};
	CUresult why = driver_check(function, !extra || arguments_of_extra(extra, &arguments));
	return why ? why : driver_result(function_launch(function, &c, &arguments, cooperative));
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream,
	void **parameters, void **extra)
{
	struct configuration c = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, {0, 0, 0}};
	return launch(function, c, parameters, extra, false);
}

CUresult cuLaunchFirmwareLOCKSTEP(CUfunction firmware, unsigned int count, const CUfunction *kernels,
	unsigned int threads, CUstream stream, void **parameters)
{
	CUresult why = driver_check(firmware, true);
	return why ? why
		   : driver_result(function_launch_firmware(firmware, kernels, count, threads, stream, parameters));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream,
	void **parameters)
{
	struct configuration c = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, {0, 0, 0}};
	return launch(function, c, parameters, NULL, true);
}
