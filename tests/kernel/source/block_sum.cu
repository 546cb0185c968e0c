// CUDA C through clang, without the toolkit: templates, shuffles, shared memory, a warp-sum and a block-sum, __launch_bounds__, atomicAdd of a double.
// launch: --grid 4 --block 128 --arg buf:input:s32:512:random=4,-100,100 --arg buf:sums:s32:4:zero --arg buf:total:f64:1:zero --dump sums --dump total
template <typename T> __device__ T warp_sum(T x)
{
	for (int step = 16; step; step /= 2)
		x += __shfl_down_sync(0xffffffff, x, step);
	return x;
}
extern "C" __global__ void __launch_bounds__(128) block_sum(const int *input, int *sums, double *total)
{
	__shared__ int parts[4];
	int x = warp_sum(input[blockIdx.x * blockDim.x + threadIdx.x]);
	if (threadIdx.x % warpSize == 0)
		parts[threadIdx.x / warpSize] = x;
	__syncthreads();
	if (threadIdx.x == 0) {
		sums[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
		atomicAdd(total, (double)sums[blockIdx.x] / 4);
	}
}
