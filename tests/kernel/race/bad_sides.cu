// What is missing, and on which side: a kind each, in its own memory.
// launch: --kernel all --threads 1 --grid 3 --block 32 --check races --arg buf:w:u32:512:zero
#include "strong.h"

/* Neither side has a fence. */
static __device__ void neither(volatile unsigned *flag, unsigned *box, unsigned *out)
{
	if (blockIdx.x == 0) {
		*box = 3;
		*flag = 1;
	} else if (blockIdx.x == 1) {
		while (*flag == 0)
			;
		*out = *box;
	}
}

/* The reader's fence is for its own work-group. */
static __device__ void narrow(volatile unsigned *flag, unsigned *box, unsigned *out)
{
	if (blockIdx.x == 0) {
		*box = 3;
		__threadfence();
		*flag = 1;
	} else if (blockIdx.x == 1) {
		while (*flag == 0)
			;
		__threadfence_block();
		*out = *box;
	}
}

/* Each work-group guards the sum by a lock of its own. */
static __device__ void apart(unsigned *locks, unsigned *sum)
{
	unsigned *lock = locks + blockIdx.x;

	while (atomicExch(lock, 1))
		;
	__threadfence();
	*sum += blockIdx.x;
	__threadfence();
	atomicExch(lock, 0);
}

/* Lanes share words of the results, two by two. */
static __device__ void at_once(unsigned *w)
{
	w[threadIdx.x / 2] = threadIdx.x;
}

extern "C" __global__ void all(unsigned *w)
{
	if (threadIdx.x == 0) {
		neither(w, w + 8, w + 16);
		narrow(w + 64, w + 72, w + 80);
		apart(w + 128, w + 136);
	}
	__syncthreads();
	if (blockIdx.x == 0)
		at_once(w + 192);
}
