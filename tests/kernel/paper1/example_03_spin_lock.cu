// Paper 1, Examples 1 and 3 (1.1, 3.1): the spin lock as it is written for a CPU. On a stack the threads of a warp that want one lock block each other (claim P1-01); (launch one); when
// each has a lock of its own, all lanes must get theirs before one goes on, and do. With independent threads both complete. Example 4 is its assembly.
// launch: --block 8 --arg buf:lock:s32:8:fill=-1 --arg buf:count:u32:8:zero --arg u32:8 --dump lock --dump count
// launch one: --block 8 --arg buf:lock:s32:8:fill=-1 --arg buf:count:u32:8:zero --arg u32:1 --dump lock --dump count
extern "C" __global__ void example_3(int *locks, volatile unsigned *counts, unsigned lock_count)
{
	unsigned which = threadIdx.x % lock_count;
	int *lock = &locks[which];
	while (atomicCAS(lock, -1, (int)threadIdx.x) != -1)
		;
	counts[which] = counts[which] + 1;
	__threadfence();
	atomicExch(lock, -1);
}
