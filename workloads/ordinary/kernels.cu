/* Kernels of the kinds that people write, each after its published description and with the launch geometry of the program whose published
 * figure docs/ordinary.md compares.  ordinary.c launches them, and checks what they compute. */

#define WARP 0xffffffffu

/* --- Streams: one element a thread, of 8 bytes.  `limit`: dynamic shared memory limits how many groups a core has. --- */

extern __shared__ char limit[];

#define STREAM(name, first, last, ...)                                                                                                     \
	extern "C" __global__ void __launch_bounds__(1024) name(double *a, const double *__restrict__ b, const double *__restrict__ c, unsigned n)         \
	{                                                                                                                                  \
		unsigned k = blockIdx.x * blockDim.x + threadIdx.x;                                                                        \
		if (k - first >= n - first - last)                                                                                         \
			return;                                                                                                            \
		__VA_ARGS__                                                                                                                \
	}

STREAM(stream_init, 0, 0, a[k] = 0.25;)
STREAM(stream_read, 0, 0, double v = b[k]; if (v == 123.0) a[k] = v;)
STREAM(stream_copy, 0, 0, a[k] = b[k];)
STREAM(stream_scale, 0, 0, a[k] = b[k] * 1.25;)
STREAM(stream_add, 0, 0, a[k] = b[k] + c[k];)
STREAM(stream_triad, 0, 0, a[k] = b[k] * 1.25 + c[k];)
STREAM(stencil_3, 1, 1, a[k] = 0.5 * b[k - 1] - b[k] + 0.5 * b[k + 1];)
STREAM(stencil_5, 2, 2, a[k] = 0.25 * b[k - 2] + 0.25 * b[k - 1] - b[k] + 0.5 * b[k + 1] + 0.5 * b[k + 2];)

/* --- Copies by few threads, which have one load under way each: the store may be to what the next load reads. --- */

template <class T> static __device__ __forceinline__ void copy_elements(T *out, const T *in, unsigned n)
{
	unsigned all = blockDim.x * gridDim.x;
	for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += all)
		out[k] = in[k];
}

#define COPY(name, type)                                                                                                                   \
	extern "C" __global__ void name(type *out, const type *in, unsigned n)                                                             \
	{                                                                                                                                  \
		copy_elements(out, in, n);                                                                                                 \
	}
COPY(copy_1, unsigned char)
COPY(copy_2, unsigned short)
COPY(copy_4, unsigned)
COPY(copy_8, uint2)
COPY(copy_16, uint4)

/* --- Transposes of a square matrix of floats, in tiles of 16 x 16 by as many threads, or of 32 x 32 by 32 x 16 threads. --- */

template <int TILE, int ROWS> static __device__ __forceinline__ void copy_tile(float *out, const float *in, unsigned side)
{
	unsigned at = (blockIdx.y * TILE + threadIdx.y) * side + blockIdx.x * TILE + threadIdx.x;
#pragma unroll
	for (int k = 0; k < TILE; k += ROWS)
		out[at + k * side] = in[at + k * side];
}

template <int TILE, int ROWS> static __device__ __forceinline__ void transpose_directly(float *out, const float *in, unsigned side)
{
	unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
	for (int k = 0; k < TILE; k += ROWS)
		out[x * side + y + k] = in[(y + k) * side + x];
}

template <int TILE, int ROWS, int PITCH> static __device__ __forceinline__ void transpose_tile(float *out, const float *in, unsigned side)
{
	__shared__ float tile[TILE][PITCH];
	unsigned x = threadIdx.x, y = threadIdx.y;
	unsigned from = (blockIdx.y * TILE + y) * side + blockIdx.x * TILE + x, to = (blockIdx.x * TILE + y) * side + blockIdx.y * TILE + x;
#pragma unroll
	for (int k = 0; k < TILE; k += ROWS)
		tile[y + k][x] = in[from + k * side];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < TILE; k += ROWS)
		out[to + k * side] = tile[x][y + k];
}

#define TRANSPOSE(name, ...)                                                                                                               \
	extern "C" __global__ void name(float *out, const float *in, unsigned side)                                                        \
	{                                                                                                                                  \
		__VA_ARGS__(out, in, side);                                                                                                \
	}
