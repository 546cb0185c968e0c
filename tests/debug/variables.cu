// The source of variables.ptx: nvcc -G -ptx -arch=sm_75 variables.cu -o variables.ptx (CUDA 13.0), without folders in .file.
struct node { int key; float weight[3]; };
__device__ int counter;
static __device__ float sum_to(float x, int n)
{
	float sum = 0;
	for (int i = 0; i < n; i++) {
		float term = x * i;
		sum += term;
	}
	return sum;
}
extern "C" __global__ void k(int *out, float factor, int n)
{
	__shared__ int tile[64];
	int me = threadIdx.x;
	node mine = {me, {1, 2, 3}};
	tile[me] = out[me] + 7;
	__syncthreads();
	if (me < n)
		mine.key += (int)sum_to(factor, n);
	atomicAdd(&counter, mine.key);
	out[me] = mine.key;
}
