// Quicksort by recursion in every thread on a stretch of its own: deep, divergent recursion on global memory.
// launch: --grid 2 --block 32 --arg buf:data:s32:3840:random=17,-1000,1000 --arg s32:60 --dump data
__device__ __noinline__ void sort(int *a, int n)
{
	if (n < 2)
		return;
	int pivot = a[n / 2], low = 0, high = n - 1;
	while (low <= high) {
		while (a[low] < pivot)
			low++;
		while (a[high] > pivot)
			high--;
		if (low <= high) {
			int swap = a[low];
			a[low++] = a[high];
			a[high--] = swap;
		}
	}
	sort(a, high + 1);
	sort(a + low, n - low);
}

extern "C" __global__ void quicksort(int *data, int n)
{
	sort(data + (blockIdx.x * blockDim.x + threadIdx.x) * n, n);
}
