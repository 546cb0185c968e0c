// Lanes that left a loop at different times call a function, not inlined, in which all of them take part in a vote and a shuffle.
__device__ __noinline__ unsigned votes(unsigned odd)
{
	return __ballot_sync(~0u, odd) ^ __shfl_sync(~0u, odd + 5, 3);
}
__device__ __noinline__ unsigned outer(unsigned x)
{
	unsigned v = votes(x & 1);
	return v + votes(x >> 1 & 1) * 3;
}
extern "C" __global__ void called_apart(const unsigned *in, unsigned *out)
{
	unsigned x = in[threadIdx.x], h = x;
#pragma unroll 1
	for (unsigned i = 0; i < (x & 127); i++)
		h = h * 1664525u + 1013904223u;
	out[threadIdx.x] = outer(h >> 8);
}
