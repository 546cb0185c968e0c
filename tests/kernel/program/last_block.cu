// A sum in one launch: every group stores its part, a fence, a ticket; the group that draws the last ticket adds the parts (the threadFenceReduction sample).
// launch: --grid 40 --block 64 --arg buf:input:u32:8000:random=12 --arg buf:parts:u64:40:zero --arg buf:result:u64:2:zero --arg buf:tickets:u32:1:zero --arg u32:8000 --dump result --dump tickets
extern "C" __global__ void last_block(const unsigned *input, unsigned long long *parts, unsigned long long *result, unsigned *tickets, unsigned n)
{
	__shared__ unsigned long long room[64];
	__shared__ bool last;
	unsigned long long sum = 0;
	for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
		sum += input[k];
	room[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned step = 32; step; step /= 2) {
		if (threadIdx.x < step)
			room[threadIdx.x] += room[threadIdx.x + step];
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		((volatile unsigned long long *)parts)[blockIdx.x] = room[0];
		__threadfence();
		last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		__threadfence();
		sum = 0;
		for (unsigned k = 0; k < gridDim.x; k++)
			sum += ((volatile unsigned long long *)parts)[k];
		result[0] = sum;
		result[1]++;
	}
}
