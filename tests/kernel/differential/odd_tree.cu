// Groups of 5 x 7 x 3 threads in a grid of 3 x 2 x 2: structures by value and by reference over a tree of no power of two; barriers that count, and, or.
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
struct pair {
	u32 low;
	u64 high;
	u16 tag[3];
};
__device__ __noinline__ pair combine(pair a, const pair &b, int k)
{
	pair r = a;
	r.low += b.low * (u32)k;
	r.high ^= b.high >> (k & 31);
	for (int i = 0; i < 3; i++)
		r.tag[i] = (u16)(a.tag[(i + k) % 3] + b.tag[i]);
	return r;
}
extern "C" __global__ void odd_tree(const u64 *in, u64 *out, u32 *scr)
{
	__shared__ pair tree[105];
	u32 t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,
	    n = blockDim.x * blockDim.y * blockDim.z;
	u32 g = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	u64 p = in[(g * 105 + t) & 1023];
	pair mine = {(u32)p, p * 3, {(u16)p, (u16)(p >> 20), (u16)(p >> 40)}};
	tree[t] = mine;
	for (u32 left = n; left > 1;) {
		u32 half = (left + 1) / 2;
		__syncthreads();
		if (t < left / 2)
			tree[t] = combine(tree[t], tree[t + half], (int)(left + t));
		left = half;
	}
	__syncthreads();
	u64 sum = tree[0].low + tree[0].high * 5 + tree[0].tag[0] + tree[0].tag[1] * 7ull + tree[0].tag[2] * 11ull;
	out[g * 105 + t] = sum ^ t;
	if (__syncthreads_or(t == 104 && (sum & 1)))
		atomicAdd(&scr[g], t);
	u32 odd = (u32)__syncthreads_count((int)(p >> (g & 7) & 1));
	if (t == n - 1)
		scr[16 + g] = odd;
	scr[32 + g] = (u32)__syncthreads_and((p & 0xff) != 7);
}
