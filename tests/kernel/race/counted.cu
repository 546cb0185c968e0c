// Threads count by atomics whose results nobody uses, meet at a barrier, and one reads the sum.  The barrier does not hold the atomics up.
// launch global: --kernel in_global --grid 4 --block 96 --check races --arg buf:sums:u32:4:zero --arg buf:out:u32:4:zero --dump out
// launch shared: --kernel in_shared --grid 4 --block 96 --check races --arg buf:sums:u32:4:zero --arg buf:out:u32:4:zero --dump out
// launch again: --kernel in_rounds --grid 4 --block 96 --check races --arg buf:sums:u32:4:zero --arg buf:out:u32:4:zero --dump out
#define KERNEL extern "C" __global__ void

KERNEL in_global(unsigned *sums, unsigned *out)
{
	atomicAdd(&sums[blockIdx.x], threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = sums[blockIdx.x];
}

KERNEL in_shared(unsigned *sums, unsigned *out)
{
	__shared__ unsigned sum;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

/* The reader begins anew, behind another barrier. */
KERNEL in_rounds(unsigned *sums, unsigned *out)
{
	__shared__ unsigned sum;

	for (unsigned round = 0; round < 3; round++) {
		if (threadIdx.x == 32)
			sum = 0;
		__syncthreads();
		atomicAdd(&sum, threadIdx.x + round);
		__syncthreads();
		if (threadIdx.x == 64)
			out[blockIdx.x] += sum;
		__syncthreads();
	}
}
