// A thread waits for a child that waits for what the thread would write: each is told with its line.
extern "C" __global__ void child(volatile int *flag)
{
	while (!*flag)
		;
}

extern "C" __global__ void parent(int *flag)
{
	if (threadIdx.x == 72) {
		child<<<1, 32>>>(flag);
		cudaDeviceSynchronize();
	}
	__syncthreads();
	*flag = 1;
}
