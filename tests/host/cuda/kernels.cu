// The device side of the programs beside this file.  kernels.fatbin is made from it by nvcc 13.0:
//     nvcc -fatbin -gencode arch=compute_75,code=compute_75 -o kernels.fatbin kernels.cu
// and kernels.c says what nvcc would have put into their host side.
#include <cooperative_groups.h>
#include <cstdio>

__device__ int counter;
__constant__ float scale[4];
__managed__ int total;

extern "C" __global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		c[i] = a[i] + b[i] * scale[1];
		atomicAdd(&counter, 1);
		atomicAdd(&total, 2);
	}
}

struct entry {
	int next, key;
};

// A hash table with a lock for each bucket, in the form that runs on a reconvergence stack.
extern "C" __global__ void insert(const int *keys, int n, int *locks, int *heads, struct entry *pool, int mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool done = i >= n;
	while (!done) {
		int bucket = keys[i] & mask;
		if (atomicCAS(&locks[bucket], 0, 1) == 0) {
			__threadfence();
			pool[i].key = keys[i];
			pool[i].next = ((volatile int *)heads)[bucket];
			((volatile int *)heads)[bucket] = i;
			__threadfence();
			atomicExch(&locks[bucket], 0);
			done = true;
		}
	}
}

// Each waits for the other: they must run at the same time.
extern "C" __global__ void meet(volatile int *mine, volatile int *other)
{
	*mine = 1;
	__threadfence();
	while (!*other)
		;
}

extern "C" __global__ void fill(int *to, int value, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		to[i] = value;
}

extern "C" __global__ void rounds(int *x, int *y, int n)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int r = 0; r < 5; r++) {
		if (i < n)
			x[i] = r * 1000 + i;
		grid.sync();
		if (i < n)
			y[i] += x[(i + 64) % n];
		grid.sync();
	}
}

extern "C" __global__ void stray(int *p)
{
	p[1 << 28] = 1;
}

extern "C" __global__ void say(int n)
{
	extern __shared__ int words[];
	words[threadIdx.x] = n + threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 0)
		printf("the last of %d is %d\n", blockDim.x, words[blockDim.x - 1]);
}

extern "C" __global__ void scales(float *to, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		to[i] = scale[1];
}
