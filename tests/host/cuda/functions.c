/* What the runtime tells of kernels and how it launches them: configurations, attributes, occupancy, parameters.
 * Expectations: CUDA Runtime API 13.0, "Execution Control", "Occupancy", and crt/device_functions.h for the pushed
 * configurations. */
#include "kernels.h"

#include <stdint.h>

static char nothing; /* no kernel */

static void check_configurations(void)
{
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	GIVES(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
	for (unsigned int k = 0; k < 16; k++) /* an argument may itself be a launch: the last is the first */
		GIVES(0, __cudaPushCallConfiguration(
				 (dim3){k + 1, 2, 3}, (dim3){4, k + 5, 6}, k + 7, (cudaStream_t)(uintptr_t)(k + 8)));
	GIVES(cudaErrorMissingConfiguration, __cudaPushCallConfiguration((dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL));
	for (unsigned int k = 16; k--;) {
		check_entry = (int)k;
		OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
		CHECK(grid.x == k + 1 && grid.y == 2 && grid.z == 3 && block.x == 4 && block.y == k + 5 &&
			block.z == 6);
		CHECK(shared == k + 7 && stream == (cudaStream_t)(uintptr_t)(k + 8));
	}
	check_entry = 0;
	GIVES(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
}

static void check_launches(void)
{
	enum { IGNORE = 0, COOPERATIVE = 2, CLUSTER = 4 };
	int *p, n = 8, value = 21;
	void *arguments[] = {&p, &value, &n};
	struct cudaLaunchAttribute attributes[2] = {{.id = IGNORE}, {.id = COOPERATIVE, .value.number = 1}};
	cudaLaunchConfig_t config = {.gridDim = {1, 1, 1}, .blockDim = {4, 1, 1}};
	OK(cudaMallocManaged((void **)&p, 64, cudaMemAttachGlobal));
	memset(p, 0, 64);
	OK(cudaLaunchKernelExC(&config, &fill, arguments));
	OK(cudaDeviceSynchronize());
	CHECK(p[0] == 21 && p[7] == 21 && p[8] == 0);
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, &fill, arguments));
	config.numAttrs = 2;
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC(&config, &fill, arguments));
	config.attrs = attributes;
	value = 22;
	OK(cudaLaunchKernelExC(&config, &fill, arguments));
	OK(cudaDeviceSynchronize());
	CHECK(p[0] == 22);
	/* All blocks of a cooperative launch are resident at once. */
	config.gridDim = (dim3){65535, 16, 1};
	GIVES(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelExC(&config, &fill, arguments));
	attributes[1].value.number = 0;
	config.gridDim = (dim3){2, 1, 1};
	OK(cudaLaunchKernelExC(&config, &fill, arguments));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < 3; k++) { /* this GPU has no clusters but of one block */
		attributes[1] = (struct cudaLaunchAttribute){
			.id = CLUSTER, .value.size = {k == 0 ? 2 : 1, k == 1 ? 2 : 1, k == 2 ? 2 : 1}};
		GIVES(cudaErrorNotSupported, cudaLaunchKernelExC(&config, &fill, arguments));
	}
	attributes[1].value.size = (dim3){1, 1, 1};
	OK(cudaLaunchKernelExC(&config, &fill, arguments));
	GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernelExC(&config, &nothing, arguments));
	GIVES(cudaErrorInvalidDeviceFunction,
		cudaLaunchCooperativeKernel(&nothing, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	GIVES(cudaErrorInvalidResourceHandle, LAUNCH(fill, 1, 1, (cudaStream_t)(void *)&nothing, &p, &value, &n));
	OK(cudaDeviceSynchronize());
	OK(cudaFree(p));
}

static void check_attributes(void)
{
	enum { DYNAMIC_SHARED = 8, CARVEOUT = 9 };
	struct cudaFuncAttributes a;
	int most, major, minor, threads;
	OK(cudaDeviceGetAttribute(&most, 97, 0)); /* cudaDevAttrMaxSharedMemoryPerBlockOptin */
	OK(cudaDeviceGetAttribute(&major, 75, 0));
	OK(cudaDeviceGetAttribute(&minor, 76, 0));
	OK(cudaDeviceGetAttribute(&threads, 1, 0));
	memset(&a, 0x55, sizeof a);
	OK(cudaFuncGetAttributes(&a, &fill));
	CHECK(a.sharedSizeBytes == 0 && a.constSizeBytes == 0 && a.localSizeBytes == 0 &&
		a.maxThreadsPerBlock == threads);
	CHECK(a.numRegs > 0 && a.numRegs < 64 && a.ptxVersion == 75 && a.binaryVersion == major * 10 + minor);
	CHECK(a.maxDynamicSharedSizeBytes == most && a.cacheModeCA == 0);
	GIVES(cudaErrorInvalidValue, cudaFuncGetAttributes(NULL, &fill));
	GIVES(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, &nothing));
	OK(cudaFuncSetAttribute(&fill, DYNAMIC_SHARED, most));
	OK(cudaFuncSetAttribute(&fill, DYNAMIC_SHARED, 0));
	OK(cudaFuncSetAttribute(&fill, CARVEOUT, 100));
	GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(&fill, DYNAMIC_SHARED, most + 1));
	GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(&fill, DYNAMIC_SHARED, -1));
	GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(&fill, 7, 0));
	GIVES(cudaErrorInvalidDeviceFunction, cudaFuncSetAttribute(&nothing, DYNAMIC_SHARED, 0));
	for (int k = 0; k < 4; k++)
		OK(cudaFuncSetCacheConfig(&fill, k));
	GIVES(cudaErrorInvalidValue, cudaFuncSetCacheConfig(&fill, -1));
	GIVES(cudaErrorInvalidValue, cudaFuncSetCacheConfig(&fill, 4));
	GIVES(cudaErrorInvalidDeviceFunction, cudaFuncSetCacheConfig(&nothing, 0));
}

