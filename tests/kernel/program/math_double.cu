// The double-precision mathematics of the CUDA library, as nvcc expands it: exp log sin cos pow sqrt cbrt erf atan2 and division.
// launch: --grid 1 --block 128 --arg buf:x:f64:128:random=5,0.01,20 --arg buf:out:f64:1280:zero --dump out
extern "C" __global__ void math_double(const double *x, double *out)
{
	double a = x[threadIdx.x];
	out += threadIdx.x * 10;
	out[0] = exp(a);
	out[1] = log(a);
	out[2] = sin(a);
	out[3] = cos(a);
	out[4] = pow(a, 1.7);
	out[5] = sqrt(a) / (a + 1);
	out[6] = cbrt(a);
	out[7] = erf(a / 10);
	out[8] = atan2(a, -3.0);
	out[9] = tanh(a / 5) + fmod(a, 0.7) + floor(a) + rint(a * 4);
}
