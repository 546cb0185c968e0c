// A generation of one bit is lapped: it is 1 for a while, and 0 again when the waiter looks.
// launch: --grid 2 --block 32 --arg buf:generation:u32:1:zero --arg buf:gate:u32:1:zero
extern "C" __global__ void overwritten_generation(volatile unsigned *generation, volatile unsigned *gate)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 1) {
		*generation ^= 1;
		__threadfence();
		*generation ^= 1;
		__threadfence();
		*gate = 1;
	} else {
		while (*gate != 1)
			;
		while (*generation == 0)
			;
	}
}
