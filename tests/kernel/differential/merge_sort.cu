// Merge sort in dynamic shared memory: every thread finds where its element goes by a binary search in the other run.
extern "C" __global__ void merge_sort(long long *data)
{
	extern __shared__ long long room[];
	int n = blockDim.x, t = threadIdx.x;
	long long *from = room, *to = room + n;
	from[t] = data[blockIdx.x * n + t];
	__syncthreads();
	for (int run = 1; run < n; run *= 2) {
		int own = t / run, other = (own ^ 1) * run, low = 0, high = run;
		long long x = from[t];
		while (low < high) {
			int middle = (low + high) / 2;
			bool before = own & 1 ? from[other + middle] <= x : from[other + middle] < x;
			if (before)
				low = middle + 1;
			else
				high = middle;
		}
		to[(own & ~1) * run + t % run + low] = x;
		__syncthreads();
		long long *swap = from;
		from = to, to = swap;
	}
	data[blockIdx.x * n + t] = from[t];
}
