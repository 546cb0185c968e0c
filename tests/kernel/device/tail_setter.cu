__global__ void set(volatile int *flag)
{
	*flag = 1;
}

extern "C" __global__ void parent(volatile int *flag)
{
	set<<<1, 1, 0, cudaStreamTailLaunch>>>(flag);
	while (*flag == 0)
		;
}
