// Statements that load, change and store one word in several threads lack an atomic; one finding each.  Where threads
// read words of others, a barrier is what is missing.
// launch shared: --kernel in_shared --block 128 --check races --arg buf:out:s32:128:zero
// launch wide: --kernel wide --grid 4 --block 128 --check races --arg buf:h:u64:8:zero
// launch floats: --kernel floats --grid 4 --block 128 --check races --arg buf:h:f64:8:zero --arg buf:w:f64:128:iota
// launch calls: --kernel calls --grid 4 --block 128 --check races --arg buf:h:s32:8:zero --arg buf:w:s32:128:iota
// launch largest: --kernel largest --grid 4 --block 128 --check races --arg buf:h:s32:8:zero --arg buf:w:s32:128:iota
// launch inlined: --kernel inlined --grid 4 --block 128 --check races --arg buf:h:s32:8:zero --arg buf:w:s32:128:iota
// launch shift: --kernel shift --block 128 --check races --arg buf:out:s32:128:zero
// launch sum: --kernel sum --block 128 --check races --arg buf:out:s32:128:zero
__global__ void in_shared(int *out)
{
	__shared__ int h[8];
	int t = threadIdx.x;

	if (t < 8)
		h[t] = 0;
	__syncthreads();
	h[t & 7]++;
	__syncthreads();
	if (t < 8)
		out[t] = h[t];
}

__global__ void wide(unsigned long long *h)
{
	h[threadIdx.x & 7] += 3;
}

__global__ void floats(double *h, const double *w)
{
	h[threadIdx.x & 7] += w[threadIdx.x] * 2;
}

__device__ __noinline__ int thrice(int x)
{
	return x * 3 + 1;
}

__global__ void calls(int *h, const int *w)
{
	h[0] += thrice(w[threadIdx.x]);
}

__global__ void largest(int *h, const int *w)
{
	h[0] = h[0] > w[threadIdx.x] ? h[0] : w[threadIdx.x];
}

__device__ void add(int *p, int v)
{
	*p += v;
}

__global__ void inlined(int *h, const int *w)
{
	add(&h[1], w[threadIdx.x]);
}

__global__ void shift(int *out)
{
	__shared__ int s[128];
	int t = threadIdx.x;

	s[t] = t;
	__syncthreads();
	s[t] = s[(t + 1) & 127];
	__syncthreads();
	out[t] = s[t];
}

__global__ void sum(int *out)
{
	__shared__ int s[128];
	int t = threadIdx.x;

	s[t] = t;
	__syncthreads();
	s[t] += s[t ^ 64];
	__syncthreads();
	out[t] = s[t];
}
