// What launches from kernels order, for --check races: each kernel relies on one such order.
#define TAIL ((cudaStream_t)3)
#define FORGET ((cudaStream_t)4)

extern "C" __global__ void put(int *to, int what)
{
	*to = what;
}

extern "C" __global__ void copy(int *to, const int *from)
{
	to[threadIdx.x] = from[threadIdx.x];
}

// What the thread has written before the launch, and what that has seen of its block.
extern "C" __global__ void before(int *data)
{
	data[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 0)
		copy<<<1, 64, 0, FORGET>>>(data + 64, data);
}

// Launches of a block are in order, whichever thread makes them.
extern "C" __global__ void in_block(int *data)
{
	if (threadIdx.x == 64)
		put<<<1, 1>>>(data, 1);
	__syncthreads();
	if (threadIdx.x == 0) {
		put<<<1, 1>>>(data, 2);
		copy<<<1, 1>>>(data + 1, data);
	}
}

extern "C" __global__ void in_stream(int *data)
{
	cudaStream_t stream;

	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	put<<<1, 1, 0, stream>>>(data, 1);
	put<<<1, 1, 0, stream>>>(data, 2);
}

// An event hands on from one stream to another, also where what it stands for has ended long ago.
extern "C" __global__ void by_event(int *data)
{
	cudaStream_t stream;
	cudaEvent_t event;

	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	put<<<1, 1, 0, stream>>>(data, 1);
	cudaEventRecord(event, stream);
	for (int k = 0; k < 2; k++) {
		for (long long begin = clock64(); k && clock64() - begin < 100000;)
			;
		cudaStreamWaitEvent(0, event, 0);
		copy<<<1, 1>>>(data + 1, data);
	}
}

// Tail launches are behind all of the grid, its other children, and the tail launch before.
extern "C" __global__ void tail(int *data)
{
	if (threadIdx.x == 0) {
		copy<<<1, 64, 0, TAIL>>>(data + 64, data);
		copy<<<1, 64, 0, TAIL>>>(data + 128, data + 64);
		put<<<1, 1, 0, FORGET>>>(data + 127, 1);
	}
	data[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void launches_put(int *data)
{
	put<<<1, 1, 0, FORGET>>>(data, 3);
}

// A grid has ended when what it has launched has.
extern "C" __global__ void nested(int *data)
{
	launches_put<<<1, 1>>>(data);
	copy<<<1, 1>>>(data + 1, data);
}

// cudaDeviceSynchronize, and a barrier for the other threads.
extern "C" __global__ void awaited(int *data)
{
	if (threadIdx.x == 0) {
		launches_put<<<1, 1>>>(data);
		put<<<1, 1, 0, FORGET>>>(data + 1, 4);
		cudaDeviceSynchronize();
	}
	__syncthreads();
	data[2 + threadIdx.x] = data[0] + data[1];
}

// Also by a thread that has launched nothing; what it then launches is behind that, too.
extern "C" __global__ void awaited_by_other(int *data)
{
	if (threadIdx.x == 0)
		put<<<1, 1>>>(data, 1);
	__syncthreads();
	if (threadIdx.x == 64) {
		cudaDeviceSynchronize();
		copy<<<1, 1, 0, FORGET>>>(data + 1, data);
	}
}

// Copies and fills are grids in a stream.
extern "C" __global__ void copies(int *data)
{
	cudaMemsetAsync(data, 1, 64, 0);
	cudaMemcpyAsync(data + 16, data, 64, cudaMemcpyDeviceToDevice, 0);
	copy<<<1, 16>>>(data + 32, data + 16);
}

extern "C" __global__ void tells(int *data)
{
	data[0] = 5;
	__threadfence();
	atomicExch(data + 100, 1);
}

extern "C" __global__ void hears(int *data)
{
	while (!atomicAdd(data + 100, 0))
		;
	__threadfence();
}

// What a grid has learned is known to the next in its stream.
extern "C" __global__ void learned(int *data)
{
	tells<<<1, 1, 0, FORGET>>>(data);
	hears<<<1, 1>>>(data);
	copy<<<1, 1>>>(data + 1, data);
}
