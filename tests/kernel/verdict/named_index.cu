// Group 5 sets another flag than its own.
// launch: --grid 8 --block 32 --arg buf:flag:u32:16:zero --arg buf:data:u32:8:zero
extern "C" __global__ void named_index(volatile unsigned *flag, volatile unsigned *data)
{
	unsigned group = blockIdx.x;

	if (threadIdx.x)
		return;
	if (group == 0) {
		for (unsigned k = 1; k < gridDim.x; k++)
			while (!flag[k])
				;
		return;
	}
	data[group] = group;
	__threadfence();
	flag[group == 5 ? group + 4 : group] = 1;
}
