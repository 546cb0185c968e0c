// cudaDeviceSynchronize in a kernel: what the block has launched has ended, and what that has written is seen.
extern "C" __global__ void add(volatile int *data, int more)
{
	data[threadIdx.x] += more;
}

extern "C" __global__ void add_apart(int *data, int more)
{
	data[32 * blockIdx.x] += more;
}

// The second read must not be of lines that the first has left in the L1: children run on other cores than the last block.
extern "C" __global__ void reads(int *data)
{
	int before;

	if (blockIdx.x < 12)
		return;
	before = data[32 * threadIdx.x];
	__syncthreads();
	if (threadIdx.x == 0) {
		add_apart<<<12, 1>>>(data, 5);
		cudaDeviceSynchronize();
	}
	__syncthreads();
	data[32 * threadIdx.x + 1] = 1000 * before + data[32 * threadIdx.x];
}

// A warp waits for what another has launched; three in a row are in order.
extern "C" __global__ void others(int *data)
{
	if (threadIdx.x == 64)
		for (int k = 0; k < 3; k++)
			add<<<1, 32>>>(data, 1);
	__syncthreads();
	if (threadIdx.x == 0) {
		cudaDeviceSynchronize();
		data[40] = data[0];
		cudaDeviceSynchronize();
	}
}

extern "C" __global__ void await(volatile int *data)
{
	while (!data[32])
		;
	data[0] = data[32] + 1;
}

// While a warp waits the other goes on, and lets the child end.
extern "C" __global__ void goes_on(volatile int *data)
{
	__shared__ volatile int launched;

	launched = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		await<<<1, 1>>>(data);
		launched = 1;
		cudaDeviceSynchronize();
		data[1] = data[0] + 1;
	}
	if (threadIdx.x == 64) {
		while (!launched)
			;
		data[32] = 1;
	}
}

// By default grids of two levels may wait: 68 is cudaErrorSyncDepthExceeded.
extern "C" __global__ void deep(int *data, int left)
{
	int error;

	if (!left) {
		*data = 7;
		return;
	}
	deep<<<1, 1>>>(data, left - 1);
	error = cudaDeviceSynchronize();
	data[left] = 10 * error + (error == cudaGetLastError()) + 2 * (!error && *data == 7);
}

extern "C" __global__ void leaf(int *data)
{
	atomicAdd(data, 1);
}

extern "C" __global__ void middle(int *data)
{
	leaf<<<1, 2>>>(data);
	cudaDeviceSynchronize();
	atomicAdd(data + 1, *(volatile int *)data >= 2);
}

// More blocks wait, on two levels, than the GPU has room for.
extern "C" __global__ void full(int *data)
{
	middle<<<1, 1>>>(data);
	if (cudaDeviceSynchronize())
		atomicAdd(data + 2, 1);
	atomicAdd(data + 3, 1);
}
