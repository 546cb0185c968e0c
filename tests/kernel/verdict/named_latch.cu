// A latch that all threads of the group count down, but for thread 77.
// launch: --grid 1 --block 256 --arg buf:latch:u32:1:fill=256 --arg buf:x:u32:256:iota
extern "C" __global__ void named_latch(unsigned *latch, volatile unsigned *x)
{
	unsigned t = threadIdx.x;

	if (x[t] == 77)
		return;
	atomicSub(latch, 1u);
	if (t == 0)
		while (*(volatile unsigned *)latch != 0)
			;
}
