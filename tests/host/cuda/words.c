/* Streams that wait for words of memory: written by another stream, by a kernel, by the host.  Expectations: CUDA
 * Driver API 13.0, "Stream Memory Operations". */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <stdint.h>

enum { GEQ, EQ, AND, NOR };

static uint32_t *words, *numbers;
static CUstream first, second;
static CUevent begun;

static CUdeviceptr at(const void *pointer)
{
	return (CUdeviceptr)(uintptr_t)pointer;
}

/* `second` fills with 2 when it may; until then there is a 1. */
static void enqueue_waiter(uint32_t value, unsigned int compare)
{
	int one = 1, two = 2, n = 1;
	OK(LAUNCH(fill, 1, 1, second, &numbers, &one, &n));
	OK(cuEventRecord(begun, second));
	OK(cuStreamWaitEvent(first, begun, 0));
	OK(cuStreamWaitValue32_v2(second, at(words), value, compare));
	OK(LAUNCH(fill, 1, 1, second, &numbers, &two, &n));
}

static void check_streams(void)
{
	static const struct {
		unsigned int compare;
		uint32_t wanted, wrong, right;
	} cases[] = {
		{GEQ, 5, 4, 6}, {GEQ, 3, 0xfffffff0, 3}, {EQ, 7, 8, 7}, {AND, 6, 9, 2}, {NOR, 0xfffffff0, 0xf, 0x7}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		uint32_t seen = 0;
		OK(cuStreamWriteValue32_v2(first, at(words), cases[k].wrong, 0));
		OK(cuStreamSynchronize(first));
		enqueue_waiter(cases[k].wanted, cases[k].compare);
		/* the waiter is not done */
		OK(cudaMemcpyAsync(&seen, numbers, sizeof seen, cudaMemcpyDeviceToHost, first));
		CHECK(seen == 1);
		GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
		OK(cuStreamWriteValue32_v2(first, at(words), cases[k].right, 0));
		OK(cuStreamSynchronize(second));
		OK(cudaMemcpy(&seen, numbers, sizeof seen, cudaMemcpyDeviceToHost));
		CHECK(seen == 2);
	}
}

static void check_kernel(void)
{
	int value = 9, n = 1;
	CUstreamBatchMemOpParams ops[2] = {{.word = {2, at(words), 0, 0, 0}}, {.word = {1, at(words), 9, EQ, 0}}};
	OK(cuStreamBatchMemOp_v2(second, 2, ops, 0));
	OK(LAUNCH(fill, 1, 1, first, &words, &value, &n));
	OK(cuStreamSynchronize(second));
}

/* A kernel tells a stream that waits, and waits for what that writes then. */
static void check_exchange(void)
{
	uint32_t *mine = words + 4, *other = words + 8;
	OK(cudaMemset(words, 0, 64));
	OK(cudaDeviceSynchronize());
	OK(cuStreamWaitValue32_v2(second, at(mine), 1, EQ));
	OK(cuStreamWriteValue32_v2(second, at(other), 1, 0));
	OK(LAUNCH(meet, 1, 1, first, &mine, &other));
	OK(cuStreamSynchronize(first));
	OK(cuStreamSynchronize(second));
}

static void check_host(void)
{
	uint64_t *flag;
	OK(cudaMallocHost((void **)&flag, 8));
	*flag = 0;
	OK(cuStreamWaitValue64_v2(second, at(flag), 1ull << 40, EQ));
	GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
	__atomic_store_n(flag, 1ull << 40, __ATOMIC_RELEASE);
	OK(cuStreamSynchronize(second));
	OK(cudaFreeHost(flag));
}

int main(void)
{
	CUcontext context;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuStreamCreate(&first, 1));
	OK(cuStreamCreate(&second, 1));
	OK(cuEventCreate(&begun, 0));
	OK(cudaMalloc((void **)&words, 64));
	OK(cudaMalloc((void **)&numbers, 64));
	check_streams();
	check_kernel();
	check_exchange();
	check_host();
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(first, at(words) + 2, 0, EQ));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64_v2(first, at(&context), 0, 0));
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue32_v2(first, at(words), 0, 1 << 30));
	return 0;
}
