// A barrier across all groups, resident at once: arrival counter and generation in global memory; eight rounds in which every group reads its neighbours' last values.
// launch: --grid 12 --block 64 --arg buf:values:u32:1536:zero --arg buf:barrier:u32:2:zero --dump values
__device__ void everyone(unsigned *barrier)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		unsigned generation = *(volatile unsigned *)&barrier[1];
		if (atomicAdd(&barrier[0], 1) == gridDim.x - 1) {
			barrier[0] = 0;
			__threadfence();
			atomicAdd(&barrier[1], 1);
		} else {
			while (*(volatile unsigned *)&barrier[1] == generation)
				;
		}
		__threadfence();
	}
	__syncthreads();
}

extern "C" __global__ void grid_barrier(unsigned *values, unsigned *barrier)
{
	unsigned n = gridDim.x * blockDim.x, k = blockIdx.x * blockDim.x + threadIdx.x;
	volatile unsigned *from = values, *to = values + n;
	from[k] = k;
	everyone(barrier);
	for (int round = 0; round < 8; round++) {
		to[k] = 3 * from[(k + 65) % n] + from[(k + n - 1) % n] + round;
		everyone(barrier);
		volatile unsigned *swap = from;
		from = to;
		to = swap;
	}
}
