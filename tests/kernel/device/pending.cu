// More launches than may be pending: those above are not made, and each says so.
extern "C" __global__ void child(int *count)
{
	atomicAdd(count, 1);
}

extern "C" __global__ void many(int *count)
{
	child<<<1, 1>>>(count);
	if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded)
		atomicAdd(count + 1, 1);
}
