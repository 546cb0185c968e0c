// What is said of two lines: one finding with the cause that mends both, an atomic where a count is meant, a barrier before a release.
// launch histogram: --kernel histogram --block 128 --check races --arg buf:in:u32:128:iota --arg buf:out:u32:8:zero
// launch groups: --kernel histogram --grid 4 --block 64 --check races --arg buf:in:u32:256:iota --arg buf:out:u32:8:zero
// launch shift: --kernel shift --block 128 --check races --arg buf:in:u32:129:iota --arg buf:out:u32:128:zero
// launch neighbours: --kernel neighbours --block 128 --check races --arg buf:in:u32:128:iota --arg buf:out:u32:128:zero
// launch grid: --kernel grid --grid 4 --block 64 --check races --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero
extern "C" __global__ void histogram(const unsigned *in, unsigned *out)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;

	out[in[t] & 7]++;
}

// Not a count: the address that is read is another thread's.
extern "C" __global__ void shift(unsigned *in, unsigned *out)
{
	in[threadIdx.x] += in[threadIdx.x + 1];
	out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void neighbours(const unsigned *in, unsigned *out)
{
	__shared__ unsigned room[128];
	unsigned t = threadIdx.x;

	room[t] = in[t];
	out[t] = room[(t + 1) % 128];
}

// A barrier of all groups, but the first thread counts before the others of its group have stored.
__device__ unsigned counted;
extern "C" __global__ void grid(const unsigned *in, unsigned *out)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

	out[t] = in[t];
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(&counted, 1);
		while (*(volatile unsigned *)&counted % gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
	if (out[(t + blockDim.x) % n] == n)
		out[t] = 0;
}
