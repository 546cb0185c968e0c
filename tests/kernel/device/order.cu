// The block's stream, a stream of its own with an event between the two, and launches that have no order: each child multiplies by ten and adds a digit.
extern "C" __global__ void digit(int *to, int what)
{
	*to = *to * 10 + what;
}

extern "C" __global__ void streams(int *data)
{
	int *own = data + 4 * blockIdx.x;
	cudaStream_t stream;
	cudaEvent_t event;

	if (threadIdx.x == 0)
		*own = blockIdx.x + 1;
	__syncthreads();
	if (threadIdx.x == 32)
		digit<<<1, 1>>>(own, 2);
	__syncthreads();
	if (threadIdx.x == 0) {
		digit<<<1, 1>>>(own, 3);
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		digit<<<1, 1, 0, stream>>>(own + 1, 4);
		digit<<<1, 1, 0, stream>>>(own + 1, 5);
		cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
		cudaEventRecord(event, stream);
		cudaStreamWaitEvent(0, event, 0);
		digit<<<1, 1>>>(own + 1, 6);
		digit<<<1, 1, 0, cudaStreamFireAndForget>>>(own + 2, 7);
		cudaStreamDestroy(stream);
		cudaEventDestroy(event);
		own[3] = cudaGetLastError();
	}
}
