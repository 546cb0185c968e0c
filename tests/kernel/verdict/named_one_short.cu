// Three rounds of a barrier of four groups. In the second, group 2 does not count and does not wait.
// launch: --grid 4 --block 32 --arg buf:count:u32:1:zero
extern "C" __global__ void named_one_short(unsigned *count)
{
	if (threadIdx.x)
		return;
	for (unsigned round = 1; round <= 3; round++) {
		if (round == 2 && blockIdx.x == 2)
			continue;
		atomicAdd(count, 1u);
		while (*(volatile unsigned *)count < 4 * round - (round == 3))
			;
	}
	while (*(volatile unsigned *)count < 12)
		;
}
