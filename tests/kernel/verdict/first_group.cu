// The others wait for group 0, which waits for them: it sets the flag only when the host has asked for that.
// launch: --grid 4 --block 1 --arg buf:flag:u32:1:zero --arg buf:done:u32:1:zero --arg buf:go:u32:1:zero
extern "C" __global__ void first_group(volatile unsigned *flag, volatile unsigned *done, volatile unsigned *go)
{
	if (blockIdx.x % 4 == 0) {
		if (*go)
			*flag = 1;
		while (!*done)
			;
	} else {
		while (!*flag)
			;
		*done = 1;
	}
}
