/* The driver's interface: contexts, modules from PTX and fat binaries, launches of both forms, memory; its errors. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <pthread.h>
#include <stdint.h>

static const char ptx[] = ".version 7.0\n"
			  ".target sm_70\n"
			  ".address_size 64\n"
			  ".visible .global .u32 step = 3;\n"
			  ".visible .entry count(.param .u64 to, .param .u32 from)\n"
			  "{\n"
			  "	.reg .b32 %r<6>;\n"
			  "	.reg .b64 %d<4>;\n"
			  "	ld.param.u64 %d1, [to];\n"
			  "	ld.param.u32 %r1, [from];\n"
			  "	mov.u32 %r2, %tid.x;\n"
			  "	ld.global.u32 %r3, [step];\n"
			  "	mad.lo.u32 %r4, %r2, %r3, %r1;\n"
			  "	mul.wide.u32 %d2, %r2, 4;\n"
			  "	add.u64 %d3, %d1, %d2;\n"
			  "	st.global.u32 [%d3], %r4;\n"
			  "	ret;\n"
			  "}\n";

enum { N = 64 };

static void check_context(void)
{
	CUcontext context, popped;
	int count = 0, value = 0;
	char name[64];
	size_t bytes;
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
	OK(cuInit(0));
	OK(cuDeviceGetCount(&count));
	CHECK(count == 1);
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&value, 1));
	OK(cuDeviceGetName(name, sizeof name, 0));
	OK(cuDeviceTotalMem_v2(&bytes, 0));
	OK(cuDeviceGetAttribute(&value, 10, 0));
	CHECK(strstr(name, "Lockstep") && bytes > 0 && value == 32);
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	OK(cuCtxCreate_v2(&context, 0, 0));
	OK(cuCtxPopCurrent_v2(&popped));
	CHECK(popped == context);
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	OK(cuCtxDestroy_v2(context));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuCtxSynchronize());
}

static void check_ptx(void)
{
	CUmodule module;
	CUfunction count;
	CUdeviceptr to, step;
	uint32_t host[N], from = 100, seven = 7;
	size_t bytes = 0;
	int registers = 0, per_core = 0, target = 0, binary = 0, capability = 0;
	OK(cuModuleLoadData(&module, ptx));
	GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&count, module, "nothing"));
	OK(cuModuleGetFunction(&count, module, "count"));
	OK(cuModuleGetGlobal_v2(&step, &bytes, module, "step"));
	CHECK(bytes == 4);
	OK(cuMemcpyHtoD_v2(step, &seven, sizeof seven));
	OK(cuMemAlloc_v2(&to, sizeof host));
	OK(cuMemsetD32_v2(to, 0xdeadbeef, N));
	void *parameters[] = {&to, &from};
	OK(cuLaunchKernel(count, 1, 1, 1, N / 2, 1, 1, 0, NULL, parameters, NULL));
	OK(cuMemcpyDtoH_v2(host, to, sizeof host));
	for (uint32_t i = 0; i < N; i++)
		CHECK(host[i] == (i < N / 2 ? 100 + 7 * i : 0xdeadbeef));
	struct {
		CUdeviceptr to;
		uint32_t from;
	} block = {to, 5};
	size_t size = sizeof block;
	void *extra[] = {(void *)1, &block, (void *)2, &size, NULL};
	OK(cuLaunchKernel(count, 1, 1, 1, N, 1, 1, 0, NULL, NULL, extra));
	OK(cuMemcpyDtoH_v2(host, to, sizeof host));
	for (uint32_t i = 0; i < N; i++)
		CHECK(host[i] == 5 + 7 * i);
	OK(cuFuncGetAttribute(&registers, 4, count));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_core, count, N, 0));
	CHECK(registers > 0 && per_core > 0);
	OK(cuFuncGetAttribute(&target, 5, count));
	OK(cuFuncGetAttribute(&binary, 6, count));
	OK(cuDeviceGetAttribute(&capability, 75, 0));
	CHECK(target == 70 && binary / 10 == capability && capability != 7);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(count, 1, 1, 1, 0, 1, 1, 0, NULL, parameters, NULL));
	OK(cuMemFree_v2(to));
	OK(cuModuleUnload(module));
}

/* The fat binary that the runtime's kernels come from; and the runtime beside the driver. */
static void check_file(void)
{
	CUmodule module;
	CUfunction kernel;
	CUstream stream;
	CUevent end;
	int *numbers, value = 9, n = N;
	OK(cuModuleLoad(&module, KERNELS_FOLDER "/kernels.fatbin"));
	OK(cuModuleGetFunction(&kernel, module, "fill"));
	CHECK(cudaMallocManaged((void **)&numbers, N * sizeof *numbers, cudaMemAttachGlobal) == cudaSuccess);
	OK(cuStreamCreate(&stream, cudaStreamNonBlocking));
	OK(cuEventCreate(&end, 0));
	OK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, (void *[]){&numbers, &value, &n}, NULL));
	OK(cuEventRecord(end, stream));
	OK(cuEventSynchronize(end));
	for (int i = 0; i < N; i++)
		CHECK(numbers[i] == 9);
	OK(cuEventDestroy_v2(end));
	OK(cuStreamDestroy_v2(stream));
	CHECK(cudaFree(numbers) == cudaSuccess);
	OK(cuModuleUnload(module));
}

static void check_errors(void)
{
	CUmodule module;
	const char *text;
	GIVES(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, ".version 7.0\n.target sm_70\nnonsense\n"));
	GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoad(&module, KERNELS_FOLDER "/../../unit/fat_binary/sass.fatbin"));
	GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/nowhere/at/all"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(12345));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	CHECK(cudaGetLastError() == cudaSuccess); /* the runtime's errors are its own */
	OK(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
	CHECK(!strcmp(text, "CUDA_ERROR_INVALID_CONTEXT"));
	OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
	CHECK(!strcmp(text, "out of memory"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
}

/* A thread that has no context gets the runtime's with its first call of the runtime (driver API, interaction with the
 * runtime). */
static void *follow_runtime(void *unused)
{
	CUcontext context, primary;
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	CHECK(cudaFree(NULL) == cudaSuccess);
	OK(cuCtxSynchronize());
	OK(cuCtxGetCurrent(&context));
	OK(cuDevicePrimaryCtxRetain(&primary, 0));
	CHECK(context == primary);
	OK(cuDevicePrimaryCtxRelease_v2(0));
	return unused;
}

static void check_beside_runtime(void)
{
	pthread_t thread;
	CHECK(!pthread_create(&thread, NULL, follow_runtime, NULL));
	pthread_join(thread, NULL);
}

/* CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT; their numbers are those of the runtime. */
static void check_limits(void)
{
	enum { PENDING = 4 };
	size_t before, after, seen;
	OK(cuCtxGetLimit(&before, PENDING));
	OK(cuCtxSetLimit(PENDING, before + 1));
	OK(cuCtxGetLimit(&after, PENDING));
	CHECK(cudaDeviceGetLimit(&seen, PENDING) == cudaSuccess);
	CHECK(after == before + 1 && seen == after);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(PENDING, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(NULL, PENDING));
	GIVES((CUresult)cudaErrorUnsupportedLimit, cuCtxSetLimit(99, 1));
	OK(cuCtxSetLimit(PENDING, before));
}

int main(void)
{
	check_context();
	check_limits();
	check_ptx();
	check_file();
	check_beside_runtime();
	check_errors();
	return 0;
}
