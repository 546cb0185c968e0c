// Two calls of one helper race with each other: a finding has each call's line, and the helper's.
__device__ __forceinline__ void increment(int *count)
{
	*count = *count + 1;
}

extern "C" __global__ void inlined(int *counts)
{
	increment(counts + threadIdx.x);
	if (threadIdx.x == 100)
		increment(counts);
}
