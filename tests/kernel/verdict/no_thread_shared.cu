// Warps wait for the next one by flags in shared memory, which the group has set to 0 itself; the last waits for a warp that there is not.
// launch: --grid 2 --block 64 --arg buf:out:u32:4:zero
extern "C" __global__ void no_thread_shared(unsigned *out)
{
	__shared__ volatile unsigned flag[256];
	unsigned t = threadIdx.x;

	for (unsigned k = t; k < 256; k += 64)
		flag[k] = 0;
	__syncthreads();
	if (t % 32)
		return;
	flag[t] = 1;
	while (!flag[t + 32])
		;
	out[blockIdx.x] = 1;
}
