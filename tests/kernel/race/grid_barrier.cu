// A barrier of all groups that lacks a __syncthreads() before the release: whichever side comes first, that is what is missing.
// launch store_load: --kernel store_load --grid 4 --block 128 --check races --arg buf:a:s32:512:zero --arg buf:out:s32:512:zero --arg buf:bar:u32:4:zero
// launch load_store: --kernel load_store --grid 4 --block 128 --check races --arg buf:a:s32:512:zero --arg buf:out:s32:512:zero --arg buf:bar:u32:4:zero
// launch store_store: --kernel store_store --grid 4 --block 128 --check races --arg buf:a:s32:512:zero --arg buf:out:s32:512:zero --arg buf:bar:u32:4:zero
// launch loop: --kernel loop --grid 4 --block 128 --check races --arg buf:a:s32:512:zero --arg buf:out:s32:512:zero --arg buf:bar:u32:4:zero
// launch sense: --kernel sense --grid 4 --block 128 --check races --arg buf:a:s32:512:zero --arg buf:out:s32:512:zero --arg buf:bar:u32:4:zero
// launch right: --kernel right --grid 4 --block 128 --check races --arg buf:a:s32:512:zero --arg buf:out:s32:512:zero --arg buf:bar:u32:4:zero
__device__ void grid_wait(unsigned *bar, unsigned n, bool before, bool after)
{
	if (before)
		__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(bar, 1);
		while (atomicAdd(bar, 0) < n)
			;
		__threadfence();
	}
	if (after)
		__syncthreads();
}

__global__ void store_load(int *a, int *out, unsigned *bar)
{
	int i = blockIdx.x * 128 + threadIdx.x;

	a[i] = i;
	grid_wait(bar, gridDim.x, false, true);
	out[i] = a[(i + 128) & 511];
}

__global__ void load_store(int *a, int *out, unsigned *bar)
{
	int i = blockIdx.x * 128 + threadIdx.x;

	out[i] = a[i];
	grid_wait(bar, gridDim.x, false, true);
	a[(i + 128) & 511] = i;
}

__global__ void store_store(int *a, int *out, unsigned *bar)
{
	int i = blockIdx.x * 128 + threadIdx.x;

	a[i] = i;
	grid_wait(bar, gridDim.x, false, true);
	a[(i + 128) & 511] = i + 1;
}

__global__ void loop(int *a, int *out, unsigned *bar)
{
	int i = blockIdx.x * 128 + threadIdx.x, v = 0;

	for (int k = 1; k <= 4; k++) {
		a[i] = v + k;
		grid_wait(bar, (2 * k - 1) * gridDim.x, true, true);
		v += a[(i + 128) & 511];
		grid_wait(bar, 2 * k * gridDim.x, false, true);
	}
	out[i] = v;
}

__global__ void sense(int *a, int *out, unsigned *bar)
{
	int i = blockIdx.x * 128 + threadIdx.x, v = 0;

	for (int k = 1; k <= 4; k++) {
		a[i] = v + k;
		__syncthreads();
		for (int h = 0; h < 2; h++) {
			if (threadIdx.x == 0) {
				volatile unsigned *gen = bar + 1;
				unsigned g = *gen;

				__threadfence();
				if (atomicAdd(bar, 1) == gridDim.x - 1) {
					*bar = 0;
					__threadfence();
					*gen = g + 1;
				} else {
					while (*gen == g)
						;
				}
				__threadfence();
			}
			__syncthreads();
			if (h == 0)
				v += a[(i + 128) & 511];
		}
	}
	out[i] = v;
}

__global__ void right(int *a, int *out, unsigned *bar)
{
	int i = blockIdx.x * 128 + threadIdx.x, v = 0;

	for (int k = 1; k <= 4; k++) {
		a[i] = v + k;
		grid_wait(bar, (2 * k - 1) * gridDim.x, true, true);
		v += a[(i + 128) & 511];
		grid_wait(bar, 2 * k * gridDim.x, true, true);
	}
	out[i] = v;
}
