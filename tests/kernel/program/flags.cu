// Producer and consumer groups: even groups fill a buffer and raise a flag, odd ones wait for it and add up; release and acquire by fences.
// launch: --grid 16 --block 96 --arg buf:box:u32:768:zero --arg buf:flags:u32:8:zero --arg buf:sums:u32:768:zero --dump sums
extern "C" __global__ void flags(unsigned *box, unsigned *flags, unsigned *sums)
{
	unsigned pair = blockIdx.x / 2, t = threadIdx.x;
	box += pair * blockDim.x;
	if (blockIdx.x % 2 == 0) {
		box[t] = pair * 1000 + t * t;
		__threadfence();
		__syncthreads();
		if (t == 0)
			atomicExch(&flags[pair], 1);
	} else {
		if (t == 0)
			while (atomicAdd(&flags[pair], 0) == 0)
				;
		__syncthreads();
		__threadfence();
		unsigned sum = 0;
		for (unsigned k = 0; k <= t; k++)
			sum += *(volatile unsigned *)&box[k];
		sums[pair * blockDim.x + t] = sum;
	}
}
