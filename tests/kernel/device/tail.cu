// Tail launches begin when the grid and its other children have ended, one after another, and a child's own before the next of its parent's.
extern "C" __global__ void digit(int *to, int what)
{
	*to = *to * 10 + what;
}

extern "C" __global__ void slow(int *to, int what)
{
	for (int k = 0; k < 1000; k++)
		__nanosleep(100);
	digit<<<1, 1, 0, cudaStreamTailLaunch>>>(to, what + 1);
	*to = *to * 10 + what;
}

extern "C" __global__ void tails(int *to)
{
	digit<<<1, 1, 0, cudaStreamTailLaunch>>>(to, 5);
	slow<<<1, 1, 0, cudaStreamTailLaunch>>>(to, 6);
	digit<<<1, 1, 0, cudaStreamTailLaunch>>>(to, 8);
	slow<<<1, 1, 0, cudaStreamFireAndForget>>>(to, 2);
	*to = 1;
}
