// Uninitialised reads of what a kernel allocates, copies and stores otherwise.
// launch heap: --kernel heap --block 1 --check init --arg buf:out:u32:1:zero
// launch again: --kernel again --block 1 --check init --arg buf:out:u32:1:zero
// launch copy: --kernel copy --block 32 --check init --arg buf:in:u32:128 --arg buf:out:u32:128
// launch carried: --kernel carried --block 32 --check init --arg buf:in:u32:64 --arg buf:out:u32:64
// launch cas: --kernel cas --grid 2 --block 1 --check init --arg buf:out:u32:1
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *block);

extern "C" __global__ void heap(unsigned *out)
{
	volatile unsigned *box = (volatile unsigned *)malloc(64);

	box[0] = 1;
	*out = box[0] + box[7];
	free((void *)box);
}

// what was freed is given again
extern "C" __global__ void again(unsigned *out)
{
	volatile unsigned *box = (volatile unsigned *)malloc(64);

	box[7] = 1;
	free((void *)box);
	box = (volatile unsigned *)malloc(64);
	*out = box[7];
	free((void *)box);
}

extern "C" __global__ void copy(const uint4 *in, uint4 *out)
{
	out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void cas(unsigned *out)
{
	atomicCAS(out, 0u, 1u);
}

// asynchronous copies: of half of the bytes the source has contents, and one word of those that it has none of is read
extern "C" __global__ void carried(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[64];
	unsigned t = threadIdx.x, offset = (unsigned)__cvta_generic_to_shared(&tile[t]);

	out[t] = t;
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(offset), "l"(&out[t]) : "memory");
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(offset + 128), "l"(&in[t]) : "memory");
	asm volatile("cp.async.wait_all;" ::: "memory");
	out[t + 32] = tile[t];
	if (t == 5)
		out[t] = *(volatile unsigned *)&tile[t + 32];
}
