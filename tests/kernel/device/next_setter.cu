__global__ void wait(volatile int *flag)
{
	while (*flag == 0)
		;
}

__global__ void set(volatile int *flag)
{
	*flag = 1;
}

extern "C" __global__ void parent(volatile int *flag)
{
	wait<<<1, 1>>>(flag);
	set<<<1, 1>>>(flag);
}