static void check_occupancy(void)
{
	int blocks = -1, same = -1, fewer = -1, most;
	size_t bytes = 0;
	OK(cudaDeviceGetAttribute(&most, 97, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &fill, 64, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, &fill, 64, 0, 0));
	CHECK(blocks >= 2 && blocks == same);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		&same, &fill, 64, 0, 1)); /* cudaOccupancyDisableCachingOverride */
	CHECK(blocks == same);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, &fill, 64, (size_t)most));
	CHECK(fewer == 1);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, &fill, 64, (size_t)most + 1));
	CHECK(fewer == 0);
	GIVES(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, &fill, 64, 0, 2));
	GIVES(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &fill, 64, 0));
	GIVES(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&same, &fill, 0, 0));
	GIVES(cudaErrorInvalidDeviceFunction, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&same, &nothing, 64, 0));
	/* The most with which so many blocks fit: they fit with it, and with one byte more no longer. */
	for (int wanted = 1; wanted <= 4; wanted++) {
		check_entry = wanted;
		OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &fill, wanted, 64));
		OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&same, &fill, 64, bytes));
		OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, &fill, 64, bytes + 1));
		CHECK(same >= wanted && fewer < wanted);
	}
	check_entry = 0;
	CHECK(bytes > 0 && bytes < (size_t)most);
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &fill, 1, 64));
	CHECK(bytes == (size_t)most);
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &fill, blocks, 64)); /* as many as fit without any */
	GIVES(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &fill, blocks + 1, 64));
	GIVES(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &fill, 0, 64));
	GIVES(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(NULL, &fill, 1, 64));
	GIVES(cudaErrorInvalidDeviceFunction, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &nothing, 1, 64));
}

static void check_names(void)
{
	static const size_t wanted[][2] = {
		{0, 8}, {8, 8}, {16, 8}, {24, 4}}; /* add(const float *, const float *, float *, int) */
	cudaKernel_t kernel = NULL, again = NULL;
	const char *name = NULL;
	size_t offset, bytes;
	for (size_t k = 0; k < 4; k++) {
		OK(cudaFuncGetParamInfo(&add, k, &offset, &bytes));
		CHECK(offset == wanted[k][0] && bytes == wanted[k][1]);
		OK(cudaFuncGetParamInfo(&add, k, &offset, NULL));
	}
	GIVES(cudaErrorInvalidValue, cudaFuncGetParamInfo(&add, 4, &offset, &bytes));
	GIVES(cudaErrorInvalidValue, cudaFuncGetParamInfo(&add, 0, NULL, &bytes));
	GIVES(cudaErrorInvalidDeviceFunction, cudaFuncGetParamInfo(&nothing, 0, &offset, &bytes));
	OK(cudaFuncGetName(&name, &insert));
	CHECK(!strcmp(name, "insert"));
	GIVES(cudaErrorInvalidValue, cudaFuncGetName(NULL, &insert));
	GIVES(cudaErrorInvalidDeviceFunction, cudaFuncGetName(&name, &nothing));
	OK(cudaGetKernel(&kernel, &insert));
	OK(cudaGetFuncBySymbol(&again, &insert));
	CHECK(kernel && kernel == again);
	OK(cudaFuncGetName(&name, kernel)); /* by its handle, too */
	CHECK(!strcmp(name, "insert"));
	GIVES(cudaErrorInvalidValue, cudaGetKernel(NULL, &insert));
	GIVES(cudaErrorInvalidDeviceFunction, cudaGetKernel(&kernel, &nothing));
	GIVES(cudaErrorInvalidDeviceFunction, cudaGetFuncBySymbol(&kernel, &nothing));
}

int main(void)
{
	load_total();
	check_configurations();
	check_launches();
	check_attributes();
	check_occupancy();
	check_names();
	return 0;
}