TRANSPOSE(transpose_copy_16, copy_tile<16, 16>)
TRANSPOSE(transpose_naive_16, transpose_directly<16, 16>)
TRANSPOSE(transpose_coalesced_16, transpose_tile<16, 16, 16>)
TRANSPOSE(transpose_optimized_16, transpose_tile<16, 16, 17>)
TRANSPOSE(transpose_copy_32, copy_tile<32, 16>)
TRANSPOSE(transpose_naive_32, transpose_directly<32, 16>)
TRANSPOSE(transpose_coalesced_32, transpose_tile<32, 16, 32>)
TRANSPOSE(transpose_optimized_32, transpose_tile<32, 16, 33>)

/* --- Products of matrices. --- */

/* Loads come as NVIDIA's assembler makes them of the plain loops for sm_80 and sm_89: four words of shared memory in one, and what four steps
 * of a sum need ahead of the first.  Lockstep executes PTX as it stands.  The inner dimension is a multiple of 32. */

/* A tile of 32 x 32 by as many threads, an element each. */
extern "C" __global__ void matmul_tiled(float *c, const float *a, const float *b, unsigned inner, unsigned width)
{
	__shared__ __align__(16) float as[32][32], bs[32][32];
	unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
	float sum = 0;
	for (unsigned k = 0; k < inner; k += 32) {
		as[y][x] = a[row * inner + k + x];
		bs[y][x] = b[(k + y) * width + column];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 32; i += 4) {
			float4 of = *(float4 *)&as[y][i];
			sum += of.x * bs[i][x];
			sum += of.y * bs[i + 1][x];
			sum += of.z * bs[i + 2][x];
			sum += of.w * bs[i + 3][x];
		}
		__syncthreads();
	}
	c[row * width + column] = sum;
}

/* Loads that stand ahead of this stay there, though their values are used behind it. */
static __device__ __forceinline__ void are_loaded(const float *x, const float *y)
{
	asm volatile("" ::"f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]), "f"(y[0]), "f"(y[1]), "f"(y[2]), "f"(y[3]));
}

static __device__ __forceinline__ float element(const float *a, const float *b, unsigned inner, unsigned width, unsigned row, unsigned column)
{
	float sum = 0;
	for (unsigned k = 0; k < inner; k += 4) {
		float x[4], y[4];
#pragma unroll
		for (int i = 0; i < 4; i++) {
			x[i] = a[row * inner + k + i];
			y[i] = b[(k + i) * width + column];
		}
		are_loaded(x, y);
#pragma unroll
		for (int i = 0; i < 4; i++)
			sum += x[i] * y[i];
	}
	return sum;
}

/* No shared memory: a row of A and a column of B for each element. */
extern "C" __global__ void matmul_naive(float *c, const float *a, const float *b, unsigned inner, unsigned width)
{
	unsigned row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
	c[row * width + column] = element(a, b, inner, width, row, column);
}

/* Likewise, but neighbouring threads have neighbouring rows: a warp's loads of A, and its stores, are to 32 lines. */
extern "C" __global__ void matmul_uncoalesced(float *c, const float *a, const float *b, unsigned inner, unsigned width)
{
	unsigned row = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x * 32 + threadIdx.y;
	c[row * width + column] = element(a, b, inner, width, row, column);
}

/* A tile of 64 x 64 by 512 threads, 8 elements of a column each, 8 of the inner dimension a step. */
extern "C" __global__ void __launch_bounds__(512) matmul_column(float *c, const float *a, const float *b, unsigned inner, unsigned width)
{
	__shared__ __align__(16) float as[64][8], bs[8][64];
	unsigned t = threadIdx.x, column = t % 64, row = t / 64 * 8;
	const float *from_a = a + (blockIdx.y * 64 + t / 8) * inner + t % 8, *from_b = b + t / 64 * width + blockIdx.x * 64 + column;
	float sums[8] = {};
	for (unsigned k = 0; k < inner; k += 8) {
		as[t / 8][t % 8] = from_a[k];
		bs[t / 64][column] = from_b[k * width];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 8; i += 4) {
			float others[4] = {bs[i][column], bs[i + 1][column], bs[i + 2][column], bs[i + 3][column]};
#pragma unroll
			for (int m = 0; m < 8; m++) {
				float4 of = *(float4 *)&as[row + m][i];
				sums[m] += of.x * others[0];
				sums[m] += of.y * others[1];
				sums[m] += of.z * others[2];
				sums[m] += of.w * others[3];
			}
		}
		__syncthreads();
	}
	for (int m = 0; m < 8; m++)
		c[(blockIdx.y * 64 + row + m) * width + blockIdx.x * 64 + column] = sums[m];
}

