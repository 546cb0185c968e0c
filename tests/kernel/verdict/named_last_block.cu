// The last of eight groups to count should set the flag, but looks for the ninth: nobody can say which should have.
// launch: --grid 9 --block 32 --arg buf:count:u32:1:zero --arg buf:done:u32:1:zero
extern "C" __global__ void named_last_block(unsigned *count, volatile unsigned *done)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 8) {
		while (!*done)
			;
		return;
	}
	__threadfence();
	if (atomicAdd(count, 1u) == gridDim.x - 1)
		*done = 1;
}
