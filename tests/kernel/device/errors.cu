// What the device runtime says of launches that cannot be: each thread has its own last error, which is told once.
extern "C" __global__ void child(int *data)
{
	data[threadIdx.x] = 1;
}

extern "C" __global__ void errors(int *said)
{
	int *own = said + 4 * threadIdx.x;

	if (threadIdx.x == 1)
		child<<<1, 2000>>>(own);
	if (threadIdx.x == 2)
		child<<<0, 32>>>(own);
	if (threadIdx.x == 3)
		child<<<1, 32, 1 << 20>>>(own);
	if (threadIdx.x == 4)
		child<<<1, 32, 0, (cudaStream_t)0x1234>>>(own);
	if (threadIdx.x == 5)
		cudaEventDestroy((cudaEvent_t)0x1234);
	own[0] = cudaPeekAtLastError();
	own[1] = cudaGetLastError();
	own[2] = cudaGetLastError();
	own[3] = *cudaGetErrorName((cudaError_t)own[0]);
}
