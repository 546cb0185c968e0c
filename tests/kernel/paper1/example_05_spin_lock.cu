// Paper 1, Example 5 (3.1): the critical section inside the loop. It completes under every model, with any contention (claim P1-03). Example 6 is its assembly.
// launch: --block 8 --arg buf:lock:s32:8:fill=-1 --arg buf:count:u32:8:zero --arg u32:1 --dump lock --dump count
// launch four: --grid 4 --block 64 --arg buf:lock:s32:8:fill=-1 --arg buf:count:u32:8:zero --arg u32:4 --dump lock --dump count
extern "C" __global__ void example_5(int *locks, volatile unsigned *counts, unsigned lock_count)
{
	unsigned which = threadIdx.x % lock_count;
	int *lock = &locks[which];
	bool loop_continue = true;
	while (loop_continue) {
		if (atomicCAS(lock, -1, (int)(blockIdx.x * blockDim.x + threadIdx.x)) == -1) {
			counts[which] = counts[which] + 1;
			__threadfence();
			atomicExch(lock, -1);
			loop_continue = false;
		}
	}
}
