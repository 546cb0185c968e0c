// A fault in a child is told with its kernel and its line.
extern "C" __global__ void child(int *data)
{
	data[threadIdx.x + 1000] = 1;
}

extern "C" __global__ void parent(int *data)
{
	child<<<1, 32>>>(data);
}
