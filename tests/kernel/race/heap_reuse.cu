// Memory that malloc gives again is no race: a thread that gets it comes after the one that has freed it, whichever core was served first.
// launch spread: --kernel squares --grid 40 --block 64 --check races --arg buf:out:u32:2560:zero --dump out --gpu v100 --set dispatch.interval=100
// launch late: --kernel squares --grid 8 --block 32 --check races --arg buf:out:u32:256:zero --dump out --gpu v100 --set crossbar.jitter=1000 --set dispatch.interval=2000
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *block);

/* Each block is written and read by the thread that has it. */
extern "C" __global__ void squares(unsigned *out)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

	for (unsigned round = 0; round < 4; round++) {
		unsigned *block = (unsigned *)malloc(48);

		for (unsigned k = 0; k < 6; k++)
			block[(k + me) % 12] = k * round;
		sum += block[(me + 5) % 12];
		free(block);
	}
	out[me] = sum;
}
