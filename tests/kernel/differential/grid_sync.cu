// Jacobi iteration with a sense-reversing barrier of the whole grid after every sweep, on integers.
__device__ void everyone(volatile unsigned *sync, unsigned sense)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		if (atomicAdd((unsigned *)&sync[0], 1) == gridDim.x - 1) {
			sync[0] = 0;
			__threadfence();
			sync[1] = sense;
		} else {
			while (sync[1] != sense)
				;
		}
		__threadfence();
	}
	__syncthreads();
}
extern "C" __global__ void grid_sync(volatile unsigned *data, volatile unsigned *other, unsigned *sync)
{
	unsigned n = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
	for (unsigned step = 1; step <= 6; step++) {
		for (unsigned i = 1 + t; i <= 2 * n; i += n)
			other[i] = (data[i - 1] + 2 * data[i] + data[i + 1]) / 4 + step;
		everyone(sync, 2 * step);
		for (unsigned i = 1 + t; i <= 2 * n; i += n)
			data[i] = other[i];
		everyone(sync, 2 * step + 1);
	}
}
