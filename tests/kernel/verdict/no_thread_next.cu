// A warp waits for the next one, the last for one that the group does not have.
// launch: --grid 1 --block 64 --arg buf:flag:u32:256:zero
extern "C" __global__ void no_thread_next(volatile unsigned *flag)
{
	unsigned t = threadIdx.x;

	if (t % 32)
		return;
	flag[t] = 1;
	while (!flag[t + 32])
		;
}
