// Connected components: union by compare-and-swap of roots with path halving; then every label is the smallest of its component.
__device__ unsigned root(volatile unsigned *parent, unsigned v)
{
	while (parent[v] != v) {
		unsigned up = parent[v], over = parent[up];
		if (over != up)
			atomicCAS((unsigned *)&parent[v], up, over);
		v = up;
	}
	return v;
}
extern "C" __global__ void union_find(const unsigned *edges, unsigned *parent, unsigned *label, unsigned *arrived)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = edges[2 * i], b = edges[2 * i + 1];
	for (;;) {
		a = root(parent, a), b = root(parent, b);
		if (a == b)
			break;
		if (a > b) {
			unsigned c = a;
			a = b, b = c;
		}
		if (atomicCAS(&parent[b], b, a) == b)
			break;
	}
	__threadfence();
	__shared__ bool last;
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicAdd(arrived, 1) == gridDim.x - 1;
	__syncthreads();
	if (last)
		for (unsigned v = threadIdx.x; v < 320; v += blockDim.x)
			label[v] = root(parent, v);
}
