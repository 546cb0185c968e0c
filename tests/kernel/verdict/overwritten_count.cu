// All groups count and wait for the last. Group 0 sets the counter back for the next time, before group 3 has looked (as in cuml 458).
// launch: --grid 4 --block 32 --arg buf:count:u32:1:zero --arg buf:gate:u32:1:zero
extern "C" __global__ void overwritten_count(unsigned *count, volatile unsigned *gate)
{
	if (threadIdx.x)
		return;
	atomicAdd(count, 1u);
	if (blockIdx.x == 0) {
		while (*(volatile unsigned *)count < gridDim.x)
			;
		*(volatile unsigned *)count = 0;
		__threadfence();
		*gate = 1;
	} else if (blockIdx.x == 3) {
		while (*gate != 1)
			;
		while (*(volatile unsigned *)count < gridDim.x)
			;
	}
}
