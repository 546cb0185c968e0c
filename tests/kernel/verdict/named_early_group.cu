// A barrier of six groups, which group 3 leaves: its thread 0 is the one that never came.
// launch: --grid 6 --block 64 --arg buf:count:u32:1:zero
extern "C" __global__ void named_early_group(unsigned *count)
{
	if (blockIdx.x == 3)
		return;
	if (threadIdx.x == 0) {
		atomicAdd(count, 1u);
		while (*(volatile unsigned *)count != gridDim.x)
			;
	}
}
