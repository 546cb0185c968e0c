// Matrix product with 16 x 16 tiles in shared memory; sizes that are no multiple of the tile. Sums in a fixed order, so the floats are exact.
// launch: --grid 3,4 --block 16,16 --arg buf:a:f32:2000:random=1,-1,1 --arg buf:b:f32:1840:random=2,-1,1 --arg buf:c:f32:2300:zero --arg s32:50 --arg s32:40 --arg s32:46 --dump c
#define TILE 16
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
	__shared__ float left[TILE][TILE], right[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;
	for (int first = 0; first < inner; first += TILE) {
		int k = first + threadIdx.x, l = first + threadIdx.y;
		left[threadIdx.y][threadIdx.x] = y < rows && k < inner ? a[y * inner + k] : 0;
		right[threadIdx.y][threadIdx.x] = x < columns && l < inner ? b[l * columns + x] : 0;
		__syncthreads();
		for (int j = 0; j < TILE; j++)
			sum = __fadd_rn(sum, __fmul_rn(left[threadIdx.y][j], right[j][threadIdx.x]));
		__syncthreads();
	}
	if (x < columns && y < rows)
		c[y * columns + x] = sum;
}
