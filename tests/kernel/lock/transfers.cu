// Bank transfers under two locks (paper 1, Example 19): the lock of the smaller account first, both tried in one loop; the sum of all balances stays.
// launch: --grid 4 --block 64 --arg buf:locks:u32:16:zero --arg buf:balances:s32:16:fill=1000 --arg buf:source:u32:256:random=5,0,16 --arg buf:target:u32:256:random=6,0,16 --arg buf:amount:s32:256:random=7,1,50 --dump locks --dump balances
extern "C" __global__ void transfers(unsigned *locks, volatile int *balances, const unsigned *source, const unsigned *target, const int *amount)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, from = source[t], to = target[t];
	if (from == to)
		return;
	unsigned first = min(from, to), second = max(from, to);
	bool done = false, has_first = false;
	while (!done) {
		if (has_first || atomicCAS(&locks[first], 0, 1) == 0) {
			has_first = true;
			if (atomicCAS(&locks[second], 0, 1) == 0) {
				__threadfence();
				balances[from] -= amount[t];
				balances[to] += amount[t];
				__threadfence();
				atomicExch(&locks[second], 0);
				atomicExch(&locks[first], 0);
				done = true;
			}
		}
	}
}
