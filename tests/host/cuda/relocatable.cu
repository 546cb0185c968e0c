// Three sources of one program with relocatable device code, by the macro UNIT; the third cannot be linked and nothing needs it, as is
// so with libcudadevrt.  For each N, by nvcc 13.0:
//     nvcc -rdc=true -fatbin -DUNIT=N -gencode arch=compute_75,code=compute_75 -o relocatable_N.fatbin relocatable.cu
#if UNIT == 1
extern __device__ int calls;
extern __device__ float twice_and_one(float x);
extern "C" __global__ void map(float *to)
{
	to[threadIdx.x] = twice_and_one(threadIdx.x);
	atomicAdd(&calls, 1);
}
#elif UNIT == 2
__device__ int calls = 7;
static __device__ __noinline__ float twice(float x)
{
	return 2 * x;
}
__device__ float twice_and_one(float x)
{
	return twice(x) + 1;
}
#else
extern __device__ int nowhere(int);
extern "C" __global__ void unused(int *p)
{
	*p = nowhere(*p);
}
#endif
