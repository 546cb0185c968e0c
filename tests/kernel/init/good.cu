// Memory that is written before it is read, in odd ways: nothing may be found.
// launch neighbours: --kernel neighbours --grid 4 --block 64 --check init --arg buf:out:u32:256 --dump out
// launch exchange: --kernel exchange --grid 4 --block 32 --check init --arg buf:lock:u32:1 --arg buf:out:u32:1 --dump out
// launch variables: --kernel variables --block 64 --check init --arg buf:out:u32:64 --dump out
// launch calls: --kernel calls --block 64 --check init --arg buf:out:u32:64 --dump out
// launch vectors: --kernel vectors --block 32 --check init --arg buf:in:u32:128 --arg buf:out:u32:32 --dump out
// launch heap: --kernel heap --grid 4 --block 32 --check init --arg buf:out:u32:128 --dump out
// launch bytes: --kernel bytes --block 32 --check init --arg buf:out:u32:32 --dump out
// launch reduce: --kernel reduce --grid 4 --block 64 --check init --arg buf:part:u32:4 --arg buf:done:u32:1:zero --arg buf:out:u32:1 --dump out
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *block);

// what another warp of the group has written, behind a barrier
extern "C" __global__ void neighbours(unsigned *out)
{
	__shared__ unsigned box[64];
	unsigned t = threadIdx.x, *mine = out + blockIdx.x * 64;

	box[t] = t;
	mine[t] = 3 * t;
	__syncthreads();
	mine[t] = box[63 - t] + mine[t];
}

// an exchange whose result is not used only writes
extern "C" __global__ void exchange(unsigned *lock, unsigned *out)
{
	if (threadIdx.x == 0)
		atomicExch(lock, 7u);
	__syncwarp();
	if (threadIdx.x == 1)
		*out = *(volatile unsigned *)lock;
}

__device__ unsigned zero[64];
__device__ unsigned first[4] = {1, 2, 3, 4};
__constant__ unsigned second[4] = {5, 6, 7, 8};

// variables without a value are 0
extern "C" __global__ void variables(unsigned *out)
{
	unsigned t = threadIdx.x;

	out[t] = zero[t] + first[t & 3] + second[t & 3];
}

struct block {
	unsigned word[6];
};

__device__ __noinline__ block rotate(block b, unsigned by)
{
	block to;

	for (unsigned k = 0; k < 6; k++)
		to.word[(k + by) % 6] = b.word[k];
	return to;
}

// structures by value, through the stacks of calls
extern "C" __global__ void calls(unsigned *out)
{
	block b;
	unsigned t = threadIdx.x;

	for (unsigned k = 0; k < 6; k++)
		b.word[(k + t) % 6] = k;
	b = rotate(rotate(b, t), 1);
	out[t] = b.word[0] + 10 * b.word[1];
}

// only two of the elements of a vector are used, and written
extern "C" __global__ void vectors(unsigned *in, unsigned *out)
{
	unsigned t = threadIdx.x, x, y, z, w;

	in[4 * t] = t;
	in[4 * t + 2] = 2 * t;
	__syncwarp();
	asm volatile("{ .reg .u32 y, w; ld.global.v4.u32 {%0, _, %1, _}, [%2]; }" : "=r"(x), "=r"(z) : "l"(in + 4 * t) : "memory");
	(void)y;
	(void)w;
	out[t] = x + z;
}

extern "C" __global__ void heap(unsigned *out)
{
	unsigned t = threadIdx.x, sum = 0;

	for (unsigned round = 0; round < 3; round++) {
		volatile unsigned *box = (volatile unsigned *)malloc(64);

		for (unsigned k = 0; k < 16; k++)
			box[k] = k + round;
		for (unsigned k = 0; k < 16; k++)
			sum += box[k];
		free((void *)box);
	}
	out[blockIdx.x * 32 + t] = sum;
}

// four lanes write the bytes of a word, another reads it
extern "C" __global__ void bytes(unsigned *out)
{
	__shared__ unsigned char box[32];
	unsigned t = threadIdx.x;

	box[t] = (unsigned char)t;
	__syncwarp();
	out[t] = ((volatile unsigned *)box)[t / 4] >> 24;
}

// the last group adds up what the others have left
extern "C" __global__ void reduce(unsigned *part, unsigned *done, unsigned *out)
{
	__shared__ unsigned sum, is_last;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 0) {
		part[blockIdx.x] = sum;
		__threadfence();
		is_last = atomicAdd(done, 1u) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (is_last && threadIdx.x == 0) {
		unsigned all = 0;

		for (unsigned k = 0; k < gridDim.x; k++)
			all += ((volatile unsigned *)part)[k];
		*out = all;
	}
}
