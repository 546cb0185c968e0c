// The first lane of each warp counts in shared memory, but for thread 64 of group 1.
// launch: --grid 2 --block 128 --arg buf:x:u32:8:zero
extern "C" __global__ void named_shared_count(volatile unsigned *x)
{
	__shared__ unsigned count;
	unsigned t = threadIdx.x;

	if (t == 0)
		count = 0;
	__syncthreads();
	if (t % 32 || (blockIdx.x == 1 && t == 64 && x[0] == 0))
		return;
	atomicAdd(&count, 1u);
	while (*(volatile unsigned *)&count != 4)
		;
}
