// A barrier of four groups that waits for five: there is no such group, but the count may as well be wrong.
// launch: --grid 4 --block 32 --arg buf:count:u32:1:zero
extern "C" __global__ void no_group_target(unsigned *count)
{
	if (threadIdx.x)
		return;
	atomicAdd(count, 1u);
	while (*(volatile unsigned *)count < gridDim.x + 1)
		;
}
