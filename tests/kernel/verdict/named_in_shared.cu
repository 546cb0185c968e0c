// A flag in shared memory, which group 1 does not set, by what it reads.
// launch: --grid 3 --block 128 --arg buf:x:u32:8:iota
extern "C" __global__ void named_in_shared(volatile unsigned *x)
{
	__shared__ volatile unsigned flag;
	unsigned t = threadIdx.x;

	if (t == 0)
		flag = 0;
	__syncthreads();
	if (t == 96 && x[blockIdx.x] != 1)
		flag = 1;
	if (t == 0)
		while (!flag)
			;
}
