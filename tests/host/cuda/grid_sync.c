/* Cooperative launches: grid synchronisation, residency, and a lock table beside. */
#include "kernels.h"

enum { BLOCKS = 12, THREADS = 64, N = BLOCKS * THREADS, KEYS = 2048, BUCKETS = 64 };

static void check_rounds(void)
{
	int *x, *y, n = N, per_core = 0, cores = 0;
	OK(cudaMalloc((void **)&x, N * sizeof *x));
	OK(cudaMallocManaged((void **)&y, N * sizeof *y, cudaMemAttachGlobal));
	OK(cudaMemset(y, 0, N * sizeof *y));
	void *arguments[] = {&x, &y, &n};
	for (int k = 0; k < 2; k++)
		OK(cudaLaunchCooperativeKernel(
			&rounds, (dim3){BLOCKS, 1, 1}, (dim3){THREADS, 1, 1}, arguments, 0, NULL));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++)
		CHECK(y[i] == 2 * (10000 + 5 * ((i + 64) % N)));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_core, &rounds, THREADS, 0));
	OK(cudaDeviceGetAttribute(&cores, 16, 0));
	CHECK(per_core > 0);
	GIVES(cudaErrorCooperativeLaunchTooLarge,
		cudaLaunchCooperativeKernel(&rounds, (dim3){(unsigned)(per_core * cores + 1), 1, 1},
			(dim3){THREADS, 1, 1}, arguments, 0, NULL));
	CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge && cudaGetLastError() == cudaSuccess);
	OK(cudaFree(x));
	OK(cudaFree(y));
}

static void check_table(void)
{
	struct entry {
		int next, key;
	} * pool;
	int *keys, *locks, *heads, n = KEYS, mask = BUCKETS - 1, found = 0;
	OK(cudaMallocManaged((void **)&keys, KEYS * sizeof *keys, cudaMemAttachGlobal));
	OK(cudaMallocManaged((void **)&heads, BUCKETS * sizeof *heads, cudaMemAttachGlobal));
	OK(cudaMallocManaged((void **)&pool, KEYS * sizeof *pool, cudaMemAttachGlobal));
	OK(cudaMalloc((void **)&locks, BUCKETS * sizeof *locks));
	OK(cudaMemset(locks, 0, BUCKETS * sizeof *locks));
	OK(cudaMemset(heads, 0xff, BUCKETS * sizeof *heads));
	for (int i = 0; i < KEYS; i++)
		keys[i] = (int)((unsigned)i * 2654435761u >> 7);
	OK(LAUNCH(insert, KEYS / 128, 128, NULL, &keys, &n, &locks, &heads, &pool, &mask));
	OK(cudaDeviceSynchronize());
	for (int b = 0; b < BUCKETS; b++)
		for (int i = heads[b]; i >= 0; i = pool[i].next, found++)
			CHECK(pool[i].key == keys[i] && (keys[i] & mask) == b && found < KEYS);
	CHECK(found == KEYS);
	OK(cudaFree(keys));
	OK(cudaFree(heads));
	OK(cudaFree(pool));
	OK(cudaFree(locks));
}

int main(void)
{
	check_rounds();
	check_table();
	return 0;
}
