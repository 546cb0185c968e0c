// Transposition of bytes, halves, words and doubles by one template: vector and narrow accesses of every width, with bank conflicts.
// launch bytes: --kernel transpose_u8 --grid 2,2 --block 32,8 --arg buf:input:u8:4096:random=1 --arg buf:out:u8:4096:zero --dump out
// launch halves: --kernel transpose_u16 --grid 2,2 --block 32,8 --arg buf:input:u16:4096:random=2 --arg buf:out:u16:4096:zero --dump out
// launch words: --kernel transpose_u32 --grid 2,2 --block 32,8 --arg buf:input:u32:4096:random=3 --arg buf:out:u32:4096:zero --dump out
// launch doubles: --kernel transpose_u64 --grid 2,2 --block 32,8 --arg buf:input:f64:4096:random=4,-1e300,1e300 --arg buf:out:f64:4096:zero --dump out
template <typename T> __device__ void transpose(const T *input, T *out)
{
	__shared__ T tile[32][32];
	for (int k = 0; k < 32; k += 8)
		tile[threadIdx.y + k][threadIdx.x] = input[(blockIdx.y * 32 + threadIdx.y + k) * 64 + blockIdx.x * 32 + threadIdx.x];
	__syncthreads();
	for (int k = 0; k < 32; k += 8)
		out[(blockIdx.x * 32 + threadIdx.y + k) * 64 + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" __global__ void transpose_u8(const unsigned char *input, unsigned char *out) { transpose(input, out); }
extern "C" __global__ void transpose_u16(const unsigned short *input, unsigned short *out) { transpose(input, out); }
extern "C" __global__ void transpose_u32(const unsigned *input, unsigned *out) { transpose(input, out); }
extern "C" __global__ void transpose_u64(const unsigned long long *input, unsigned long long *out) { transpose(input, out); }
