// Group 4 sets its flag to another value than the one that is waited for.
// launch: --grid 7 --block 32 --arg buf:flag:u32:16:zero --arg buf:x:u32:8:iota
extern "C" __global__ void named_value(volatile int *flag, volatile unsigned *x)
{
	unsigned group = blockIdx.x;

	if (threadIdx.x)
		return;
	if (group == 0)
		for (unsigned k = 1; k < gridDim.x; k++)
			while (flag[k] != 7)
				;
	else
		flag[group] = x[group] == 4 ? 6 : 7;
}
