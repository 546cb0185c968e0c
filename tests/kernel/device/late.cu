// A child that begins late ends the loop of its parent, which is no hang meanwhile.
extern "C" __global__ void child(int *flag)
{
	atomicExch(flag, 1);
}

extern "C" __global__ void parent(int *flag)
{
	child<<<1, 1>>>(flag);
	while (!atomicAdd(flag, 0))
		;
}
