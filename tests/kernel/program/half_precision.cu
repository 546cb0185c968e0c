// cuda_fp16.h as people use it: a dot product of half2, conversions and comparisons; the sums are small whole numbers, so exact.
// launch: --grid 1 --block 64 --arg buf:a:s32:512:random=1,-4,5 --arg buf:b:s32:512:random=2,-4,5 --arg buf:out:f32:192:zero --dump out
#include <cuda_fp16.h>
extern "C" __global__ void half_precision(const int *a, const int *b, float *out)
{
	unsigned t = threadIdx.x;
	__half2 sum = __float2half2_rn(0.0f);
	for (int k = 0; k < 8; k += 2) {
		__half2 x = __halves2half2(__int2half_rn(a[8 * t + k]), __int2half_rn(a[8 * t + k + 1]));
		__half2 y = __halves2half2(__int2half_rn(b[8 * t + k]), __int2half_rn(b[8 * t + k + 1]));
		sum = __hfma2(x, y, sum);
	}
	__half total = __hadd(__low2half(sum), __high2half(sum));
	out[3 * t] = __half2float(total);
	out[3 * t + 1] = __hgt(__low2half(sum), __high2half(sum)) ? 1 : 0;
	out[3 * t + 2] = __half2float(__hdiv(total, __int2half_rn(3)));
}
