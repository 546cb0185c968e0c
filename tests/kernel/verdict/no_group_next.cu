// Each group waits for the next one, the last for one that the grid does not have.
// launch: --grid 4 --block 32 --arg buf:flag:u32:16:zero
extern "C" __global__ void no_group_next(volatile unsigned *flag)
{
	if (threadIdx.x)
		return;
	flag[blockIdx.x] = 1;
	while (!flag[blockIdx.x + 1])
		;
}
