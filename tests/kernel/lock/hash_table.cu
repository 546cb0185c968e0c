// Chained hash table, a lock per bucket, every thread inserts four keys: all keys are there once and every chain ends.
// launch: --grid 6 --block 128 --arg buf:keys:u32:3072:random=7 --arg s32:3072 --arg buf:locks:u32:64:zero --arg buf:heads:s32:64:fill=-1 --arg buf:pool:u32:6144:zero --arg u32:63 --dump locks --dump heads --dump pool
// launch one_bucket: --grid 2 --block 64 --arg buf:keys:u32:256:random=8 --arg s32:256 --arg buf:locks:u32:64:zero --arg buf:heads:s32:64:fill=-1 --arg buf:pool:u32:512:zero --arg u32:0 --dump locks --dump heads --dump pool
extern "C" __global__ void hash_table(const unsigned *keys, int n, unsigned *locks, volatile int *heads, volatile int *pool, unsigned mask)
{
	for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
		unsigned bucket = (keys[k] * 2654435769u >> 12) & mask;
		pool[2 * k] = keys[k];
		bool done = false;
		while (!done) {
			if (atomicCAS(&locks[bucket], 0, 1) == 0) {
				pool[2 * k + 1] = heads[bucket];
				heads[bucket] = k;
				__threadfence();
				atomicExch(&locks[bucket], 0);
				done = true;
			}
		}
	}
}
