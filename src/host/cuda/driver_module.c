/* The driver's interface: modules from PTX and fat binaries, their kernels and variables, launches. */
#include "host/cuda/driver_parts.h"

#include "host/cuda/library.h"

#include <stdlib.h>
#include <string.h>

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
		a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout, a.clusterDimMustBeSet, a.requiredClusterWidth,
		a.requiredClusterHeight, a.requiredClusterDepth, a.nonPortableClusterSizeAllowed,
		a.clusterSchedulingPolicyPreference};
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

CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel kernel, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, kernel);
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	CUresult why = driver_check(function, module);
	if (!why)
		*module = function->library;
	return why || function->library ? why : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	return cuFuncGetModule(library, kernel);
}

CUresult cuFuncLoad(CUfunction function)
{
	CUresult why = driver_check(function, true);
	return why ? why : driver_result(function_load(function));
}

CUresult cuFuncIsLoaded(int *is_loaded, CUfunction function)
{
	CUresult why = driver_check(function, is_loaded);
	if (!why)
		*is_loaded = function_is_loaded(function);
	return why;
}

CUresult cuModuleGetLoadingMode(int *mode)
{
	enum { EAGER = 1, LAZY };
	const char *loading = getenv("CUDA_MODULE_LOADING");
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = loading && !strcmp(loading, "EAGER") ? EAGER : LAZY;
	return CUDA_SUCCESS;
}

/* The size of block, of whole warps, with which the most threads fit a core, and how many of these blocks the GPU
 * holds. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
	size_t (*shared_of)(int block), size_t shared, int limit, unsigned int flags)
{
	CUresult why = driver_check(function, grid && block && flags <= 1);
	int warp = (int)device_get()->warp, blocks, best = 0;
	if (!why)
		why = driver_result(function_load(function));
	if (why)
		return why;
	int most = function_attributes(function).maxThreadsPerBlock;
	for (int threads = limit > 0 && limit < most ? limit : most; threads > 0;
		threads = (threads - 1) / warp * warp) {
		size_t bytes = shared_of ? shared_of(threads) : shared;
		if (function_occupancy(&blocks, function, threads, bytes) || blocks * threads <= best)
			continue;
		best = blocks * threads;
		*block = threads;
		*grid = blocks * (int)device_get()->cores;
	}
	return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(
	int *grid, int *block, CUfunction function, size_t (*shared_of)(int block), size_t shared, int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
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
	struct configuration c = {
		{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, {0, 0, 0}, false};
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
	struct configuration c = {
		{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, {0, 0, 0}, false};
	return launch(function, c, parameters, NULL, true);
}

CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream,
	void **parameters, void **extra)
{
	return cuLaunchKernel(
		function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, own_or(stream), parameters, extra);
}

CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned int grid_x, unsigned int grid_y,
	unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
	CUstream stream, void **parameters)
{
	return cuLaunchCooperativeKernel(
		function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, own_or(stream), parameters);
}

/* ---- Launches with attributes, which are the runtime's ---- */

static cudaLaunchConfig_t config_of(const CUlaunchConfig *c, CUstream stream)
{
	return (cudaLaunchConfig_t){{c->grid[0], c->grid[1], c->grid[2]}, {c->block[0], c->block[1], c->block[2]},
		c->shared, stream, c->attributes, c->count};
}

static CUresult launch_config(
	const CUlaunchConfig *c, CUstream stream, CUfunction function, void **parameters, void **extra)
{
	struct configuration configuration;
	bool cooperative;
	const cudaLaunchConfig_t config = config_of(c, stream);
	cudaError_t error = launch_configuration(&config, &configuration, &cooperative);
	return error ? driver_result(error) : launch(function, configuration, parameters, extra, cooperative);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **parameters, void **extra)
{
	return c ? launch_config(c, c->stream, function, parameters, extra) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *c, CUfunction function, void **parameters, void **extra)
{
	return c ? launch_config(c, own_or(c->stream), function, parameters, extra) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *c)
{
	const cudaLaunchConfig_t config = c ? config_of(c, c->stream) : (cudaLaunchConfig_t){.numAttrs = 0};
	THROUGH_RUNTIME(cudaOccupancyMaxActiveClusters(clusters, function, c ? &config : NULL));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *c)
{
	const cudaLaunchConfig_t config = c ? config_of(c, c->stream) : (cudaLaunchConfig_t){.numAttrs = 0};
	THROUGH_RUNTIME(cudaOccupancyMaxPotentialClusterSize(size, function, c ? &config : NULL));
}
