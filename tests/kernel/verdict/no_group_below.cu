// The same in the second dimension.
// launch: --grid 2,2 --block 32 --arg buf:flag:u32:64:zero
extern "C" __global__ void no_group_below(volatile unsigned *flag)
{
	if (threadIdx.x)
		return;
	flag[blockIdx.y * 8 + blockIdx.x] = 1;
	while (!flag[blockIdx.y * 8 + 8 + blockIdx.x])
		;
}
