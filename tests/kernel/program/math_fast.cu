// Single precision under -use_fast_math: approximate division, square roots, sine, powers, all with .ftz, against bounds of the CUDA manual.
// nvcc options: -use_fast_math
// launch: --grid 1 --block 128 --arg buf:x:f32:128:random=6,0.1,3 --arg buf:out:f32:1024:zero --dump out
extern "C" __global__ void math_fast(const float *x, float *out)
{
	float a = x[threadIdx.x];
	out += threadIdx.x * 8;
	out[0] = 1 / a;
	out[1] = sqrtf(a);
	out[2] = rsqrtf(a);
	out[3] = sinf(a);
	out[4] = cosf(a);
	out[5] = expf(a);
	out[6] = logf(a);
	out[7] = powf(a, 2.5f) / (a + 0.5f);
}
