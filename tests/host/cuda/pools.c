/* Memory pools.  Expectations: CUDA Runtime API 13.0, "Stream Ordered Memory Allocator". */
#include "kernels.h"

#include <stdint.h>

enum { MEBIBYTE = 1 << 20 };
enum { THRESHOLD = 4, RESERVED, RESERVED_HIGH, USED, USED_HIGH };

static uint64_t get(cudaMemPool_t pool, int attribute)
{
	uint64_t value;
	OK(cudaMemPoolGetAttribute(pool, attribute, &value));
	return value;
}

static void check_pool(void)
{
	struct cudaMemPoolProps properties = {.allocType = 1, .location = {1, 0}, .maxSize = 4 * MEBIBYTE};
	cudaMemPool_t pool, first;
	cudaStream_t stream;
	uint64_t zero = 0, keep = MEBIBYTE;
	size_t before, after, all;
	char *a, *b, *c, host[16];
	OK(cudaStreamCreate(&stream));
	OK(cudaMemPoolCreate(&pool, &properties));
	OK(cudaMemPoolSetAttribute(pool, THRESHOLD, &keep));
	OK(cudaMemGetInfo(&before, &all));
	OK(cudaMallocFromPoolAsync((void **)&a, 2 * MEBIBYTE, pool, stream));
	OK(cudaMallocFromPoolAsync((void **)&b, MEBIBYTE, pool, stream));
	/* more than maxSize */
	GIVES(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync((void **)&c, 2 * MEBIBYTE, pool, stream));
	CHECK(get(pool, USED) == 3 * MEBIBYTE && get(pool, RESERVED) == 3 * MEBIBYTE);
	OK(cudaMemsetAsync(a, 5, 16, stream));
	OK(cudaMemcpyAsync(b, a, 16, cudaMemcpyDeviceToDevice, stream));
	OK(cudaFreeAsync(a, stream));
	OK(cudaMemcpyAsync(host, b, 16, cudaMemcpyDeviceToHost, stream));
	CHECK(host[0] == 5 && host[15] == 5);
	CHECK(get(pool, USED) == MEBIBYTE);
	OK(cudaMallocFromPoolAsync((void **)&a, MEBIBYTE, pool, stream)); /* from what was freed */
	CHECK(get(pool, USED) == 2 * MEBIBYTE);
	OK(cudaFreeAsync(a, stream));
	OK(cudaMemPoolTrimTo(pool, MEBIBYTE / 2)); /* what is in use stays */
	CHECK(get(pool, USED) == MEBIBYTE && get(pool, RESERVED) == MEBIBYTE);
	OK(cudaMallocFromPoolAsync((void **)&a, 2 * MEBIBYTE, pool, stream));
	OK(cudaFreeAsync(a, stream));
	OK(cudaMemPoolTrimTo(pool, 2 * MEBIBYTE)); /* more than is in use: so much is kept */
	CHECK(get(pool, USED) == MEBIBYTE && get(pool, RESERVED) == 2 * MEBIBYTE);
	OK(cudaFreeAsync(b, stream));
	OK(cudaStreamSynchronize(stream)); /* what is above the threshold goes */
	CHECK(get(pool, USED) == 0 && get(pool, RESERVED) == MEBIBYTE);
	CHECK(get(pool, USED_HIGH) == 3 * MEBIBYTE && get(pool, RESERVED_HIGH) == 3 * MEBIBYTE);
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before - after == MEBIBYTE);
	OK(cudaMemPoolSetAttribute(pool, RESERVED_HIGH, &zero)); /* to what is reserved, though nothing is used */
	CHECK(get(pool, RESERVED_HIGH) == MEBIBYTE && get(pool, USED_HIGH) == 3 * MEBIBYTE);
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, RESERVED_HIGH, &keep));
	OK(cudaMemPoolTrimTo(pool, 0));
	CHECK(get(pool, RESERVED) == 0);
	OK(cudaMemPoolSetAttribute(pool, USED_HIGH, &zero));
	CHECK(get(pool, USED_HIGH) == 0);
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, USED_HIGH, &keep));
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, USED, &zero));

	/* The device's own, which is another for a while. */
	OK(cudaDeviceGetMemPool(&first, 0));
	OK(cudaDeviceSetMemPool(0, pool));
	OK(cudaMallocAsync((void **)&a, 100, stream));
	CHECK(get(pool, USED) == 100);
	OK(cudaMemPoolDestroy(pool)); /* stays until a is freed */
	OK(cudaDeviceGetMemPool(&pool, 0));
	CHECK(pool == first);
	OK(cudaFree(a));
	GIVES(cudaErrorInvalidValue, cudaMemPoolDestroy(first));
	OK(cudaStreamDestroy(stream));
}

static void check_arguments(void)
{
	struct cudaMemPoolProps properties = {.allocType = 1, .location = {1, 1}};
	struct cudaMemAccessDesc access = {{1, 0}, 3};
	cudaMemPool_t pool;
	int flags, supported;
	GIVES(cudaErrorInvalidDevice, cudaMemPoolCreate(&pool, &properties));
	properties.location.id = 0;
	properties.handleTypes = 1; /* for other processes */
	GIVES(cudaErrorNotSupported, cudaMemPoolCreate(&pool, &properties));
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	OK(cudaMemPoolSetAccess(pool, &access, 1));
	access.flags = 0;
	GIVES(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &access, 1));
	access.flags = 3;
	access.location.id = 1;
	GIVES(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &access, 1));
	access.location.id = 0;
	OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
	CHECK(flags == 3);
	OK(cudaDeviceGetAttribute(&supported, 115, 0));
	CHECK(supported);
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&pool, 1));
}

/* Many allocations without a wait, more than the device has room for at once. */
static void check_room(void)
{
	size_t left, all;
	void *p;
	OK(cudaMemGetInfo(&left, &all));
	for (int i = 0; i < 5; i++) {
		OK(cudaMallocAsync(&p, all / 2 - MEBIBYTE, NULL));
		OK(cudaMemsetAsync(p, i, 64, NULL));
		OK(cudaFreeAsync(p, NULL));
	}
	OK(cudaDeviceSynchronize());
	/* What finds no room is not counted. */
	cudaMemPool_t pool;
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	GIVES(cudaErrorMemoryAllocation, cudaMallocAsync(&p, 2 * all, NULL));
	CHECK(!p && get(pool, USED) == 0);
	CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
}

int main(void)
{
	check_pool();
	check_arguments();
	check_room();
	return 0;
}
