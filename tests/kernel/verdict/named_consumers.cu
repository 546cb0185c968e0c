// A producer sets the word twice, three consumers each take it by a compare-and-swap: it is no lock, and the producer's third is missing.
// launch: --grid 4 --block 32 --arg buf:flag:u32:1:zero --arg buf:x:u32:8:zero
extern "C" __global__ void named_consumers(unsigned *flag, volatile unsigned *x)
{
	volatile unsigned *look = flag;

	if (threadIdx.x)
		return;
	if (blockIdx.x == 3) {
		for (unsigned k = 0; k < 2; k++) {
			while (*look != 0)
				;
			*look = 1;
		}
		return;
	}
	do {
		while (*look != 1)
			;
	} while (atomicCAS(flag, 1u, 0u) != 1);
	x[blockIdx.x] = 1;
}
