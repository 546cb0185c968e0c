// Kernels that set conditions of graphs.  By nvcc 13.0:
//     nvcc -rdc=true -fatbin -gencode arch=compute_75,code=compute_75 -o conditional.fatbin conditional.cu
extern "C" __global__ void set(cudaGraphConditionalHandle condition, unsigned value)
{
	cudaGraphSetConditional(condition, value);
}

// The value of a counter, which it counts down.
extern "C" __global__ void count_down(cudaGraphConditionalHandle condition, unsigned *left)
{
	if (threadIdx.x == 0)
		cudaGraphSetConditional(condition, --*left);
}

// Writes the value behind what is there: list[0] says how many that are.
extern "C" __global__ void note(int *list, int value)
{
	list[++list[0]] = value;
}
