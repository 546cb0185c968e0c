// cudaMalloc and cudaFree on the GPU, and what it says of itself.
extern "C" __global__ void fill(int *block, int with)
{
	block[threadIdx.x] = with;
}

extern "C" __global__ void sum(const int *block, int *to)
{
	atomicAdd(to, block[threadIdx.x]);
	__syncthreads();
	if (threadIdx.x == 0)
		cudaFree((void *)block);
}

extern "C" __global__ void memory(int *to)
{
	int *block, device, count, lanes;

	if (cudaMalloc((void **)&block, 32 * sizeof *block) != cudaSuccess)
		return;
	fill<<<1, 32>>>(block, threadIdx.x + 1);
	sum<<<1, 32>>>(block, to + threadIdx.x);
	cudaGetDevice(&device);
	cudaGetDeviceCount(&count);
	cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, device);
	to[8 + threadIdx.x] = count * 100 + lanes;
}
