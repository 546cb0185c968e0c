// Paper 1, Example 15 (5.1.2): Anderson's queue lock in an array; everybody spins on a flag of his own. One thread of each warp contends (warps): it works under every model, first come
// first served. Every thread of a warp contends (warp): on a stack the one that has the lock waits for those that wait for their flags. flags begins as 0, 1, 2 ...: 0 has the lock.
// launch warps: --grid 4 --block 64 --arg buf:flags:u32:8:iota --arg buf:queueLast:u32:1:zero --arg buf:order:u32:17:zero --arg u32:32 --dump flags --dump queueLast --dump order
// launch warp: --block 8 --arg buf:flags:u32:8:iota --arg buf:queueLast:u32:1:zero --arg buf:order:u32:17:zero --arg u32:1 --dump flags --dump queueLast --dump order
#define P 8 /* threads that contend */
#define HAS_LOCK 0
#define MUST_WAIT 1 /* or any other number */

extern "C" __global__ void example_15(volatile unsigned *flags, unsigned *queueLast, volatile unsigned *order, unsigned stride)
{
	if (threadIdx.x % stride)
		return;
	for (int round = 0; round < 2; round++) {
		unsigned myPlace = atomicAdd(queueLast, 1);
		while (flags[myPlace % P] != HAS_LOCK)
			;
		__threadfence();
		unsigned before = order[16]; /* how many had it before */
		order[before] = myPlace;
		order[16] = before + 1;
		flags[myPlace % P] = MUST_WAIT;
		__threadfence();
		flags[(myPlace + 1) % P] = HAS_LOCK;
	}
}
