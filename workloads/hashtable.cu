/* A chained hash table that all threads fill at once, one spin lock per bucket: the program of `make demo`.
 *
 * The loop keeps its critical section inside and leaves only by `done`, the form that a GPU with a reconvergence stack can run:
 * written as `while (atomicCAS(...)); ...` the lane that got the lock would wait for the lanes that wait for it. */
#include <stdio.h>
#include <stdlib.h>

struct entry {
	unsigned key;
	int next; /* entry, or -1 */
};

extern "C" __global__ void insert(const unsigned *keys, int count, unsigned *locks, volatile int *heads, struct entry *pool, unsigned mask)
{
	int threads = gridDim.x * blockDim.x;
	for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += threads) {
		unsigned bucket = (keys[k] * 2654435769u >> 12) & mask;
		bool done = false;
		pool[k].key = keys[k];
		while (!done) {
			if (atomicCAS(&locks[bucket], 0, 1) == 0) {
				pool[k].next = heads[bucket];
				heads[bucket] = k;
				__threadfence();
				atomicExch(&locks[bucket], 0);
				done = true;
			}
		}
	}
}

/* Fills a table and walks its chains: every key must hang in one. */
int main(void)
{
	enum { COUNT = 81920, BUCKETS = 1024 };
	static unsigned keys[COUNT];
	static int heads[BUCKETS];
	static struct entry pool[COUNT];
	unsigned *device_keys, *device_locks;
	int *device_heads, found = 0;
	struct entry *device_pool;
	for (int k = 0; k < COUNT; k++)
		keys[k] = (unsigned)rand();
	cudaMalloc(&device_keys, sizeof keys);
	cudaMalloc(&device_locks, BUCKETS * sizeof *device_locks);
	cudaMalloc(&device_heads, sizeof heads);
	cudaMalloc(&device_pool, sizeof pool);
	cudaMemcpy(device_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
	cudaMemset(device_locks, 0, BUCKETS * sizeof *device_locks);
	cudaMemset(device_heads, 0xff, sizeof heads);
	insert<<<160, 256>>>(device_keys, COUNT, device_locks, device_heads, device_pool, BUCKETS - 1);
	cudaMemcpy(heads, device_heads, sizeof heads, cudaMemcpyDeviceToHost);
	cudaMemcpy(pool, device_pool, sizeof pool, cudaMemcpyDeviceToHost);
	for (int bucket = 0; bucket < BUCKETS; bucket++)
		for (int at = heads[bucket]; at != -1 && found <= COUNT; at = pool[at].next)
			found++;
	printf("%d of %d keys in the table\n", found, COUNT);
	return found != COUNT;
}
