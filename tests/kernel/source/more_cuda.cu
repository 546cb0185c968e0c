// What CUDA code may expect beside the basics: halves, alloca, the correctly rounded reciprocal root, atomics of other scopes.
// launch: --grid 2 --block 64 --arg buf:input:u32:256:random=5 --arg buf:out:u32:2048:zero --arg buf:sums:u32:32:zero --dump out --dump sums
#include <cuda_fp16.h>
__device__ static unsigned pair(half2 a)
{
	return __builtin_bit_cast(unsigned, a);
}
__device__ __noinline__ static unsigned sum_to(unsigned n)
{
	unsigned *numbers = (unsigned *)alloca((n + 1) * sizeof(unsigned)), sum = 0;
	for (unsigned k = 0; k <= n; k++)
		numbers[k] = k;
	for (unsigned k = 0; k <= n; k++)
		sum += numbers[n - k];
	return sum;
}
extern "C" __global__ void more_cuda(const unsigned *input, unsigned *out, unsigned *sums)
{
	__shared__ unsigned shared_sum;
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = input[t], b = input[t + 128], *o = out + 16 * t;
	half x = __ushort_as_half((unsigned short)a), y = __ushort_as_half((unsigned short)b);
	half2 u = __halves2half2(x, __ushort_as_half((unsigned short)(a >> 16))), v = __halves2half2(y, __ushort_as_half((unsigned short)(b >> 16)));
	o[0] = pair(u + v);
	o[1] = pair(u * v);
	o[2] = pair(__hfma2(u, v, u));
	o[3] = pair(__hmax2(u, v));
	o[4] = __half_as_ushort(x - y);
	o[5] = __half_as_ushort(x / y);
	o[6] = __float_as_uint(__half2float(x));
	o[7] = __half_as_ushort(__float2half(__uint_as_float(a)));
	o[8] = x < y;
	o[9] = sum_to(t);
	o[10] = __float_as_uint(__frsqrt_rn(__uint_as_float(a & 0x7fffffff)));
	o[11] = __half_as_ushort(__hneg(x));
	if (threadIdx.x == 0)
		shared_sum = 0;
	__syncthreads();
	atomicAdd_block(&shared_sum, threadIdx.x);
	atomicAdd_system((unsigned long long *)sums, (unsigned long long)t);
	atomicMax_block((long long *)(sums + 2), (long long)t - 1000 * (t == 0));
	atomicSub_system((int *)(sums + 4), 1);
	atomicXor_system((int *)(sums + 5), (int)t);
	atomicInc_system(sums + 6, 200);
	atomicAdd_system((double *)(sums + 8), 0.5);
	atomicAdd((float4 *)(sums + 12), make_float4(1, (float)t, 2, 0.5f));
	atomicAdd((half2 *)(sums + 16), __floats2half2_rn(1, 2));
	atomicAdd((half *)(sums + 17), __float2half(1));
	__syncthreads();
	if (threadIdx.x == 0)
		sums[18 + blockIdx.x] = shared_sum;
}
