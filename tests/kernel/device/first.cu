// One kernel that launches one child, which finds what all of the group have written.
extern "C" __global__ void child(int *data, int more)
{
	data[threadIdx.x] += more;
}

extern "C" __global__ void parent(int *data)
{
	data[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 40)
		child<<<1, 64>>>(data, 5);
}
