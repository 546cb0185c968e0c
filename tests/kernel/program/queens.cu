// N queens: thread k places the first two queens by its number and counts the solutions below by recursion with by-value arguments.
// launch: --grid 2 --block 32 --arg buf:solutions:u32:64:zero --dump solutions
__device__ __noinline__ unsigned place(unsigned all, unsigned columns, unsigned left, unsigned right)
{
	if (columns == all)
		return 1;
	unsigned count = 0;
	for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
		unsigned bit = free & -free;
		count += place(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return count;
}

extern "C" __global__ void queens(unsigned *solutions)
{
	unsigned n = 8, k = blockIdx.x * blockDim.x + threadIdx.x, first = 1u << k / n, second = 1u << k % n, all = (1u << n) - 1;
	if (second & (first | first << 1 | first >> 1))
		solutions[k] = 0;
	else
		solutions[k] = place(all, first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1);
}