/* A tile of 128 x 128 by 256 threads, 8 x 8 elements each, 8 of the inner dimension a step. */
extern "C" __global__ void __launch_bounds__(256) matmul_registers(float *c, const float *a, const float *b, unsigned inner, unsigned width)
{
	__shared__ float as[8][128];
	__shared__ float bs[8][128];
	unsigned t = threadIdx.x, row = t / 16 * 8, column = t % 16 * 8;
	const float *from_a = a + (blockIdx.y * 128 + t / 2) * inner + t % 2 * 4, *from_b = b + (t / 32) * width + blockIdx.x * 128 + t % 32 * 4;
	float sums[8][8] = {};
	for (unsigned k = 0; k < inner; k += 8) {
		float4 pa = *(const float4 *)(from_a + k), pb = *(const float4 *)(from_b + k * width);
		as[t % 2 * 4][t / 2] = pa.x;
		as[t % 2 * 4 + 1][t / 2] = pa.y;
		as[t % 2 * 4 + 2][t / 2] = pa.z;
		as[t % 2 * 4 + 3][t / 2] = pa.w;
		*(float4 *)&bs[t / 32][t % 32 * 4] = pb;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 8; i++) {
			float ra[8], rb[8];
			*(float4 *)ra = *(float4 *)&as[i][row];
			*(float4 *)(ra + 4) = *(float4 *)&as[i][row + 4];
			*(float4 *)rb = *(float4 *)&bs[i][column];
			*(float4 *)(rb + 4) = *(float4 *)&bs[i][column + 4];
#pragma unroll
			for (int m = 0; m < 8; m++)
#pragma unroll
				for (int n = 0; n < 8; n++)
					sums[m][n] += ra[m] * rb[n];
		}
		__syncthreads();
	}
	for (int m = 0; m < 8; m++)
		for (int n = 0; n < 8; n += 4)
			*(float4 *)(c + (blockIdx.y * 128 + row + m) * width + blockIdx.x * 128 + column + n) =
				make_float4(sums[m][n], sums[m][n + 1], sums[m][n + 2], sums[m][n + 3]);
}

/* --- N bodies: a body a thread, all sources in tiles of the group's size. --- */

