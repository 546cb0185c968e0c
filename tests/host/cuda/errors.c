/* What wrong arguments get, and what sticks after a kernel's fault. */
#include "kernels.h"

static void check_arguments(void)
{
	int *p, n = 1, value;
	char host[16] = {0};
	cudaStream_t nowhere = (cudaStream_t)host;
	struct cudaPointerAttributes attributes;
	OK(cudaMalloc((void **)&p, 64));
	GIVES(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
	GIVES(cudaErrorMemoryAllocation, cudaMalloc((void **)&p, (size_t)1 << 60));
	OK(cudaMalloc((void **)&p, 64));
	GIVES(cudaErrorInvalidValue, cudaFree(host));
	GIVES(cudaErrorInvalidValue, cudaFree(p + 1));
	GIVES(cudaErrorInvalidValue, cudaFreeHost(p));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(p, host, 65, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(host, p, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, host, 4, (enum cudaMemcpyKind)9));
	GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 4, host, 4, 8, 2, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host, host, 4, 0, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(&counter, host, 4, 1, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidDevice, cudaSetDevice(1));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, 9999, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(nowhere));
	GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(host, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	GIVES(cudaErrorInvalidConfiguration, LAUNCH(fill, 0, 32, NULL, &p, &n, &n));
	GIVES(cudaErrorInvalidConfiguration, LAUNCH(fill, 1, 4096, NULL, &p, &n, &n));
	GIVES(cudaErrorInvalidValue,
		cudaLaunchKernel(&fill, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&p, &n, &n}, 1 << 20, NULL));
	OK(cudaPointerGetAttributes(&attributes, p));
	CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == p);
	OK(cudaPointerGetAttributes(&attributes, host));
	CHECK(attributes.type == cudaMemoryTypeUnregistered);
	OK(cudaFree(p));
	OK(cudaFree(NULL));
	CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
	CHECK(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
	CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
	CHECK(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
}

static void check_fault(void)
{
	int *p;
	OK(cudaMalloc((void **)&p, 64));
	OK(LAUNCH(stray, 1, 1, NULL, &p));
	GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	GIVES(cudaErrorIllegalAddress, cudaMemset(p, 0, 4));
	CHECK(cudaGetLastError() == cudaErrorIllegalAddress && cudaGetLastError() == cudaErrorIllegalAddress);
}

int main(void)
{
	check_arguments();
	check_fault();
	return 0;
}
