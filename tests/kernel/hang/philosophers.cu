// Five groups, each with a fork to its left and one to its right: all take the left one first.
// launch: --kernel philosophers --grid 5 --block 32 --arg buf:forks:s32:5:zero --arg s32:5
extern "C" __global__ void philosophers(int *forks, int count)
{
	int left = blockIdx.x, right = (blockIdx.x + 1) % count;
	if (threadIdx.x)
		return;
	while (atomicCAS(&forks[left], 0, 1)) {
	}
	for (volatile int think = 0; think < 200; think++) {
	}
	while (atomicCAS(&forks[right], 0, 1)) {
	}
	atomicExch(&forks[right], 0);
	atomicExch(&forks[left], 0);
}
