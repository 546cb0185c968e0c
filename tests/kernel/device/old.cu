// Launches as the guide has them for PTX: the size alone is known when the buffer is asked for, the rest when it is launched.
#include <cuda_device_runtime_api.h>

extern "C" __global__ void child(int *data, int more)
{
	data[threadIdx.x] += more + 100 * gridDim.x;
}

extern "C" __global__ void empty()
{
}

extern "C" __global__ void parent(int *data)
{
	char *buffer = (char *)cudaGetParameterBuffer(8, 12);

	*(int **)buffer = data;
	*(int *)(buffer + 8) = 5;
	data[32] = cudaLaunchDevice((void *)child, buffer, dim3(1), dim3(32), 0, 0);
	cudaDeviceSynchronize();
	data[33] = data[31];
	data[34] = cudaLaunchDevice((void *)empty, NULL, dim3(1), dim3(1), 0, 0);
	data[35] = cudaLaunchDevice((void *)child, cudaGetParameterBuffer(8, 12), dim3(1), dim3(0), 0, 0);
}

extern "C" __global__ void small(int *data)
{
	cudaLaunchDevice((void *)child, cudaGetParameterBuffer(8, 8), dim3(1), dim3(1), 0, 0);
}
