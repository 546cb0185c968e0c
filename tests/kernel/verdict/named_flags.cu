// Each group sets its flag, but for group 4, by what it reads.
// launch: --grid 7 --block 32 --arg buf:flag:u32:16:zero --arg buf:x:u32:8:iota
extern "C" __global__ void named_flags(volatile unsigned *flag, volatile unsigned *x)
{
	unsigned group = blockIdx.x;

	if (threadIdx.x)
		return;
	if (group == 0)
		for (unsigned k = 1; k < gridDim.x; k++)
			while (flag[k] != 7)
				;
	else if (x[group] != 4)
		flag[group] = 7;
}
