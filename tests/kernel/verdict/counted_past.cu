// It waits until the counter is three, which it was: four count.
// launch: --grid 5 --block 32 --arg buf:count:u32:1:zero --arg buf:gate:u32:1:zero
extern "C" __global__ void counted_past(unsigned *count, unsigned *gate)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x) {
		atomicAdd(count, 1u);
		__threadfence();
		atomicAdd(gate, 1u);
		return;
	}
	while (*(volatile unsigned *)gate != 4)
		;
	while (*(volatile unsigned *)count != 3)
		;
}
