// The same, but what group 3 reads makes it leave.
// launch: --grid 6 --block 32 --arg buf:count:u32:1:zero --arg buf:x:u32:6:iota
extern "C" __global__ void named_by_data(unsigned *count, volatile unsigned *x)
{
	if (threadIdx.x || x[blockIdx.x] == 3)
		return;
	atomicAdd(count, 1u);
	while (*(volatile unsigned *)count < gridDim.x)
		;
}
