// Groups take their turns in order; each polls for its own, in a loop with the hint.  Before it is a loop without.
// launch hinted: --grid 12 --block 32 --arg buf:turn:u32:1:zero --arg buf:seen:u32:12:zero --arg s32:5 --dump turn --dump seen --spin marked --backoff bows
// launch unheard: --spin none --backoff none --grid 12 --block 32 --arg buf:turn:u32:1:zero --arg buf:seen:u32:12:zero --arg s32:5 --dump turn --dump seen
#ifndef __lockstep_spin // on other implementations
#define __lockstep_spin()
#endif
extern "C" __global__ void hinted_wait(volatile unsigned *turn, unsigned *seen, int rounds)
{
	unsigned sum = 0;
	if (threadIdx.x != 0)
		return;
	for (int k = 0; k < rounds; k++)
		sum = sum * 3 + blockIdx.x;
	while (*turn != blockIdx.x)
		__lockstep_spin();
	seen[blockIdx.x] = sum;
	__threadfence();
	*turn = blockIdx.x + 1;
}
