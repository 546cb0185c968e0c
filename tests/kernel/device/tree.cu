// A binary tree of grids that goes on as four chains, deeper than the 24 levels that CUDA's guide names: an H200 refuses none.
extern "C" __global__ void node(int *count, int *depth_error, int depth, int wide)
{
	atomicAdd(count, 1);
	if (depth > 24)
		return;
	node<<<1, 1>>>(count, depth_error, depth + 1, wide);
	int error = cudaGetLastError();
	if (error)
		atomicMax(depth_error, error * 100 + depth);
	if (depth < wide)
		node<<<1, 1, 0, cudaStreamFireAndForget>>>(count, depth_error, depth + 1, wide);
}

extern "C" __global__ void tree(int *count, int *depth_error)
{
	if (threadIdx.x == 0)
		node<<<1, 1>>>(count, depth_error, 1, 3);
}
