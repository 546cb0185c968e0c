// What launches from kernels do not order, for --check races: in each kernel one order of ordered.cu is missing.
#define TAIL ((cudaStream_t)3)
#define FORGET ((cudaStream_t)4)

extern "C" __global__ void put(int *to, int what)
{
	*to = what;
}

extern "C" __global__ void put_too(int *to, int what)
{
	*to = what;
}

extern "C" __global__ void copy(int *to, const int *from)
{
	to[threadIdx.x] = from[threadIdx.x];
}

extern "C" __global__ void behind(int *data)
{
	copy<<<1, 1>>>(data + 1, data);
	data[0] = 1;
}

extern "C" __global__ void no_barrier(int *data)
{
	if (threadIdx.x == 64)
		data[0] = 1;
	if (threadIdx.x == 0)
		copy<<<1, 1>>>(data + 1, data);
}

extern "C" __global__ void forgotten(int *data)
{
	put<<<1, 1, 0, FORGET>>>(data, 1);
	put_too<<<1, 1, 0, FORGET>>>(data, 2);
}

extern "C" __global__ void two_blocks(int *data)
{
	if (blockIdx.x)
		put<<<1, 1>>>(data, 1);
	else
		put_too<<<1, 1>>>(data, 2);
}

extern "C" __global__ void two_streams(int *data)
{
	cudaStream_t stream;

	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	put<<<1, 1, 0, stream>>>(data, 1);
	put_too<<<1, 1>>>(data, 2);
}

// The event is recorded before what is to be waited for.
extern "C" __global__ void early_event(int *data)
{
	cudaStream_t stream;
	cudaEvent_t event;

	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	put<<<1, 1, 0, stream>>>(data + 2, 1);
	cudaEventRecord(event, stream);
	put<<<1, 1, 0, stream>>>(data, 1);
	cudaStreamWaitEvent(0, event, 0);
	copy<<<1, 1>>>(data + 1, data);
}

// The block's stream is not behind what has no order.
extern "C" __global__ void not_in_stream(int *data)
{
	put<<<1, 1, 0, FORGET>>>(data, 1);
	copy<<<1, 1>>>(data + 1, data);
}

extern "C" __global__ void not_awaited(int *data)
{
	put<<<1, 1>>>(data, 1);
	for (long long begin = clock64(); clock64() - begin < 100000;)
		;
	data[1] = data[0];
}

// Thread 64 is not behind what thread 0 has waited for.
extern "C" __global__ void not_met(int *data)
{
	if (threadIdx.x == 0) {
		put<<<1, 1>>>(data, 1);
		cudaDeviceSynchronize();
	}
	if (threadIdx.x == 64) {
		for (long long begin = clock64(); clock64() - begin < 100000;)
			;
		data[1] = data[0];
	}
}

// What another block has launched is not waited for.
extern "C" __global__ void another_block(int *data)
{
	if (blockIdx.x) {
		put<<<1, 1>>>(data, 1);
		return;
	}
	put_too<<<1, 1>>>(data + 2, 2);
	cudaDeviceSynchronize();
	for (long long begin = clock64(); clock64() - begin < 100000;)
		;
	data[1] = data[0];
}

// Tail launches of a child are before its parent's next grid, but not before another stream's.
extern "C" __global__ void tails_of(int *data)
{
	put<<<1, 1, 0, TAIL>>>(data, 1);
}

extern "C" __global__ void tail_of_child(int *data)
{
	tails_of<<<1, 1>>>(data);
	put_too<<<1, 1, 0, FORGET>>>(data, 2);
}
