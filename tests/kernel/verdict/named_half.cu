// Of the three threads of a group that count three rounds, one leaves after two.
// launch: --grid 1 --block 96 --arg buf:count:u32:1:zero
extern "C" __global__ void named_half(volatile unsigned *count)
{
	unsigned warp = threadIdx.x / 32;

	if (threadIdx.x % 32)
		return;
	for (unsigned round = 0; round < 3; round++) {
		if (warp == 2 && round == 2)
			return;
		atomicAdd((unsigned *)count, 1);
	}
	if (!warp)
		while (*count < 9)
			;
}
