// As named_early_group, but nothing is run again: nothing is said of what was written.
// launch: --grid 6 --block 64 --arg buf:count:u32:1:zero --explain-limit 0
extern "C" __global__ void named_unexplained(unsigned *count)
{
	if (blockIdx.x == 3)
		return;
	if (threadIdx.x == 0) {
		atomicAdd(count, 1u);
		while (*(volatile unsigned *)count != gridDim.x)
			;
	}
}
