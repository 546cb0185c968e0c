// Two groups wait for a flag. The first resets it, and only then the other looks.
// launch: --grid 3 --block 32 --arg buf:flag:u32:1:zero --arg buf:gate:u32:1:zero
extern "C" __global__ void overwritten_flag(volatile unsigned *flag, volatile unsigned *gate)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 1) {
		*flag = 1;
	} else if (blockIdx.x == 2) {
		while (*flag != 1)
			;
		*flag = 0;
		__threadfence();
		*gate = 1;
	} else {
		while (*gate != 1)
			;
		while (*flag != 1)
			;
	}
}