static __device__ __forceinline__ float reciprocal_root(float x)
{
	float y;
	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

extern "C" __global__ void __launch_bounds__(256) nbody(float4 *forces, const float4 *bodies, unsigned sources, float softening)
{
	__shared__ float4 tile[256];
	float4 own = bodies[blockIdx.x * 256 + threadIdx.x];
	float x = 0, y = 0, z = 0;
	for (unsigned from = 0; from < sources; from += 256) {
		tile[threadIdx.x] = bodies[from + threadIdx.x];
		__syncthreads();
#pragma unroll 128
		for (int k = 0; k < 256; k++) {
			float4 other = tile[k];
			float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
			float square = dx * dx + dy * dy + dz * dz + softening;
			float inverse = reciprocal_root(square), s = other.w * (inverse * inverse * inverse);
			x += dx * s;
			y += dy * s;
			z += dz * s;
		}
		__syncthreads();
	}
	forces[blockIdx.x * 256 + threadIdx.x] = make_float4(x, y, z, 0);
}

/* --- Reduction: pairs of elements a turn, then the group's sum by shuffles. --- */

extern "C" __global__ void __launch_bounds__(256) reduction(unsigned *out, const unsigned *in, unsigned n)
{
	__shared__ unsigned sums[8];
	unsigned sum = 0;
	for (unsigned k = blockIdx.x * blockDim.x * 2 + threadIdx.x; k < n; k += gridDim.x * blockDim.x * 2) {
		sum += in[k];
		if (k + blockDim.x < n)
			sum += in[k + blockDim.x];
	}
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(WARP, sum, step);
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x >= 32)
		return;
	sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(WARP, sum, step);
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

/* --- Exclusive scan of arrays of 1,024, four elements a thread: Hillis and Steele in shared memory. --- */

extern "C" __global__ void __launch_bounds__(256) scan(uint4 *out, const uint4 *in)
{
	__shared__ unsigned sums[512];
	unsigned at = blockIdx.x * 256 + threadIdx.x, place = threadIdx.x + 256;
	uint4 v = in[at];
	v.y += v.x;
	v.z += v.y;
	v.w += v.z;
	sums[threadIdx.x] = 0;
	sums[place] = v.w;
	for (unsigned step = 1; step < 256; step *= 2) {
		__syncthreads();
		unsigned sum = sums[place] + sums[place - step];
		__syncthreads();
		sums[place] = sum;
	}
	unsigned before = sums[place] - v.w;
	out[at] = make_uint4(before, before + v.x, before + v.y, before + v.z);
}

/* --- Histogram of bytes with 256 bins: one for each of the six warps of a group, in shared memory; then the groups' are added up. --- */

extern "C" __global__ void __launch_bounds__(192) histogram(unsigned *parts, const unsigned *in, unsigned words)
{
	__shared__ unsigned bins[6 * 256];
	for (unsigned k = threadIdx.x; k < 6 * 256; k += 192)
		bins[k] = 0;
	unsigned *own = bins + threadIdx.x / 32 * 256;
	__syncthreads();
	for (unsigned k = blockIdx.x * 192 + threadIdx.x; k < words; k += 192 * gridDim.x) {
		unsigned word = in[k];
		atomicAdd(own + (word & 255), 1);
		atomicAdd(own + (word >> 8 & 255), 1);
		atomicAdd(own + (word >> 16 & 255), 1);
		atomicAdd(own + (word >> 24), 1);
	}
	__syncthreads();
	for (unsigned k = threadIdx.x; k < 256; k += 192) {
		unsigned sum = 0;
		for (int w = 0; w < 6; w++)
			sum += bins[w * 256 + k];
		parts[blockIdx.x * 256 + k] = sum;
	}
}

extern "C" __global__ void __launch_bounds__(256) histogram_merge(unsigned *out, const unsigned *parts, unsigned groups)
{
	__shared__ unsigned sums[256];
	unsigned sum = 0;
	for (unsigned k = threadIdx.x; k < groups; k += 256)
		sum += parts[k * 256 + blockIdx.x];
	sums[threadIdx.x] = sum;
	for (unsigned step = 128; step; step /= 2) {
		__syncthreads();
		if (threadIdx.x < step)
			sums[threadIdx.x] += sums[threadIdx.x + step];
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = sums[0];
}

/* --- Bitonic sort of arrays of 1,024 keys with values, by 512 threads in shared memory. --- */

static __device__ __forceinline__ void exchange(unsigned *keys, unsigned *values, unsigned low, unsigned high, bool up)
{
	unsigned a = keys[low], b = keys[high];
	if ((a > b) == up) {
		unsigned v = values[low];
		keys[low] = b;
		keys[high] = a;
		values[low] = values[high];
		values[high] = v;
	}
}

extern "C" __global__ void __launch_bounds__(512) bitonic(unsigned *out_keys, unsigned *out_values, const unsigned *in_keys, const unsigned *in_values)
{
	__shared__ unsigned keys[1024], values[1024];
	unsigned t = threadIdx.x, at = blockIdx.x * 1024 + t;
	keys[t] = in_keys[at];
	values[t] = in_values[at];
	keys[t + 512] = in_keys[at + 512];
	values[t + 512] = in_values[at + 512];
	for (unsigned size = 2; size <= 1024; size *= 2)
		for (unsigned stride = size / 2; stride; stride /= 2) {
			__syncthreads();
			unsigned low = 2 * t - (t & (stride - 1));
			exchange(keys, values, low, low + stride, size == 1024 || (t & size / 2) == 0);
		}
	__syncthreads();
	out_keys[at] = keys[t];
	out_values[at] = values[t];
	out_keys[at + 512] = keys[t + 512];
	out_values[at + 512] = values[t + 512];
}

/* --- Convolution with 17 taps, along rows and along columns: 8 pixels a thread, and the halo. --- */

enum { RADIUS = 8, STEPS = 8 };

/* What they are does not matter to the time; ordinary.c has the same. */
__constant__ float taps[2 * RADIUS + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1};

extern "C" __global__ void __launch_bounds__(64) convolution_rows(float *out, const float *in, int width)
{
	__shared__ float tile[4][(STEPS + 2) * 16];
	int x = blockIdx.x * STEPS * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
	const float *row = in + y * width;
#pragma unroll
	for (int s = -1; s <= STEPS; s++) {
		int from = x + s * 16;
		tile[threadIdx.y][threadIdx.x + (s + 1) * 16] = from >= 0 && from < width ? row[from] : 0;
	}
	__syncthreads();
#pragma unroll
	for (int s = 0; s < STEPS; s++) {
		float sum = 0;
#pragma unroll
		for (int k = -RADIUS; k <= RADIUS; k++)
			sum += taps[RADIUS - k] * tile[threadIdx.y][threadIdx.x + (s + 1) * 16 + k];
		out[y * width + x + s * 16] = sum;
	}
}

extern "C" __global__ void __launch_bounds__(128) convolution_columns(float *out, const float *in, int width, int height)
{
	__shared__ float tile[16][(STEPS + 2) * 8 + 1];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * STEPS * 8 + threadIdx.y;
#pragma unroll
	for (int s = -1; s <= STEPS; s++) {
		int from = y + s * 8;
		tile[threadIdx.x][threadIdx.y + (s + 1) * 8] = from >= 0 && from < height ? in[from * width + x] : 0;
	}
	__syncthreads();
#pragma unroll
	for (int s = 0; s < STEPS; s++) {
		float sum = 0;
#pragma unroll
		for (int k = -RADIUS; k <= RADIUS; k++)
			sum += taps[RADIUS - k] * tile[threadIdx.x][threadIdx.y + (s + 1) * 8 + k];
		out[(y + s * 8) * width + x] = sum;
	}
}

/* --- Options by Black and Scholes, two a thread; the normal distribution by the polynomial of Abramowitz and Stegun 26.2.17. --- */

static __device__ __forceinline__ float normal(float d)
{
	float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
	float tail = 0.39894228040143267794f * __expf(-0.5f * d * d) *
		     (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
	return d > 0 ? 1.0f - tail : tail;
}

static __device__ __forceinline__ void price(float *call, float *put, float stock, float strike, float years, float rate, float volatility)
{
	float root = __fdividef(1.0f, rsqrtf(years));
	float d1 = __fdividef(__logf(stock / strike) + (rate + 0.5f * volatility * volatility) * years, volatility * root);
	float n1 = normal(d1), n2 = normal(d1 - volatility * root), discounted = strike * __expf(-rate * years);
	*call = stock * n1 - discounted * n2;
	*put = discounted * (1.0f - n2) - stock * (1.0f - n1);
}

extern "C" __global__ void __launch_bounds__(128) options_price(float2 *calls, float2 *puts, const float2 *stocks, const float2 *strikes, const float2 *years,
	float rate, float volatility, unsigned pairs)
{
	unsigned k = blockIdx.x * 128 + threadIdx.x;
	if (k >= pairs)
		return;
	float2 stock = stocks[k], strike = strikes[k], time = years[k], call, put;
	price(&call.x, &put.x, stock.x, strike.x, time.x, rate, volatility);
	price(&call.y, &put.y, stock.y, strike.y, time.y, rate, volatility);
	calls[k] = call;
	puts[k] = put;
}

/* --- A sparse matrix by a vector, its rows compressed: a thread a row, or a warp. --- */

extern "C" __global__ void __launch_bounds__(256) spmv_scalar(float *y, const unsigned *__restrict__ starts, const unsigned *__restrict__ columns,
	const float *__restrict__ values, const float *__restrict__ x, unsigned rows)
{
	unsigned row = blockIdx.x * 256 + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0;
	for (unsigned k = starts[row], end = starts[row + 1]; k < end; k++)
		sum += values[k] * x[columns[k]];
	y[row] = sum;
}

extern "C" __global__ void __launch_bounds__(256) spmv_vector(float *y, const unsigned *__restrict__ starts, const unsigned *__restrict__ columns,
	const float *__restrict__ values, const float *__restrict__ x, unsigned rows)
{
	unsigned row = blockIdx.x * 8 + threadIdx.x / 32;
	if (row >= rows)
		return;
	float sum = 0;
	for (unsigned k = starts[row] + threadIdx.x % 32, end = starts[row + 1]; k < end; k += 32)
		sum += values[k] * x[columns[k]];
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(WARP, sum, step);
	if (threadIdx.x % 32 == 0)
		y[row] = sum;
}

/* --- Breadth first: a level a launch, a node of the frontier a thread; who finds a node first puts it into the next frontier. --- */

#define UNSEEN 0xffffffffu

extern "C" __global__ void __launch_bounds__(256) bfs(unsigned *next, unsigned *count, const unsigned *frontier, unsigned *depths,
	const unsigned *__restrict__ starts, const unsigned *__restrict__ columns, unsigned size, unsigned depth)
{
	unsigned k = blockIdx.x * 256 + threadIdx.x;
	if (k >= size)
		return;
	unsigned node = frontier[k];
	for (unsigned edge = starts[node], end = starts[node + 1]; edge < end; edge++) {
		unsigned to = columns[edge];
		if (*(volatile unsigned *)&depths[to] == UNSEEN && atomicCAS(&depths[to], UNSEEN, depth) == UNSEEN)
			next[atomicAdd(count, 1)] = to;
	}
}

/* --- Fourier transforms of 512 points, one a group of 64 threads: three passes of radix 8, and shared memory between them. --- */

static __device__ __forceinline__ float2 times(float2 a, float2 b)
{
	return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

static __device__ __forceinline__ void butterfly(float2 &a, float2 &b)
{
	float2 difference = make_float2(a.x - b.x, a.y - b.y);
	a = make_float2(a.x + b.x, a.y + b.y);
	b = difference;
}

static __device__ __forceinline__ void transform_4(float2 *v)
{
	butterfly(v[0], v[2]);
	butterfly(v[1], v[3]);
	v[3] = make_float2(v[3].y, -v[3].x);
	butterfly(v[0], v[1]);
	butterfly(v[2], v[3]);
}

/* Its results stand in the order 0 4 2 6 1 5 3 7. */
static __device__ __forceinline__ void transform_8(float2 *v)
{
	const float half = 0.70710678118654752f;
#pragma unroll
	for (int i = 0; i < 4; i++)
		butterfly(v[i], v[i + 4]);
	v[5] = times(v[5], make_float2(half, -half));
	v[6] = make_float2(v[6].y, -v[6].x);
	v[7] = times(v[7], make_float2(-half, -half));
	transform_4(v);
	transform_4(v + 4);
}

/* `span`: points of the transforms that are done. */
static __device__ __forceinline__ void transform_pass(float2 *v, unsigned t, unsigned span)
{
	float angle = -6.28318530717958648f / (8 * span) * (t % span);
#pragma unroll
	for (int i = 1; i < 8; i++) {
		float2 turn;
		__sincosf(angle * i, &turn.y, &turn.x);
		v[i] = times(v[i], turn);
	}
	transform_8(v);
}

static __device__ __forceinline__ unsigned reversed(unsigned i)
{
	return (i & 1) * 4 + (i & 2) + i / 4;
}

/* One word in nine is empty, so that neighbours, who store eight words apart, have banks of their own. */
static __device__ __forceinline__ void transform_exchange(float2 *v, float (*plane)[576], unsigned t, unsigned span)
{
	unsigned to = t / span * span * 8 + t % span;
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < 8; i++) {
		unsigned at = to + reversed(i) * span;
		plane[0][at + at / 8] = v[i].x;
		plane[1][at + at / 8] = v[i].y;
	}
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < 8; i++) {
		unsigned at = t + i * 64;
		v[i] = make_float2(plane[0][at + at / 8], plane[1][at + at / 8]);
	}
}

extern "C" __global__ void __launch_bounds__(64) fft(float2 *out, const float2 *in)
{
	__shared__ float plane[2][576];
	unsigned t = threadIdx.x, from = blockIdx.x * 512 + t;
	float2 v[8];
#pragma unroll
	for (unsigned i = 0; i < 8; i++)
		v[i] = in[from + i * 64];
	transform_8(v);
	transform_exchange(v, plane, t, 1);
	transform_pass(v, t, 8);
	transform_exchange(v, plane, t, 8);
	transform_pass(v, t, 64);
#pragma unroll
	for (unsigned i = 0; i < 8; i++)
		out[from + reversed(i) * 64] = v[i];
}

/* --- Radix sort with digits of 8 bits, the least first, after Adinets and Merrill's Onesweep (arXiv 2206.01784): the digits of all passes are counted at once, and
 * a tile learns from the tiles before it where its keys go. --- */

enum { TILE_WARPS = 8, TILE_EACH = 16, TILE_KEYS = 32 * TILE_WARPS * TILE_EACH };

/* What a tile has published of a digit: its own keys, or those of all tiles up to it. */
#define OF_TILE 0x40000000u
#define OF_ALL 0x80000000u

extern "C" __global__ void __launch_bounds__(256) radix_count(unsigned *counts, const unsigned *keys, unsigned n)
{
	__shared__ unsigned bins[4][256];
	for (int pass = 0; pass < 4; pass++)
		bins[pass][threadIdx.x] = 0;
	__syncthreads();
	for (unsigned k = blockIdx.x * 256 + threadIdx.x; k < n; k += gridDim.x * 256)
		for (int pass = 0; pass < 4; pass++)
			atomicAdd(&bins[pass][keys[k] >> 8 * pass & 255], 1);
	__syncthreads();
	for (int pass = 0; pass < 4; pass++)
		atomicAdd(&counts[pass * 256 + threadIdx.x], bins[pass][threadIdx.x]);
}

/* The sum of what the threads before have, of 256. */
static __device__ __forceinline__ unsigned sum_before(unsigned own, unsigned *sums)
{
	unsigned sum = own, lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0;
	for (int step = 1; step < 32; step *= 2) {
		unsigned other = __shfl_up_sync(WARP, sum, step);
		if (lane >= step)
			sum += other;
	}
	if (lane == 31)
		sums[warp] = sum;
	__syncthreads();
	for (unsigned w = 0; w < warp; w++)
		before += sums[w];
	return before + sum - own;
}

extern "C" __global__ void __launch_bounds__(256) radix_scan(unsigned *counts)
{
	__shared__ unsigned sums[8];
	unsigned at = blockIdx.x * 256 + threadIdx.x;
	counts[at] = sum_before(counts[at], sums);
}

/* The keys with a digit in all tiles before this one.  A word has flag and number, so no fence is needed between them. */
static __device__ __forceinline__ unsigned look_back(volatile unsigned *states, unsigned tile, unsigned own)
{
	unsigned before = 0;
	states[tile * 256] = own | (tile ? OF_TILE : OF_ALL);
	for (unsigned k = tile; k;) {
		unsigned state = states[(k - 1) * 256];
		if (!state)
			continue;
		before += state & (OF_TILE - 1);
		k = state & OF_ALL ? 0 : k - 1;
	}
	if (tile)
		states[tile * 256] = (before + own) | OF_ALL;
	return before;
}

extern "C" __global__ void __launch_bounds__(256) radix_pass(unsigned *out, const unsigned *in, const unsigned *firsts, unsigned *states, unsigned *taken,
	unsigned shift)
{
	__shared__ unsigned counts[TILE_WARPS][256], keys[TILE_KEYS], places[256], sums[8], own_tile;
	unsigned t = threadIdx.x, warp = t / 32, lane = t % 32, key[TILE_EACH], rank[TILE_EACH], total = 0;
	if (t == 0)
		own_tile = atomicAdd(taken, 1);
	for (int w = 0; w < TILE_WARPS; w++)
		counts[w][t] = 0;
	__syncthreads();
	unsigned tile = own_tile, from = tile * TILE_KEYS + warp * 32 * TILE_EACH + lane;
#pragma unroll
	for (int i = 0; i < TILE_EACH; i++)
		key[i] = in[from + i * 32];
#pragma unroll
	for (int i = 0; i < TILE_EACH; i++) {
		unsigned *count = &counts[warp][key[i] >> shift & 255], peers = __match_any_sync(WARP, key[i] >> shift & 255);
		unsigned first = *count, before = peers & ((1u << lane) - 1);
		__syncwarp();
		if (!before)
			*count = first + __popc(peers);
		__syncwarp();
		rank[i] = first + __popc(before);
	}
	__syncthreads();
	for (int w = 0; w < TILE_WARPS; w++) {
		unsigned of_warp = counts[w][t];
		counts[w][t] = total;
		total += of_warp;
	}
	unsigned place = sum_before(total, sums);
	for (int w = 0; w < TILE_WARPS; w++)
		counts[w][t] += place;
	places[t] = firsts[t] + look_back(states + t, tile, total) - place;
	__syncthreads();
#pragma unroll
	for (int i = 0; i < TILE_EACH; i++)
		keys[counts[warp][key[i] >> shift & 255] + rank[i]] = key[i];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < TILE_EACH; i++) {
		unsigned k = t + i * 256;
		out[places[keys[k] >> shift & 255] + k] = keys[k];
	}
}
