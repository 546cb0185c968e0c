// Histogram of bytes: shared-memory atomics in every group, then global ones; input read four bytes at a time.
// launch: --grid 4 --block 128 --arg buf:input:u8:8192:random=3 --arg buf:bins:u32:256:zero --arg u32:2048 --dump bins
extern "C" __global__ void histogram(const uchar4 *input, unsigned *bins, unsigned count)
{
	__shared__ unsigned local[256];
	for (unsigned k = threadIdx.x; k < 256; k += blockDim.x)
		local[k] = 0;
	__syncthreads();
	for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
		uchar4 four = input[k];
		atomicAdd(&local[four.x], 1);
		atomicAdd(&local[four.y], 1);
		atomicAdd(&local[four.z], 1);
		atomicAdd(&local[four.w], 1);
	}
	__syncthreads();
	for (unsigned k = threadIdx.x; k < 256; k += blockDim.x)
		if (local[k])
			atomicAdd(&bins[k], local[k]);
}
