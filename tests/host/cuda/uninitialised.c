/* What gives device memory contents: copies, fills, writes of streams, another kernel; memory of the host has some from
 * the start; and one block that nothing gives any, which `lockstep run --check init` must find, and no other: the last
 * but one of the launches. */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <stdint.h>

#define N 32
#define BYTES (N * sizeof(float))

static float *other, *sum;

static void launch(float *a, float *to)
{
	int n = N;
	OK(LAUNCH(add, 1, N, NULL, &a, &other, &to, &n));
	OK(cudaDeviceSynchronize());
}

static float *block(void)
{
	float *at;
	OK(cudaMalloc((void **)&at, BYTES));
	return at;
}

static void use(float *at)
{
	launch(at, sum);
	OK(cudaFree(at));
}

static void check_copies(const float *host)
{
	float *at = block();
	OK(cudaMemcpy(at, host, BYTES, cudaMemcpyHostToDevice));
	use(at);
	at = block();
	OK(cudaMemcpy2D(at, 16, host, 16, 16, BYTES / 16, cudaMemcpyHostToDevice));
	use(at);
	at = block();
	OK(cudaMemcpy(at, other, BYTES, cudaMemcpyDeviceToDevice));
	use(at);
}

static void check_fills(void)
{
	float *at = block();
	OK(cudaMemset(at, 0, BYTES));
	use(at);
	at = block();
	for (int k = 0; k < N; k++)
		OK(cuStreamWriteValue32_v2(NULL, (CUdeviceptr)(uintptr_t)(at + k), 0, 0));
	use(at);
	OK(cudaMallocAsync((void **)&at, BYTES, NULL));
	OK(cudaMemsetAsync(at, 0, BYTES, NULL));
	use(at);
}

static void check_host_memory(void)
{
	float *at;
	OK(cudaMallocManaged((void **)&at, BYTES, 1));
	use(at);
}

int main(void)
{
	float host[N] = {0};
	CUcontext context;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	other = block();
	sum = block();
	OK(cudaMemcpy(other, host, BYTES, cudaMemcpyHostToDevice));
	check_copies(host);
	check_fills();
	check_host_memory();
	use(block());
	use(sum); /* which kernels have written */
	OK(cudaFree(other));
	return 0;
}
