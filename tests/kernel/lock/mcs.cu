// The MCS queue lock (paper 1, Example 16), one lane of each warp: every waiter spins on its own record.
// launch: --grid 10 --block 64 --arg buf:tail:u32:1:zero --arg buf:next:u32:21:zero --arg buf:locked:u32:21:zero --arg buf:value:u64:1:zero --dump tail --dump value
extern "C" __global__ void mcs(unsigned *tail, volatile unsigned *next, volatile unsigned *locked, volatile unsigned long long *value)
{
	if (threadIdx.x % 32)
		return;
	unsigned me = 1 + blockIdx.x * 2 + threadIdx.x / 32;
	for (int round = 0; round < 5; round++) {
		next[me] = 0;
		locked[me] = 1;
		__threadfence();
		unsigned before = atomicExch(tail, me);
		if (before) {
			next[before] = me;
			while (locked[me])
				;
		}
		__threadfence();
		*value = *value + me;
		__threadfence();
		if (next[me] == 0) {
			if (atomicCAS(tail, me, 0) == me)
				continue;
			while (next[me] == 0)
				;
		}
		locked[next[me]] = 0;
		__threadfence();
	}
}
