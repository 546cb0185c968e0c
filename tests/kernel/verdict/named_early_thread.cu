// Threads 64 to 127 set a flag each, but for thread 77, which leaves before: the others' stores tell whose flag is missing.
// launch: --grid 1 --block 128 --arg buf:flags:u32:128:zero
extern "C" __global__ void named_early_thread(volatile unsigned *flags)
{
	unsigned t = threadIdx.x;

	if (t == 77)
		return;
	if (t >= 64)
		flags[t] = 1;
	if (t == 0)
		for (unsigned k = 64; k < 128; k++)
			while (!flags[k])
				;
}
