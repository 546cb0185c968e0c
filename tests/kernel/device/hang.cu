// A child that never ends is told with its line, and that the parent waits for it.
extern "C" __global__ void child(volatile int *flag)
{
	while (!*flag)
		;
}

extern "C" __global__ void parent(int *flag)
{
	child<<<1, 32>>>(flag);
}
