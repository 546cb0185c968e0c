/* What tests/unit/debug_variables_test.c and debug_lines_test.c know the variables and lines of.  In this folder:
 *
 *     nvcc.ptx   nvcc -G -ptx -arch=sm_75 variables.cu -o nvcc.ptx                        (CUDA 13.0)
 *     clang.ptx  clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib
 *                -Xclang -target-feature -Xclang +ptx63 -g -O0 -S variables.cu -o clang.ptx
 */
#ifdef __clang__
#define __shared__ __attribute__((shared))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __syncthreads() __nvvm_bar_sync(0)
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#else
#define THREAD threadIdx.x
#endif

enum colour { RED, GREEN = 5 };

struct node {
	int key;
	float weight[3];
	unsigned low : 3, high : 7;
	struct node *next;
};

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

extern "C" __global__ void variables(int *out, float factor, struct node first, int n)
{
	__shared__ int tile[64];
	int me = THREAD;
	double wide = factor * 2;
	unsigned char small = (unsigned char)me;
	struct node mine = first;
	enum colour paint = GREEN;
	volatile int table[2][3];

	tile[me] = out[me];
	__syncthreads();
	if (me < n) {
		int me = tile[5];
		long triple = me * 3L;
		mine.key += (int)triple;
		out[0] = me;
	}
	table[1][2] = paint;
	counter += (int)sum_to(factor, n) + table[1][2];
	out[me] = small + (int)wide + mine.key + (int)mine.high;
}
